"""git's `index.lock`: while it is there, another git process is at work."""

from collections.abc import Callable
from pathlib import Path

from prd_ralph.errors import BlockedError

_TRIES = 20
_PAUSE_S = 0.1


def is_free(lock: Path, pause: Callable[[float], object]) -> bool:
    """Waits briefly for it to go."""
    for _ in range(_TRIES):
        if not lock.exists():
            return True
        pause(_PAUSE_S)
    return not lock.exists()


def taken(lock: Path) -> BlockedError:
    """The error to be raised where it stays."""
    return BlockedError(
        f"{lock} exists: another git process is at work",
        "wait until it has ended, or remove the file where none runs, and run again",
    )
