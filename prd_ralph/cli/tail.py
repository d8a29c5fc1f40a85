"""A file that another process writes to, read on from where it was left."""

import os
import stat
from pathlib import Path

_CHUNK = 1 << 20


class Tail:
    """Reads what has been added. A file that is not there has nothing yet; one that was replaced is begun anew.

    It is only read: no link is followed, and nothing that is no file is waited for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self._inode: int | None = None

    def skip_to_last(self, count: int) -> bool:
        """Leaves out all but the last `count` bytes; whether anything was."""
        try:
            size = self._path.stat().st_size
        except OSError:
            return False
        self._position = max(self._position, size - count)
        return size > count

    def read(self) -> bytes:
        """The next piece; empty where there is no more for now."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return b""
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                return b""
            if self._inode not in (None, found.st_ino) or found.st_size < self._position:
                self._position = 0
            self._inode = found.st_ino
            data = os.pread(handle, _CHUNK, self._position)
        except OSError:
            return b""
        finally:
            os.close(handle)
        self._position += len(data)
        return data
