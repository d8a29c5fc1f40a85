"""`make soak`: plays a mixture of all that goes wrong under `run --supervised`, and prints the figures.

`python -m tests.soak [STARTS [SEED]]`: so many agent starts, 300 by default. Exit 1 where a figure is not as it may be.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.soak.figures import Scene, figures, table
from tests.soak.mixture import Mixture, mixture
from tests.soak.watching import Watcher

AGENT = Path(__file__).with_name("agent.py")
DISK_BYTES = 400 << 20
PATIENCE_S = 3600
RUNS = 4
"""Starts of a person's: the first, one after the disk was full, and some to spare that would be told."""


def main(starts: int, seed: int) -> int:
    played = mixture(starts, seed)
    with tempfile.TemporaryDirectory(prefix="soak-") as name, _disk(Path(name) / "disk") as disk:
        scene = _set(Path(name), disk or Path(name) / "disk", played)
        print(f"{played.starts} starts, {len(played.stories)} stories, seed {seed}", flush=True)
        if disk is None:
            print("no small disk could be mounted: none is filled", flush=True)
        began = time.monotonic()
        watcher = Watcher(scene.state / "lock-main", scene.notes / "starts", lambda: _fill(scene, disk))
        codes: list[int] = []
        while len(codes) < RUNS and 0 not in codes:
            codes.append(_run(scene))
            (scene.root.parent / "filler").unlink(missing_ok=True)
        watcher.close()
        lines = figures(scene, played, watcher.samples, codes)
        print(table(lines))
        print(f"{time.monotonic() - began:.0f} s")
        return int(any(line.holds is False for line in lines))


@contextmanager
def _disk(path: Path) -> Iterator[Path | None]:
    """A small disk, mounted at `path`; None where that is not permitted."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(path)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def _fill(scene: Scene, disk: Path | None) -> None:
    """Fills the disk to the last byte when the agent asks for it."""
    if not (scene.notes / "disk-full").exists() or (scene.notes / "disk-is-full").exists():
        return
    if disk is not None:
        with (disk / "filler").open("wb", buffering=0) as file:
            for size in (1 << 20, 4 << 10, 1):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    continue
    (scene.notes / "disk-is-full").touch()


def _set(folder: Path, disk: Path, played: Mixture) -> Scene:
    scene = Scene(disk / "repository", folder / "notes")
    scene.root.mkdir(parents=True)
    scene.notes.mkdir()
    (scene.notes / "plan.json").write_text(json.dumps(played.stories))
    prd = {
        "project": "Soak",
        "branchName": "ralph/soak",
        "verificationCommands": ['test -f "done/$PRD_RALPH_STORY_ID"'],
        "userStories": [{"id": story, "title": f"Do {story}", "passes": False} for story in played.stories],
    }
    for args in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "Soak"],
        ["config", "user.email", "soak@example.invalid"],
        ["commit", "-q", "--allow-empty", "-m", "start"],
    ):
        subprocess.run(["git", *args], cwd=scene.root, check=True)
    (scene.root / "prd.json").write_text(json.dumps(prd, indent=2) + "\n")
    return scene


def _run(scene: Scene) -> int:
    """One start by a person; its exit code. What it prints is kept beside the repository."""
    agent = f"{sys.executable} {AGENT} {scene.notes / 'plan.json'} {scene.notes}"
    command = [sys.executable, "-m", "prd_ralph", "run", "--supervised", "--agent-command", agent]
    limits = ["--max-attempts", "20", "--max-iterations", "2000", "--max-time", "90d", "--timeout", "3s"]
    waits = {"PRD_RALPH_CLOCK": "fast", "PRD_RALPH_FROZEN_S": "5", "PRD_RALPH_PAUSE_S": "0.2"}
    env = os.environ | waits | {"PRD_RALPH_REGRESSION_TIME": "10m"}
    with (scene.notes / "output").open("ab") as output:
        done = subprocess.run(
            [*command, *limits],
            cwd=scene.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=PATIENCE_S,
            check=False,
        )
    return done.returncode


if __name__ == "__main__":
    starts, seed = (int(text) for text in [*sys.argv[1:], *("300", "1")[len(sys.argv) - 1 :]])
    sys.exit(main(starts, seed))
