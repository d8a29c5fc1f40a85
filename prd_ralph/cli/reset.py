"""`prd-ralph reset`: a story is open again, and what an attempt at it left in the tree is set aside."""

from typing import Annotated

import typer

from prd_ralph import events
from prd_ralph.cli.options import Prd
from prd_ralph.cli.preparation import memory_of
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.verify import not_committed
from prd_ralph.cli.wire import emitter
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import AttemptKey
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.state import RunFolder
from prd_ralph.workspace.facade import GitWorkspace
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.refs import attempt_ref, read_current

SHORT = "Open a story again."
EXAMPLE = "Example: prd-ralph reset US-002"


def command(
    story_id: Annotated[str, typer.Argument(metavar="ID", help="The story.")],
    prd: Prd = None,
) -> int:
    """Set a story's flag back to false, end a person's word for it, and set aside what its last attempt left in the
    tree (its ref holds it).
    """
    project = open_project({"prd": prd})
    prd_file = project.prd_file()
    with project.state.lock(project.worktree):
        document = prd_file.load()
        try:
            story = document.prd.story(story_id)
        except KeyError:
            known = ", ".join(each.id for each in document.prd.stories)
            raise RalphError(f"no story {story_id}", f"there are: {known}") from None
        aside = _set_aside(project, prd_file, story.id)
        if story.passes:
            data = prd_file.read() or document.data
            prd_file.write(prd_file.flipped(data, story.id, False), data)
            typer.echo(f"{story.id}: passes is false again", err=True)
            typer.echo(not_committed(prd_file), err=True)
        if not aside and not story.passes:
            typer.echo(f"{story.id} is open and has nothing in the tree: nothing to do", err=True)
    return ExitCode.OK


def _record(project: Project, key: AttemptKey, moved: tuple[str, ...]) -> None:
    """In the attempt's run, as if that had done it: `restore` finds there what was moved away."""
    emit = emitter(RunFolder(project.state, key.run), (), project.mask, project.clock)
    emit(events.SetAside(story=key.story, attempt=key.number, moved=moved, ref=attempt_ref(key)))


def _set_aside(project: Project, prd_file: JsonPrdFile, story_id: str) -> bool:
    with SupervisedProcesses(StopSignals()) as processes:
        git = Git(processes, project.root, project.env)
        current = read_current(git)
        if current is None or current.key.story != story_id:
            return False
        if not current.ended:
            raise RalphError(
                f"the last run was killed during {story_id} attempt {current.key.number}",
                "prd-ralph run takes it up and checks it first",
            )
        state = project.state.runs_path / current.key.run
        workspace = GitWorkspace(git, state, *memory_of(project, prd_file), current.base, None)
        if workspace.resume(current):  # what the person changed since is kept under its ref as well
            workspace.keep(current.key, workspace.freeze(), None)
        moved = workspace.set_aside(current.key)
    _record(project, current.key, moved)
    typer.echo(f"{story_id}: its work is set aside, {attempt_ref(current.key)} holds it", err=True)
    for path in moved:
        typer.echo(f"  moved to the state folder: {path}", err=True)
    return True
