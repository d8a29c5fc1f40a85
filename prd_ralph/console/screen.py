"""A terminal's other screen, painted row by row, and left as it was found."""

import errno
import os
import select
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest

# ECMA-48, and xterm's private modes: 1049 the other screen, 25 the cursor, 7 wrapping at the right edge.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
_LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
_CLEAR = "\x1b[2J"
_HOME = "\x1b[H"
_PATIENCE_S = 1.0


def rescue(fd: int) -> None:
    """Gives a terminal back that a program which was killed had; where `fd` is none, or is gone, nothing is done."""
    with suppress(OSError):
        if os.isatty(fd):
            os.write(fd, _LEAVE.encode())


class Screen:
    """The terminal behind `fd`. Every method may raise OSError: the terminal is gone.

    The terminal's settings are not touched: what is typed is still echoed, and painted over.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._open = False
        self._size = (0, 0)
        self._shown: Sequence[str] = ()

    def is_ours(self) -> bool:
        """Whether nobody else is in front on it: with `&` and `bg` it is the shell's, which is typed into."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError as error:
            if error.errno != errno.ENOTTY:
                raise
            return True  # it controls no process of ours

    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 × 24 where the terminal does not know."""
        columns, rows = os.get_terminal_size(self._fd)
        return (columns or 80, rows or 24)

    def paint(self, rows: Sequence[str], size: tuple[int, int], whole: bool = False) -> None:
        """Shows the rows from the top, with nothing below; those that are as before only if `whole`."""
        start = "" if self._open else _ENTER
        if not self._open or size != self._size:
            start, whole, self._shown = f"{start}{_CLEAR}", True, ()
        changed = [
            f"\x1b[{place};1H\x1b[2K{row}"
            for place, (row, before) in enumerate(zip_longest(rows, self._shown, fillvalue=""), 1)
            if whole or row != before
        ]
        self._open, self._size, self._shown = True, size, tuple(rows)
        if start or changed:
            self._write(start + "".join(changed) + _HOME)

    def leave(self) -> None:
        """Back to the screen of before, once."""
        if self._open:
            self._open = False
            self._write(_LEAVE)

    def _write(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:  # somebody else made it so
                if not select.select((), (self._fd,), (), _PATIENCE_S)[1]:
                    raise OSError(errno.EIO, "the terminal takes no more") from None
