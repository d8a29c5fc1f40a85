"""A file that another process still writes to, followed to its end."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from prd_ralph.cli.tail import Tail

_PAUSE_S = 0.2


def growing(path: Path, is_over: Callable[[], bool]) -> Iterator[bytes]:
    """What is in the file, then what comes, until `is_over` and all has been read. It need not be there yet."""
    tail = Tail(path)
    while True:
        over = is_over()  # asked before the last look, so that nothing written meanwhile is missed
        while chunk := tail.read():
            yield chunk
        if over:
            return
        time.sleep(_PAUSE_S)
