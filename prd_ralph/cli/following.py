"""A file that another process still writes to, read as it grows."""

import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_PAUSE_S = 0.2
_CHUNK = 64 << 10


def growing(path: Path, is_over: Callable[[], bool]) -> Iterator[bytes]:
    """What is in the file, then what comes, until `is_over` and all has been read. It need not be there yet."""
    position = 0
    while True:
        over = is_over()  # asked before the last look, so that nothing written meanwhile is missed
        while chunk := _read(path, position):
            position += len(chunk)
            yield chunk
        if over:
            return
        time.sleep(_PAUSE_S)


def _read(path: Path, position: int) -> bytes:
    """Of a regular file alone: an agent may have put a FIFO there, or a link to what has no end."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        return os.pread(handle, _CHUNK, position) if is_file else b""
    finally:
        os.close(handle)
