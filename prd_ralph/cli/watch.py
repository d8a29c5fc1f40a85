"""`prd-ralph watch`: what a run that goes on elsewhere in this repository is at. It only reads."""

import os
import select
import sys
from collections.abc import Callable
from contextlib import closing

import typer

from prd_ralph.agents.transcript import reader
from prd_ralph.cli.onlooker import Onlooker
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.recorded import facts_of, goes_on
from prd_ralph.cli.supervise import watcher
from prd_ralph.console import Hint, view
from prd_ralph.errors import ExitCode
from prd_ralph.process import StopSignals
from prd_ralph.state import RunFolder

SHORT = "Look on at the run that is going on."
EXAMPLE = "Example: prd-ralph watch"
_PAUSE_MS = 200
_HINT = Hint("Ctrl-C leaves, the run goes on")


def command() -> int:
    """Show the run that is going on here, as it goes on, to its end; on a terminal as the same board.

    It changes nothing: Ctrl-C ends the looking on, not the run.
    """
    project = open_project({})
    run = _going_on(project)
    if run is None:
        typer.echo("no run is going on here", err=True)
        return ExitCode.UNFINISHED
    signals = StopSignals()
    signals.install()
    with closing(view(sys.stdout, project.env, run.run_id, hint=lambda: _HINT)) as shown:
        ended = _look_on(Onlooker(run, shown, reader), _ender(project), signals)
    if signals.signal is not None:
        signals.end_by(signals.signal)
    if not ended:
        typer.echo("the run is gone without a word; prd-ralph run goes on where it stopped", err=True)
        return ExitCode.UNFINISHED
    return ExitCode.OK


def _going_on(project: Project) -> RunFolder | None:
    """The newest run, where it is the one that holds the lock."""
    holder = project.holder
    newest = next(iter(project.state.runs()), None)
    return newest if newest is not None and goes_on(holder, facts_of(newest)) else None


def _ender(project: Project) -> Callable[[], bool]:
    """Whether who held the lock at first holds it no more, and nobody watches over the run and starts it again."""
    holder = project.holder

    def is_over() -> bool:
        return holder is None or project.holder != holder

    return lambda: is_over() and project.state.read_lock(watcher(project)) is None


def _look_on(onlooker: Onlooker, is_over: Callable[[], bool], signals: StopSignals) -> bool:
    """Looks a few times a second, until the run has ended (true), is gone, or nobody looks on any more (true)."""
    poll = select.poll()
    poll.register(signals.fd, select.POLLIN)
    # A reader that goes away is told of; by a file of its own, for then the output itself leads to nowhere.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        poll.register(out, 0)
        while True:
            over = is_over()  # asked before the last look, so that nothing written meanwhile is missed
            if onlooker.look():
                return True
            if over:
                return False
            if poll.poll(_PAUSE_MS):
                return True
