"""Another prd-ralph's process, asked to end as by Ctrl-C."""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

NAP_S = 0.1


def ask_to_end(pid: int, start: int | None) -> bool:
    """Sends TERM to the process, if it is still the one that began at `start` (clock ticks since boot; None: unknown).

    On Linux by a handle that no later process with the same pid can come by. Raises PermissionError.
    """
    try:
        handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None
    except ProcessLookupError:
        return False
    try:
        if start is not None and start_ticks(pid) != start:
            return False
        if handle is None:
            os.kill(pid, signal.SIGTERM)
        else:
            signal.pidfd_send_signal(handle, signal.SIGTERM)
    except ProcessLookupError:
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True


def start_ticks(pid: int) -> int | None:
    """Field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. None where it cannot be had."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    return None


def gone_within(seconds: float, is_gone: Callable[[], bool]) -> bool:
    """Waits until `is_gone`, so long at most; whether it is."""
    deadline = time.monotonic() + seconds
    while not (gone := is_gone()) and time.monotonic() < deadline:
        select.select([], [], [], NAP_S)
    return gone
