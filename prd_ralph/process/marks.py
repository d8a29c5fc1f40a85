"""The second net: processes known by a mark in their environment, for the next start and a lost supervisor.

It misses those that were started with an empty environment or that wrote over theirs, and nearly all on macOS.
"""

import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING

from prd_ralph.model import MARK_VARIABLE

if TYPE_CHECKING:
    import psutil

REST_S = 1.0
LIMIT_S = 5.0
NAP_S = 0.01


def own_marks(value: str) -> frozenset[str]:
    """The marks in `value` that are not those of a prd-ralph above this one."""
    return frozenset(value.split(":")) - frozenset(os.environ.get(MARK_VARIABLE, "").split(":")) - {""}


def end_marked(marks: frozenset[str], spared: frozenset[int]) -> int:
    """Ends all that carry one of `marks`, but this process, its ancestors and `spared`; how many there were.

    TERM first, KILL a second later; looks again until nothing is found, for at most five seconds.
    """
    if not (marks := marks - {""}):
        return 0
    import psutil

    spared |= {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    ended: set[psutil.Process] = set()
    deadline = time.monotonic() + LIMIT_S
    while (found := _marked(marks, spared)) and time.monotonic() < deadline:
        _end(found)
        ended.update(found)
    return len(ended)


def _marked(marks: frozenset[str], spared: frozenset[int]) -> list["psutil.Process"]:
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            value = process.environ().get(MARK_VARIABLE, "")
        # SystemError: seen on macOS for processes that are about to go.
        except (psutil.Error, OSError, SystemError):
            continue
        if process.pid not in spared and marks & set(value.split(":")) and _lives(process):
            found.append(process)
    return found


def _end(processes: list["psutil.Process"]) -> None:
    # A stopped process keeps TERM pending until it is told to go on.
    for numbers in ((signal.SIGTERM, signal.SIGCONT), (signal.SIGKILL,)):
        for process in processes:
            _send(process, *numbers)
        deadline = time.monotonic() + REST_S
        while any(map(_lives, processes)) and time.monotonic() < deadline:
            time.sleep(NAP_S)


def _send(process: "psutil.Process", *numbers: signal.Signals) -> None:
    """psutil compares the start time before it sends, so a pid that was given out again is safe."""
    import psutil

    with contextlib.suppress(psutil.Error):
        for number in numbers:
            process.send_signal(number)


def _lives(process: "psutil.Process") -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
