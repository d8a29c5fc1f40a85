"""`prd-ralph show`: what was recorded of a run, a story, an attempt."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from prd_ralph.cli.answer import show_bytes
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.recorded import run_line
from prd_ralph.cli.transcript import agent_of, has_ended, show_transcript
from prd_ralph.console import agent_end, duration, printable
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.facts import RunFold
from prd_ralph.ledger import read
from prd_ralph.model import AttemptKey
from prd_ralph.state import RunFolder
from prd_ralph.workspace.reading import attempt_diff

Records = list[dict[str, Any]]
Attempts = dict[tuple[str, int], Records]

_LISTED = 10
_LONGEST_S = 1e9

SHORT = "Show what was recorded of a run."
EXAMPLE = "Example: prd-ralph show US-001 2 --checks"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be shown; without a story and a number: all of them."""

    folder: RunFolder
    story: str | None = None
    number: int | None = None


def command(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A run's id. Default: the newest.")] = None,
    story: Annotated[str | None, typer.Argument(metavar="[STORY]", help="A story's id. Default: all.")] = None,
    number: Annotated[int | None, typer.Argument(metavar="[N]", help="An attempt. Default: the last.")] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="The prompt that was sent.")] = False,
    transcript: Annotated[bool, typer.Option("--transcript", help="What the agent said and did.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="The transcript as the agent printed it.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="The transcript, as it grows, to its end.")] = False,
    checks: Annotated[bool, typer.Option("--checks", help="The output of the verification commands.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="What it changed, as a patch.")] = False,
) -> int:
    """Show a run, or what one attempt was told, printed and judged by.

    \b
    show                    the newest run, and which others there are
    show RUN [STORY [N]]    that run, a story of it, the story's attempt N
    show STORY [N]          the same, of the newest run that has the story

    The options print what was recorded of one attempt, the last of those shown. --raw and --follow are the
    transcript's too.
    """
    project = open_project({})
    asked = _asked(project, run, story, number)
    folder = asked.folder
    records, torn = read(folder.events)
    if torn:
        typer.echo(f"warning: {torn} lines of the ledger cannot be read", err=True)
    attempts = _attempts(records, asked.story)
    if not attempts:
        at = f" at {asked.story}" if asked.story else ""
        raise RalphError(f"no attempt{at} in run {folder.run_id}", _others(folder) or "prd-ralph status")
    matching = _matching(attempts, asked.number)
    transcript = transcript or raw or follow
    if not (prompt or transcript or checks or diff):
        _list(folder, records, matching, last=_others(folder) if run is None else "")
        return ExitCode.OK
    key = list(matching)[-1]
    attempt = AttemptKey(folder.run_id, *key)
    place = folder.attempt_path(attempt)
    if prompt:
        _print(place / "prompt.md")
    if transcript:
        over = _ender(project, folder, attempt) if follow else None
        show_transcript(place, lambda: agent_of(_records(attempt, folder)), raw, over)
    if checks:
        _print_checks(place, attempts[key])
    if diff:
        show_bytes(attempt_diff(project.root, attempt))
    return ExitCode.OK


def _ender(project: Project, folder: RunFolder, key: AttemptKey) -> Callable[[], bool]:
    """Whether the attempt's agent has ended, or nobody is left who would say so."""

    def is_over() -> bool:
        holder = project.state.read_lock(project.worktree)
        return has_ended(_records(key, folder)) or holder is None or folder.began_before(holder)

    return is_over


def _records(key: AttemptKey, folder: RunFolder) -> Records:
    """What is recorded of the attempt by now."""
    return _attempts(read(folder.events)[0], key.story).get((key.story, key.number), [])


def _asked(project: Project, run: str | None, story: str | None, number: int | None) -> Asked:
    """The run that is named; the newest that has the story, where a story comes first."""
    runs = project.state.runs()
    if not runs:
        raise RalphError("no run is recorded here", "prd-ralph run")
    named = next((folder for folder in runs if run in (None, folder.run_id)), None)
    if named is not None:
        return Asked(named, story, number)
    having = next((folder for folder in runs if _attempts(read(folder.events)[0], run)), None)
    if having is None:
        raise RalphError(f"no run {run}, and no story of that name in any", f"the newest run is {runs[0].run_id}")
    if number is not None or not (story or "0").isdecimal():
        raise RalphError(f"{run} is no run", "after a story there is only an attempt's number: prd-ralph show STORY N")
    return Asked(having, run, int(story) if story else None)


def _others(folder: RunFolder) -> str:
    runs = [run.run_id for run in folder.state.runs() if run != folder]
    more = f" and {len(runs) - _LISTED} more" if len(runs) > _LISTED else ""
    return f"name another run: {', '.join(runs[:_LISTED])}{more}" if runs else ""


def _attempts(records: Records, story: str | None) -> Attempts:
    found: Attempts = {}
    for record in records:
        of, number = record.get("story"), record.get("attempt")
        if of is not None and number is not None and story in (None, of):
            found.setdefault((of, number), []).append(record)
    # Of an attempt of an earlier run there may be no more than that its work was taken out of the way.
    return {key: events for key, events in found.items() if any(event["kind"] != "set_aside" for event in events)}


def _matching(attempts: Attempts, number: int | None) -> Attempts:
    matching = {key: events for key, events in attempts.items() if number in (None, key[1])}
    if not matching:
        numbers = sorted({key[1] for key in attempts})
        raise RalphError(f"no attempt {number} is recorded", f"there are: {', '.join(map(str, numbers))}")
    return matching


def _list(folder: RunFolder, records: Records, attempts: Attempts, last: str) -> None:
    typer.echo(f"run {run_line(RunFold.of(folder.run_id, records).run)}")
    for key, events in attempts.items():
        typer.echo(_headline(key, events))
        for event in events:
            for line in _details(event):
                typer.echo(f"  {line}")
    if last:
        typer.echo(last)


def _headline(key: tuple[str, int], events: Records) -> str:
    said = {event["kind"]: event for event in events}
    judged, landed = said.get("judged", {}), said.get("landed", {})
    parts = [
        f"{key[0]} attempt {key[1]}",
        str(judged.get("outcome", "not ended")),
        str(judged.get("reason", "")),
        duration(_seconds(judged)) if judged else "",
        str(landed.get("commit", ""))[:10],
    ]
    return " · ".join(printable(part) for part in parts if part)


def _details(event: dict[str, Any]) -> Iterator[str]:
    match event["kind"]:
        case "agent_finished":
            code, failure = event.get("exit_code"), event.get("failure")
            status = code if isinstance(code, int) else None
            yield f"agent: {printable(agent_end(str(event.get('end')), status, str(failure or ''), _seconds(event)))}"
        case "tampered":
            yield f"tampered, put back: {_names(event, 'what')}"
        case "candidate_frozen" if event.get("left_out"):
            yield f"left out of the commit: {_names(event, 'left_out')}"
        case "check_finished":
            yield printable(f"{event.get('name')}: {event.get('status')} (exit {event.get('exit_code')})", 1000)
        case "set_aside":
            yield f"set aside: {printable(str(event.get('ref')), 1000)} holds it"
        case "judged":
            yield from (f"warning: {printable(warning)}" for warning in _texts(event, "warnings"))
            yield from (f"suspect: {printable(suspect)}" for suspect in _texts(event, "suspects"))


def _names(event: dict[str, Any], key: str) -> str:
    return printable(", ".join(_texts(event, key)), 1000)


def _texts(event: dict[str, Any], key: str) -> list[str]:
    """A list of the event's, where it is one: an agent can write into the ledger."""
    found = event.get(key)
    return list(map(str, found)) if isinstance(found, list) else []


def _seconds(event: dict[str, Any]) -> float:
    """A duration that can be, else 0."""
    found = event.get("duration_s")
    return float(found) if isinstance(found, int | float) and 0 <= found < _LONGEST_S else 0.0


def _print_checks(place: Path, events: list[dict[str, Any]]) -> None:
    finished = [event for event in events if event["kind"] == "check_finished"]
    for number, event in enumerate(finished, 1):
        others = [story for story in _texts(event, "stories") if story != event.get("story")]
        whose = f" (of {', '.join(others)})" if others else ""
        said = f"$ {event.get('command')}{whose}   [{event.get('status')}, exit {event.get('exit_code')}]"
        typer.echo(printable(said, 4 * len(said)))
        if event.get("hidden") is not True:  # of these nothing is kept
            _print(place / (Path(str(event.get("log") or "")).name or f"check-{number}.log"))


def _print(path: Path) -> None:
    if not path.is_file():
        typer.echo(f"not recorded, or deleted since: {path.name}", err=True)
        return
    show_bytes(path.read_bytes())
