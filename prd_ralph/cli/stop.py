"""`prd-ralph stop`: asks the run that is going on to end after its iteration, or at once."""

from typing import Annotated

import typer

from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.recorded import facts_of, goes_on
from prd_ralph.cli.supervise import watcher
from prd_ralph.errors import BlockedError, ExitCode
from prd_ralph.process.holder import ask_to_end, gone_within
from prd_ralph.state import LockHolder

SHORT = "Ask a run to end."
EXAMPLE = "Example: prd-ralph stop --now"

GRACE_S = 60.0


def command(
    now: Annotated[bool, typer.Option("--now", help="End the attempt that is going on too, as Ctrl-C does.")] = False,
) -> int:
    """Ask the run that is going on to end after its current iteration, or at once.

    Nothing is lost either way: prd-ralph run goes on from where it was.
    """
    project = open_project({})
    (tree, holder), above = project.at_work, project.state.read_lock(watcher(project))
    if holder is None and above is None:
        typer.echo("no run is going on here", err=True)
        return ExitCode.UNFINISHED
    if now:
        return _end(project, holder, above)
    for name in {tree, project.worktree} if above else {tree}:
        project.state.request_stop(name)
    said = f"the run ({holder}{', supervised' if above else ''})" if holder else f"the supervised run ({above})"
    typer.echo(f"asked {said} to end after its current iteration", err=True)
    return ExitCode.OK


def _end(project: Project, holder: LockHolder | None, above: LockHolder | None) -> int:
    """By TERM: to the run itself, or to who is about to start it again. Waits until it has ended."""
    if holder is not None and above is None and not _is_run(project, holder):
        typer.echo(f"what is at work here ({holder}) is no run: it is left alone", err=True)
        return ExitCode.UNFINISHED
    asked = above if above is not None else holder
    assert asked is not None, "somebody holds one of the two"
    try:
        told = asked.pid is not None and ask_to_end(asked.pid, asked.start)
    except PermissionError as error:
        raise BlockedError(f"the run ({asked}) cannot be signalled: {error.strerror}", "stop it as its owner") from None
    if not told:
        typer.echo(f"the process of the run ({asked}) is not to be found from here", err=True)
        return ExitCode.UNFINISHED
    if not gone_within(GRACE_S, lambda: _have_ended(project, holder, above)):
        typer.echo(f"the run ({asked}) was asked to end, and has not within {GRACE_S:g}s: it may be landing", err=True)
        return ExitCode.UNFINISHED
    typer.echo(f"the run ({asked}) has ended; prd-ralph run goes on from where it was", err=True)
    return ExitCode.OK


def _is_run(project: Project, holder: LockHolder) -> bool:
    """A run signs with its id; one that is still starting has not yet."""
    return bool(holder.run) or any(goes_on(holder, facts_of(run)) for run in project.state.runs()[:1])


def _have_ended(project: Project, holder: LockHolder | None, above: LockHolder | None) -> bool:
    return (holder is None or project.holder != holder) and (
        above is None or project.state.read_lock(watcher(project)) != above
    )
