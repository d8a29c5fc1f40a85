"""A terminal as a person sees it: a pty with a program on it, and what its two screens show."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from tests.support.waiting import until

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
_HISTORY = 1000


class Terminal:
    """`main` is the screen with the shell's history (as high as all that it has held), `board` the other one."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.master, self.slave = pty.openpty()
        self.raw = self._held = b""
        self.is_on_board = False
        self._board = pyte.Screen(columns, rows)
        self._main = pyte.Screen(columns, _HISTORY)
        self._streams = {True: pyte.ByteStream(self._board), False: pyte.ByteStream(self._main)}
        self.resize(columns, rows)
        self._at_first = self._settings()

    def resize(self, columns: int, rows: int) -> None:
        """As a window that is drawn larger; what stood there stays, as junk."""
        self._board.resize(rows, columns)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self) -> None:
        """Takes up what has been written."""
        while select.select((self.master,), (), (), 0)[0]:
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:  # the last process that had it is gone
                return
            if not data:
                return
            self._feed(data)

    @property
    def board(self) -> list[str]:
        return [line.rstrip() for line in self._board.display]

    @property
    def main(self) -> str:
        return "\n".join(line.rstrip() for line in self._main.display).rstrip()

    @property
    def is_whole(self) -> bool:
        """The main screen, with a cursor, and wrapping as ever."""
        hidden = self._board.cursor.hidden or self._main.cursor.hidden
        wraps = all(pyte.modes.DECAWM in screen.mode for screen in (self._board, self._main))
        return not self.is_on_board and not hidden and wraps and self._settings() == self._at_first

    def shows(self, holds: Callable[[], bool], what: str) -> None:
        """Waits until what is on the screens is so."""

        def looked() -> bool:
            self.read()
            return holds()

        until(looked, what)

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def close(self) -> None:
        os.close(self.master)

    def _settings(self) -> Sequence[object]:
        return termios.tcgetattr(self.master)

    @contextmanager
    def running(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
        """The program with this as its controlling terminal."""
        with subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _feed(self, data: bytes) -> None:
        """Each part to the screen that it is for; the sequence itself too, with the modes around it."""
        self.raw += data
        data = self._held + data
        self._held = next((tail for size in range(len(ENTER) - 1, 0, -1) if _is_cut(tail := data[-size:])), b"")
        data = data.removesuffix(self._held)
        while data:
            switch = LEAVE if self.is_on_board else ENTER
            part, found, data = data.partition(switch)
            self._streams[self.is_on_board].feed(part)
            if found:
                self.is_on_board = not self.is_on_board


def _is_cut(tail: bytes) -> bool:
    return any(tail != switch and switch.startswith(tail) for switch in (ENTER, LEAVE))
