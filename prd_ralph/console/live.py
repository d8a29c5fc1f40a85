"""The board on a terminal, while a run goes on: told by the run, drawn by a thread of its own."""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from prd_ralph import events
from prd_ralph.console.board import draw
from prd_ralph.console.board_state import NO_HINT, BoardState, Hint
from prd_ralph.console.lines import ConsoleLines
from prd_ralph.console.paint import painter
from prd_ralph.console.screen import Screen
from prd_ralph.console.suspension import Suspension
from prd_ralph.model import AgentAction

FRAME_S = 0.125
"""The least time between two pictures; a change of the terminal's size is seen as fast."""

_LAST_FRAME_S = 2.0


class LiveBoard:
    """A View. What is said before and after stands on the person's own screen, as plain lines.

    The run only ever replaces a value; it waits for no terminal. Where the terminal goes away, or the drawing
    fails, what is still to be said is said in plain lines.
    """

    def __init__(
        self,
        stream: TextIO,
        env: Mapping[str, str],
        lines: ConsoleLines,
        hint: Callable[[], Hint] = lambda: NO_HINT,
    ) -> None:
        self._lines = lines
        self._hint = hint
        self._paint = painter(colour=not env.get("NO_COLOR"))
        self._screen = Screen(stream.fileno())
        self._board = BoardState()
        self._over = threading.Event()
        self._painting = threading.Lock()
        self._thread = threading.Thread(target=self._draw_until_over, name="board", daemon=True)
        self._suspension = Suspension(self._step_aside)
        self._started = False

    def emit(self, event: events.RunEvent, ago_s: float = 0.0) -> None:
        """Shows the event on the board, or in lines where the board is not on."""
        self._board = self._board.after(event, time.monotonic() - ago_s)
        if isinstance(event, events.RunFinished):
            self.close()
        if self._started and not self._over.is_set():
            if self._thread.is_alive():
                self._lines.remember(event)
                return
            self.close()
        self._lines.emit(event)
        if isinstance(event, events.RunStarted) and not self._started:
            self._start()

    def action(self, action: AgentAction) -> None:
        """Shows what the agent was seen to do, for as long as there is room for it."""
        self._board = self._board.seen(action)

    def close(self) -> None:
        """Leaves the board, and says which warnings were given on it."""
        if not self._started or self._over.is_set():
            return
        self._over.set()
        self._thread.join(_LAST_FRAME_S)
        self._suspension.end()
        if self._board.forgotten:
            self._lines.emit(events.Warned(message=f"{self._board.forgotten} warnings before these: in the ledger"))
        for caution in self._board.warnings:
            self._lines.emit(events.Warned(message=caution.message, story=caution.story or None))

    def _start(self) -> None:
        """Signals stay the main thread's: it is the one that waits for them."""
        self._started = True
        self._suspension.begin()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _draw_until_over(self) -> None:
        """Draws what is new, and all of it each second: what was typed meanwhile is painted over."""
        drawn: _Picture | None = None
        with suppress(OSError):  # the terminal is gone
            try:
                while not self._over.wait(FRAME_S):
                    with self._painting:
                        drawn = self._draw(drawn)
            finally:
                self._screen.leave()

    def _draw(self, drawn: "_Picture | None") -> "_Picture | None":
        if not self._screen.is_ours():
            return None
        now = time.monotonic()
        new = _Picture(self._board, self._screen.size(), int(now), self._hint())
        if new != drawn:
            width, height = new.size
            rows = draw(new.board, width, height, now, new.hint)
            self._screen.paint(self._paint(rows), new.size, whole=drawn is None or drawn.second != new.second)
        return new

    def _step_aside(self, number: int) -> None:
        """Ctrl-Z: the shell gets its screen back. The next picture takes it again, once this is in front again."""
        if self._painting.acquire(timeout=_LAST_FRAME_S):
            try:
                with suppress(OSError):
                    self._screen.leave()
                self._suspension.suspend(number)
            finally:
                self._painting.release()


@dataclass(frozen=True, slots=True)
class _Picture:
    """What makes one picture differ from the next."""

    board: BoardState
    size: tuple[int, int]
    second: int
    hint: Hint

    def __eq__(self, other: object) -> bool:
        """By the identity of the board: every change makes a new one."""
        if not isinstance(other, _Picture):
            return False
        ours, theirs = (self.size, self.second, self.hint), (other.size, other.second, other.hint)
        return self.board is other.board and ours == theirs
