"""`prd-ralph import`: another tool's task file becomes a prd.json, and what it claims counts for nothing yet."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, answer_bytes, record_of
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.project import look_at_project
from prd_ralph.console import plural, printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.prdfile.foreign.adoption import Candidate
from prd_ralph.prdfile.foreign.importing import Imported, imported
from prd_ralph.prdfile.foreign.told import in_words
from prd_ralph.prdfile.source import pointer_of
from prd_ralph.prdfile.text import shown

SHORT = "Make a prd.json of another tool's file."
EXAMPLE = "Example: prd-ralph import tasks.json --adopt-commands"
STDOUT = "-"
_MARKDOWN = (".md", ".markdown", ".mdx")


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The other tool's file, JSON.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="What to write; - is stdout. [prd.json]")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    keep_flags: Annotated[bool, typer.Option("--keep-flags", help="Believe what the file claims to be done.")] = False,
    adopt_commands: Annotated[
        bool, typer.Option("--adopt-commands", help="Copy the commands in its own keys to verificationCommands.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Make a prd.json of another tool's task file; the file itself stays as it is.

    Every story is open again, with its claim in `notes`, unless --keep-flags. Commands are shown, and none is run.
    """
    if as_json and output == STDOUT:
        raise RalphError("--json and -o - both want stdout", "leave one of them out")
    try:
        made = _read(file, keep_flags, adopt_commands)
    except ProblemsError as error:
        if not as_json:
            raise
        answer({"errors": [record_of(problem) for problem in error.problems]})
        return error.code
    if not as_json:
        _say(file, made, adopt_commands)
    if output == STDOUT:
        answer_bytes(made.data)
        return ExitCode.OK
    return _finish(made, output, force, adopt_commands, as_json)


def _finish(made: Imported, output: str | None, force: bool, adopt: bool, as_json: bool) -> int:
    try:
        written = _write(made.data, output, force)
    except RalphError as error:
        if not as_json:
            raise
        answer({**made.reading.told(), "errors": [record_of(problem) for problem in error.problems]})
        return error.code
    if as_json:
        adopted = [pointer_of(each.path) for each in made.candidates if each.fits and adopt]
        answer({**made.reading.told(), "adopted": adopted, "wrote": written})
    else:
        typer.echo(f"wrote {printable(written)}; next: prd-ralph validate {printable(written)}", err=True)
    return ExitCode.OK


def _read(file: str, keep_flags: bool, adopt: bool) -> Imported:
    path = Path(os.path.realpath(file))
    source = JsonPrdFile(path, path.parent)
    data = source.read()
    if data is None:
        source.load()  # says why
    elif path.suffix.lower() in _MARKDOWN or data.lstrip()[:2] in (b"# ", b"##", b"- "):
        hint = "`prd-ralph plan` makes stories of markdown; import reads JSON"
        raise ProblemsError([Problem("this is markdown, not JSON", hint, file)])
    return imported(data or b"", file, keep_flags, adopt)


def _write(data: bytes, output: str | None, force: bool) -> str:
    """Under the lock where there is a repository. The file's name, as it was given."""
    project = look_at_project({"prd": output} if output else {})
    named = Path(output) if output else project.root / "prd.json"
    path = project.here / named
    place = Path(os.path.realpath(path))
    inside = project.location is not None and place.is_relative_to(os.path.realpath(project.root))
    with project.state.lock(project.worktree) if inside else nullcontext():
        above = _cleared(path, place, str(named), force)
        target = JsonPrdFile(place, project.root if inside else above)
        target.write(data, target.read())
    return output or os.path.relpath(path, project.here)


def _cleared(path: Path, place: Path, name: str, force: bool) -> Path:
    """The nearest folder that is there. Raises RalphError where something is in the way that must stay.

    `place` is where the links in `path` lead.
    """
    above = next(folder for folder in place.parents if os.path.lexists(folder))
    if not above.is_dir():
        raise RalphError(f"{name} cannot be written: {above} is no folder", "name another file: -o NEW")
    if os.path.lexists(place) and not place.is_file():
        raise RalphError(f"{name} exists already, and is no file", "name another file: -o NEW")
    if os.path.lexists(path) and not force:
        raise RalphError(f"{name} exists already", "name another file (-o NEW), or replace this one: --force")
    return above


def _say(file: str, made: Imported, adopt: bool) -> None:
    reading = made.reading
    for warning in reading.warnings:
        typer.echo(f"warning: {printable(file)} {printable(in_words(warning), 1000)}", err=True)
    if made.aside:
        moved = ", ".join(f"{key} ({plural(count, 'time')})" for key, count in made.aside.items())
        typer.echo(f"kept under x-imported, for they read as something else to us: {printable(moved, 2000)}", err=True)
    for each in made.candidates:
        how = _fate(each, adopt)
        line = " ".join(map(str, each.command)) if isinstance(each.command, list) else each.command
        typer.echo(f"seen, never run as it stands: {pointer_of(each.path)} {shown(line)}: {how}", err=True)
    claimed = sum(story.claim.passes for story in reading.stories)
    held = sum(story.claim.held for story in reading.stories)
    told = f"{plural(len(reading.stories), 'story')}, {claimed} claimed as done, {held} held"
    typer.echo(f"{printable(file)}: {reading.dialect}: {told}", err=True)


def _fate(candidate: Candidate, adopt: bool) -> str:
    if not candidate.fits:
        return "not plainly a command, left alone"
    return "copied to verificationCommands" if adopt else "--adopt-commands copies it"
