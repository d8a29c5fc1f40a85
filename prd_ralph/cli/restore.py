"""`prd-ralph restore`: what an attempt made, and was set aside, is brought back."""

from collections.abc import Iterator, Sequence
from typing import Annotated
from urllib.parse import unquote

import typer

from prd_ralph.cli.preparation import memory_of
from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import plural, printable
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.ledger import read
from prd_ralph.names import encode_story
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.state import RunFolder
from prd_ralph.workspace.attempts import Kept, kept_attempts
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.refs import read_current
from prd_ralph.workspace.restoring import bring_back, bring_files, make_branch

SHORT = "Bring back what was set aside."
EXAMPLE = "Example: prd-ralph restore US-002 3"
_SHOWN = 20


def command(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A run's id. Default: the newest.")] = None,
    story: Annotated[str | None, typer.Argument(metavar="[STORY]", help="A story's id.")] = None,
    number: Annotated[int | None, typer.Argument(metavar="[N]", help="An attempt. Default: the last.")] = None,
    branch: Annotated[
        str | None, typer.Option("--branch", metavar="NAME", help="Make a branch of it, and touch nothing else.")
    ] = None,
) -> int:
    """Bring an attempt's end state back into the work tree, as staged changes on what is there now.

    \b
    restore STORY [N]       of the newest run that kept something of the story
    restore RUN STORY [N]   of that run

    Only into a clean tree, and all of it or nothing: what conflicts is named. prd.json and progress.txt stay.
    """
    project = open_project({})
    with SupervisedProcesses(StopSignals()) as processes:
        git = Git(processes, project.root, project.env)
        kept = _meant(kept_attempts(git), run, story, number)
        if branch is not None:
            make_branch(git, kept, branch)
            typer.echo(f"the branch {printable(branch)} is {_name(kept)}: git switch {printable(branch)}", err=True)
            return ExitCode.OK
        with project.state.lock(project.worktree):
            _refuse_current(git)
            back = bring_back(git, kept, _memory(project), project.state.path)
            files, stayed = _moved(project, kept)
    for path in (*back, *files):
        typer.echo(printable(path))
    for place in stayed:
        typer.echo(f"not brought back, look yourself: {printable(place, 1000)}", err=True)
    _tell(kept, back, files)
    return ExitCode.OK


def _tell(kept: Kept, back: Sequence[str], files: Sequence[str]) -> None:
    if not back and not files:
        typer.echo(f"nothing of {_name(kept)} is missing here", err=True)
        return
    more = f", and {plural(len(files), 'file')} that no commit takes up" if files else ""
    typer.echo(f"{_name(kept)} is back: {plural(len(back), 'file')}, staged{more}", err=True)
    if back:
        hint = "commit it, or put it away (git stash): a run does not begin before"
        typer.echo(f"  hint: {hint}", err=True)


def _meant(kept: Sequence[Kept], run: str | None, story: str | None, number: int | None) -> Kept:
    """The attempt that is named, `run` being a story where no run is called so. Raises RalphError."""
    if not kept:
        raise RalphError("nothing is kept of any attempt here", "prd-ralph run")
    if run is not None and run not in {each.run for each in kept}:
        if number is not None or not (story or "0").isdecimal():
            raise RalphError(f"nothing is kept of a run {run}", f"there are: {_listed(each.run for each in kept)}")
        run, story, number = None, run, int(story) if story else None
    of_run = [each for each in kept if run in (None, each.run)]
    stories = list(dict.fromkeys(each.story for each in of_run))
    if story is None and len(stories) > 1:
        raise RalphError("which story?", f"there are: {_listed(map(unquote, stories))}")
    of_story = [each for each in of_run if story is None or each.story == encode_story(story)]
    if not of_story:
        raise RalphError(f"nothing is kept of a story {story}", f"there are: {_listed(map(unquote, stories))}")
    newest = of_story[-1].run
    found = next((each for each in reversed(of_story) if number == each.number), None)
    if number is not None and found is None:
        raise RalphError(f"nothing is kept of an attempt {number}", f"there are: {_listed(_numbers(of_story))}")
    return found or [each for each in of_story if each.run == newest][-1]


def _numbers(kept: Sequence[Kept]) -> Iterator[str]:
    return (str(number) for number in sorted(each.number for each in kept))


def _listed(names: Iterator[str]) -> str:
    every = list(dict.fromkeys(names))
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return printable(", ".join(every[-_SHOWN:]), 4000) + more


def _name(kept: Kept) -> str:
    return f"{printable(unquote(kept.story))} attempt {kept.number}"


def _memory(project: Project) -> tuple[str, ...]:
    """prd.json and progress.txt; where there is no prd.json now, those at the root."""
    try:
        return memory_of(project, project.prd_file())[1]
    except RalphError:
        return ("prd.json", "progress.txt")


def _refuse_current(git: Git) -> None:
    current = read_current(git)
    if current is not None:
        story = current.key.story
        raise BlockedError(
            f"the work of {story} attempt {current.key.number} lies in the tree",
            f"`prd-ralph run` goes on with it, `prd-ralph reset {story}` sets it aside",
        )


def _moved(project: Project, kept: Kept) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was moved to the state folder when the attempt was set aside: by its own run, or by a later one."""
    came: list[str] = []
    stayed: list[str] = []
    for folder in project.state.runs():
        back, there = bring_files(project.root, folder.path / "moved", _set_aside(folder, kept))
        came += back
        stayed += there
    return tuple(came), tuple(stayed)


def _set_aside(folder: RunFolder, kept: Kept) -> list[str]:
    """What a run's ledger says that it moved away, of this attempt; an agent can write there."""
    if folder.run_id < kept.run:
        return []
    said = (
        record.get("moved")
        for record in read(folder.events)[0]
        if record["kind"] == "set_aside"
        and encode_story(str(record.get("story"))) == kept.story
        and record.get("attempt") == kept.number
    )
    return [path for each in said if isinstance(each, list) for path in each if isinstance(path, str)]
