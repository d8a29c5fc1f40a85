"""What agents have proposed so far, as ledgers tell it, and what a person has said to it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prd_ralph.cli.project import Project
from prd_ralph.clock import SystemClock
from prd_ralph.errors import cannot_write
from prd_ralph.ledger import read
from prd_ralph.model import Prd
from prd_ralph.proposals import Proposal, name_of, wishes
from prd_ralph.state import RunFolder

_DECISIONS = "proposals.jsonl"


@dataclass(frozen=True, slots=True)
class Open:
    """A proposal that waits for a person: its name, and where it was made first. `times`: by how many attempts."""

    name: str
    proposal: Proposal
    run: str
    story: str
    attempt: int
    times: int = 1


def open_proposals(project: Project, prd: Prd, path: str) -> tuple[Open, ...]:
    """Those of this prd.json (`path` as in ledgers) and branch, the oldest first, less stories and what is decided."""
    if project.location is None:
        return ()
    runs = (read(run.events)[0] for run in reversed(project.state.runs()))
    found = _told(records for records in runs if _is_about(records, path, prd.branch))
    decided = {name_of({"title": each.title, "description": each.description}) for each in prd.stories}
    decided |= _decided(project.state.path / _DECISIONS, path)
    return tuple(each for each in found if each.name not in decided)


def taken_up(run: RunFolder) -> int:
    """How many proposals have become stories of a run already, which is 0 but for one that was started again."""
    accepted = (record.get("accepted") for record in read(run.events)[0] if record["kind"] == "proposed")
    return sum(len(ids) for ids in accepted if isinstance(ids, list))


def decide(project: Project, path: str, decided: Iterable[Open], what: str) -> None:
    """Remembers what a person has said (`accepted`, `rejected`), so that it is asked once.

    Raises BlockedError where that cannot be written.
    """
    file = project.state.path / _DECISIONS
    at = SystemClock().now()
    lines = (json.dumps({"at": at, "prd": path, "proposal": each.name, "what": what}) for each in decided)
    try:
        with file.open("a", encoding="ascii") as stream:
            stream.write("".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise cannot_write(file, error) from error


def _is_about(records: Iterable[Mapping[str, Any]], path: str, branch: str | None) -> bool:
    """Whether it was a run of this prd.json; story ids, and so wishes, belong to it together with its branch."""
    started = next((record for record in records if record["kind"] == "run_started"), {})
    return started.get("prd") == path and (branch is None or started.get("branch") == branch)


def _told(runs: Iterable[list[dict[str, Any]]]) -> Iterable[Open]:
    """Each once. What stands in a ledger is read as what an agent says: it can write there."""
    found: dict[str, Open] = {}
    for records in runs:
        for record in records:
            stories, attempt = record.get("stories"), record.get("attempt")
            if (
                record["kind"] != "proposed"
                or not isinstance(stories, list)
                or attempt is None
                or record.get("accepted")
            ):
                continue
            for proposal in wishes(stories).proposals:
                name = name_of(proposal)
                before = found.get(name)
                found[name] = (
                    replace(before, times=before.times + 1)
                    if before
                    else Open(name, proposal, str(record["run"]), str(record.get("story")), attempt)
                )
    return found.values()


def _decided(file: Path, path: str) -> set[str]:
    """The names that a person has accepted or rejected for this prd.json."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return {name for line in lines if (name := _name_in(line, path))}


def _name_in(line: str, path: str) -> str:
    try:
        said = json.loads(line)
    except ValueError:
        return ""
    return str(said.get("proposal", "")) if isinstance(said, dict) and said.get("prd") == path else ""
