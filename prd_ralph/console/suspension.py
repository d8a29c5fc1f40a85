"""Ctrl-Z and Ctrl-\\, for a program that has the terminal's other screen."""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

_TAKEN = (signal.SIGTSTP, signal.SIGQUIT)


class Suspension:
    """While it is on, `step_aside` is called by the main thread before the process stops or quits; it calls `suspend`.

    Where a signal is ignored, as by some shells, or not ours to take, nothing is changed.
    """

    def __init__(self, step_aside: Callable[[int], None]) -> None:
        self._step_aside = step_aside
        self._on: tuple[signal.Signals, ...] = ()

    def begin(self) -> None:
        """Takes the signals over, where theirs is the default."""
        if threading.current_thread() is threading.main_thread():
            self._on = tuple(number for number in _TAKEN if signal.getsignal(number) is signal.SIG_DFL)
        for number in self._on:
            signal.signal(number, self._asked)

    def suspend(self, number: int) -> None:
        """Does what the signal does by default; returns when a process that it stopped is continued."""
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._asked)

    def end(self) -> None:
        """Gives the signals back."""
        for number in self._on:
            signal.signal(number, signal.SIG_DFL)
        self._on = ()

    def _asked(self, number: int, _frame: FrameType | None) -> None:
        self._step_aside(number)
