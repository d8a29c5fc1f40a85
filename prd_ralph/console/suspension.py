"""Ctrl-Z, for a program that has the terminal's other screen."""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType


class Suspension:
    """While it is on, `step_aside` is called by the main thread before the process stops; it calls `suspend`.

    Where the signal is ignored, as by some shells, or not ours to take, nothing is changed.
    """

    def __init__(self, step_aside: Callable[[], None]) -> None:
        self._step_aside = step_aside
        self._on = False

    def begin(self) -> None:
        """Takes the signal over, where that is the default."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._asked)
            self._on = True

    def suspend(self) -> None:
        """Stops this process; returns when it is continued."""
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._asked)

    def end(self) -> None:
        """Gives the signal back."""
        if self._on:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            self._on = False

    def _asked(self, _number: int, _frame: FrameType | None) -> None:
        self._step_aside()
