"""`prd-ralph show`: what was recorded of a run, a story, an attempt."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from prd_ralph.cli.answer import answer_bytes
from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import printable
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.ledger import read
from prd_ralph.model import AttemptKey
from prd_ralph.state import RunFolder
from prd_ralph.workspace.reading import attempt_diff

Attempts = dict[tuple[str, int], list[dict[str, Any]]]

_LISTED = 5

SHORT = "Show what was recorded of a run."
EXAMPLE = "Example: prd-ralph show 20310301T080000Z-4f2a US-001 2 --checks"


def command(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A run's id. Default: the newest.")] = None,
    story: Annotated[str | None, typer.Argument(metavar="[STORY]", help="A story's id. Default: all.")] = None,
    number: Annotated[int | None, typer.Argument(metavar="[N]", help="An attempt. Default: the last.")] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="The prompt that was sent.")] = False,
    transcript: Annotated[bool, typer.Option("--transcript", help="All that the agent printed, raw.")] = False,
    checks: Annotated[bool, typer.Option("--checks", help="The output of the verification commands.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="What it changed, as a patch.")] = False,
) -> int:
    """Show a run, or what one attempt was told, printed and judged by."""
    project = open_project({})
    folder = _run(project, run)
    records, torn = read(folder.events)
    if torn:
        typer.echo(f"warning: {torn} lines of the ledger cannot be read", err=True)
    attempts = _attempts(records, story)
    if not attempts:
        raise RalphError(f"no attempt{f' at {story}' if story else ''} in run {folder.run_id}", _others(folder))
    matching = _matching(attempts, number)
    if not (prompt or transcript or checks or diff):
        for key, events in matching.items():
            _line(key, events)
        return ExitCode.OK
    key = list(matching)[-1]
    attempt = AttemptKey(folder.run_id, *key)
    place = folder.attempt_folder(attempt)
    if prompt:
        _print(place / "prompt.md")
    if transcript:
        _print(place / "transcript.log")
        _print(place / "transcript.log.stderr")
    if checks:
        _print_checks(place, attempts[key])
    if diff:
        _show(attempt_diff(project.root, attempt))
    return ExitCode.OK


def _run(project: Project, run: str | None) -> RunFolder:
    runs = project.state.runs()
    found = next((folder for folder in runs if run in (None, folder.run_id)), None)
    if found is None:
        raise RalphError(
            f"no run {run}" if run else "no run is recorded here",
            f"the newest is {runs[0].run_id}" if runs else "prd-ralph run",
        )
    return found


def _others(folder: RunFolder) -> str:
    runs = [run.run_id for run in folder.state.runs() if run != folder]
    return f"name another run: {', '.join(runs[:_LISTED])}" if runs else "prd-ralph status"


def _attempts(records: list[dict[str, Any]], story: str | None) -> Attempts:
    found: Attempts = {}
    for record in records:
        of, number = record.get("story"), record.get("attempt")
        if of is not None and number is not None and story in (None, of):
            found.setdefault((of, number), []).append(record)
    return found


def _matching(attempts: Attempts, number: int | None) -> Attempts:
    matching = {key: events for key, events in attempts.items() if number in (None, key[1])}
    if not matching:
        numbers = sorted({key[1] for key in attempts})
        raise RalphError(f"no attempt {number} is recorded", f"there are: {', '.join(map(str, numbers))}")
    return matching


def _line(key: tuple[str, int], events: list[dict[str, Any]]) -> None:
    said = {event["kind"]: event for event in events}
    judged, landed = said.get("judged", {}), said.get("landed", {})
    parts = [
        f"{key[0]} attempt {key[1]}",
        str(judged.get("outcome", "not ended")),
        str(judged.get("reason", "")),
        str(landed.get("commit", ""))[:10],
    ]
    typer.echo(" · ".join(printable(part) for part in parts if part))
    for event in events:
        if event["kind"] == "check_finished":
            typer.echo(f"  {printable(str(event.get('name')))}: {event.get('status')} (exit {event.get('exit_code')})")
        if event["kind"] == "tampered":
            typer.echo(f"  tampered, put back: {printable(', '.join(map(str, event.get('what', ()))))}")


def _print_checks(place: Path, events: list[dict[str, Any]]) -> None:
    finished = [event for event in events if event["kind"] == "check_finished"]
    for number, event in enumerate(finished, 1):
        typer.echo(f"$ {event.get('command')}   [{event.get('status')}, exit {event.get('exit_code')}]")
        _print(place / f"check-{number}.log")


def _print(path: Path) -> None:
    if not path.is_file():
        typer.echo(f"not recorded, or deleted since: {path.name}", err=True)
        return
    _show(path.read_bytes())


def _show(data: bytes) -> None:
    """The very bytes on a pipe; on a terminal without what could take it over."""
    if not sys.stdout.isatty():
        answer_bytes(data)
        return
    for line in data.decode("utf-8", "replace").splitlines():
        typer.echo(printable(line, 8 * len(line) + 1))
