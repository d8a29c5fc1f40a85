"""A file that another process still writes to, read as it grows."""

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
    try:
        with path.open("rb") as file:
            file.seek(position)
            return file.read(_CHUNK)
    except OSError:
        return b""
