"""`prd-ralph run --supervised`, the process that watches: it starts the run, and again when that dies or freezes.

It knows nothing of stories. What the run has done and spent stands in its ledger, what lies in the tree in git.
"""

import select
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import replace

import typer

from prd_ralph.cli.faults import fault_of
from prd_ralph.cli.project import Project
from prd_ralph.console import duration
from prd_ralph.console.screen import rescue
from prd_ralph.errors import BlockedError
from prd_ralph.process import StopSignals
from prd_ralph.process.bond import Bond
from prd_ralph.process.ward import Ward, watch_over_orphans
from prd_ralph.state import SUPERVISOR
from prd_ralph.supervision import FROZEN_S, IN_A_ROW, PAUSE_S, Death, Restarts

# Seams for tests, and for machines where all takes longer.
FROZEN, PAUSE = "PRD_RALPH_FROZEN_S", "PRD_RALPH_PAUSE_S"
_LOOK_S = 0.5


def supervise(project: Project) -> int:
    """Runs this very command line again, watched over; the exit code of the run.

    Ends by the signal that ended the run. Raises BlockedError (exit 3) where it dies again and again.
    """
    signals = StopSignals()
    signals.install()
    with project.state.lock(watcher(project)):
        watch_over_orphans()
        death = _see_through(project, signals)
    if death is None or death.code < 0:
        signals.end_by(signals.signal or (-death.code if death else signal.SIGTERM))
    return death.code


def watcher(project: Project) -> str:
    """The name of the lock that is held while a supervised run has a process, and while it waits for the next one."""
    return f"{project.worktree}{SUPERVISOR}"


def _see_through(project: Project, signals: StopSignals) -> Death | None:
    """How the run ended; None where the person ended it while it was dead."""
    frozen_s, pause_s = _seconds(project.env, FROZEN, FROZEN_S), _seconds(project.env, PAUSE, PAUSE_S)
    argv = [sys.executable, *sys.orig_argv[1:]]
    bond, restarts = Bond(-1, frozen_s, time.monotonic()), Restarts()
    while True:
        ward = Ward(argv, fault_of(project.env, restarts.times), bond, frozen_s)
        death = ward.watch(signals)
        if death.is_end and not death.is_bug:
            return replace(death, code=death.final_code)
        rescue(sys.stderr.fileno())
        ward.clear(signals)
        if signals.signal is not None:
            return None
        restarts = restarts.after(death)
        if restarts.are_too_many:
            raise _given_up(death, restarts)
        wait_s = restarts.pause_s(pause_s)
        typer.echo(f"the run has ended without a word ({death}): it is started again in {duration(wait_s)}", err=True)
        if not _pause(project, signals, wait_s):
            return None
        bond = replace(bond, run=ward.run, times=restarts.times, why=str(death))


def _pause(project: Project, signals: StopSignals, seconds: float) -> bool:
    """Whether to go on. A wish to stop ends the pause: the run itself comes to its end, as it does at any time."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0 and not project.state.stop_requested(project.worktree):
        if select.select([signals.fd], [], [], min(left, _LOOK_S))[0]:
            return False
    return True


def _given_up(death: Death, restarts: Restarts) -> BlockedError:
    if death.is_bug:
        return BlockedError("a bug in prd-ralph ended the run again", "report it, with the log that is named above")
    return BlockedError(
        f"the run died {restarts.in_a_row} times in a row before an agent had come to its end; the last time: {death}",
        f"see why (memory? the system's log), then run again: it goes on; after {IN_A_ROW} nothing is tried any more",
    )


def _seconds(env: Mapping[str, str], name: str, default: float) -> float:
    try:
        return max(0.01, float(env[name]))
    except (KeyError, ValueError):
        return default
