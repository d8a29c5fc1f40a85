"""What a soak came to: held against what the agents themselves noted, and against the repository."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from prd_ralph.ledger import read
from tests.soak.mixture import Mixture
from tests.soak.watching import Sample, growth

GROWTH = 0.10
STATE_BYTES_A_START = 64 << 10
"""Of what prd-ralph itself writes; beside it there is what the agents print, each up to a cap."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where it was played: the repository, and the notes of the agents."""

    root: Path
    notes: Path

    @property
    def state(self) -> Path:
        return self.root / ".git" / "prd-ralph"

    def records(self) -> list[dict[str, Any]]:
        """All ledgers' lines, in the order of the runs."""
        ledgers = sorted(self.state.glob("runs/*/events.jsonl"))  # a full disk may have torn a line
        return [record for path in ledgers for record in read(path)[0]]

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def started(self) -> list[str]:
        """The story of each start of an agent, as the agents noted it."""
        return (self.notes / "starts").read_text().split()


@dataclass(frozen=True, slots=True)
class Line:
    """One figure; `holds` None: only told."""

    name: str
    value: str
    holds: bool | None = None


def figures(scene: Scene, played: Mixture, samples: Sequence[Sample], codes: Sequence[int]) -> list[Line]:
    records = scene.records()
    return [
        *_about(records, codes),
        *_stories(scene, played),
        *_attempts(scene, records),
        *_processes(scene),
        *_memory(scene, samples),
    ]


def _about(records: Sequence[dict[str, Any]], codes: Sequence[int]) -> Iterator[Line]:
    kinds = Counter(record["kind"] for record in records)
    judged = Counter(f"{r['outcome']} {r['reason']}".strip()[:40] for r in records if r["kind"] == "judged")
    waited = Counter(record["reason"] for record in records if record["kind"] == "waiting")
    seconds = sum(record["seconds"] for record in records if record["kind"] == "waiting")
    yield Line("exit codes of the supervised runs", ", ".join(map(str, codes)), codes[-1] == 0)
    yield Line("last stop reason", next(r["stop"] for r in reversed(records) if r["kind"] == "run_finished"))
    yield Line("restarts", str(kinds["restarted"]), kinds["restarted"] >= 1)
    yield Line("waits", f"{_counts(waited)}; {seconds / 3600:.1f} h by the clock", sum(waited.values()) >= 1)
    yield Line("outcomes", _counts(judged))


def _stories(scene: Scene, played: Mixture) -> Iterator[Line]:
    stories = json.loads((scene.root / "prd.json").read_text())["userStories"]
    passing = [story["id"] for story in stories if story["passes"]]
    yield Line("stories that pass", f"{len(passing)} of {len(stories)}", passing == list(played.stories))
    subject = scene.git("log", "--format=%(trailers:key=Prd-Ralph-Story,valueonly,separator=%x2C)").split()
    yield Line("landings", str(len(subject)), sorted(subject) == sorted(played.stories))
    there = [story for story in played.stories if (scene.root / "done" / story).is_file()]
    yield Line("work that is there", str(len(there)), there == list(played.stories))
    dirt = scene.git("status", "--porcelain")
    yield Line("work tree", "clean" if not dirt else dirt.splitlines()[0], not dirt)


def _attempts(scene: Scene, records: Sequence[dict[str, Any]]) -> Iterator[Line]:
    started = Counter(scene.started())
    told = Counter(record["story"] for record in records if record["kind"] == "agent_started")
    yield Line("agent starts", str(sum(started.values())), started == told)
    begun = {(r["story"], r["attempt"]) for r in records if r["kind"] == "agent_started"}
    judged = {(r["story"], r["attempt"]) for r in records if r["kind"] == "judged"}
    yield Line("attempts without a verdict", str(len(begun - judged)), begun <= judged)
    refs = {tuple(ref.split("/")[-2:]) for ref in scene.git("for-each-ref", "--format=%(refname)").splitlines()}
    lost = [key for key in begun if (key[0], str(key[1])) not in refs]
    yield Line("attempts without a ref", str(len(lost)), not lost)
    landed = Counter(record["story"] for record in records if record["kind"] == "landed")
    yield Line("landed twice", str(sum(count > 1 for count in landed.values())), max(landed.values(), default=0) <= 1)


def _processes(scene: Scene) -> Iterator[Line]:
    left = [process for process in psutil.process_iter() if _is_ours(process, scene)]
    yield Line("processes that are left", ", ".join(str(each.pid) for each in left) or "none", not left)
    daemons = scene.notes / "daemons"
    pids = [int(line) for line in daemons.read_text().split()] if daemons.exists() else []
    yield Line("daemons that agents had left", str(len(pids)), not any(map(psutil.pid_exists, pids)))


def _is_ours(process: psutil.Process, scene: Scene) -> bool:
    try:
        return process.cwd().startswith(str(scene.root))
    except (psutil.Error, OSError):
        return False


def _memory(scene: Scene, samples: Sequence[Sample]) -> Iterator[Line]:
    starts = len(scene.started())
    grown = growth(samples, starts)
    peak = max(sample.bytes for sample in samples)
    yield Line("memory, last quarter against the second", f"{grown:+.1%}", grown <= GROWTH)
    yield Line("memory, peak", f"{peak >> 20} MiB")
    sizes = {path: path.stat().st_size for path in scene.state.rglob("*") if path.is_file()}
    printed = sum(size for path, size in sizes.items() if path.name.startswith("transcript"))
    own = sum(sizes.values()) - printed
    kept = f"{own >> 10} KiB, {(own // starts) >> 10} KiB a start; {printed >> 10} KiB that agents printed"
    yield Line("state folder", kept, own < starts * STATE_BYTES_A_START)


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def table(lines: Iterable[Line]) -> str:
    """`ok`, or `NOT` where a figure is not as it may be."""
    words = {True: "ok", False: "NOT", None: ""}
    return "\n".join(f"{words[line.holds]:<4} {line.name:<42} {line.value}" for line in lines)
