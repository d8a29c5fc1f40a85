"""The signals that the person sends: recorded, and told to every poll loop."""

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """INT, TERM and HUP since the start. The first asks for an end, the second insists.

    `fd` becomes readable with the first signal and `insist_fd` with the second; both stay so, for nobody reads
    them: every poll loop, in any thread, wakes. Usable without `install`, by `record`.
    """

    def __init__(self) -> None:
        self._first: int | None = None
        self._own = self._told = self._count = 0
        self.fd, self._ask = os.pipe()
        self.insist_fd, self._insist = os.pipe()

    def install(self) -> None:
        """Takes the signals over; main thread only. A HUP that was ignored (nohup) stays so.

        SIGCHLD and the signal mask are reset: they are inherited, and an ignored SIGCHLD makes failing
        commands look successful.
        """
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in STOPPING:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self.record)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def record(self, number: int, _frame: FrameType | None = None) -> None:
        """Notes a signal; serves as the handler."""
        self._own += 1
        self._note(number)

    def told(self, number: int) -> None:
        """Notes a signal that the process above has got. One that reached both, as from a terminal, counts once."""
        self._told += 1
        self._note(number)

    def _note(self, number: int) -> None:
        count = max(self._own, self._told)
        if count == self._count:
            return
        self._count = count
        if self._count == 1:
            self._first = number
            os.write(self._ask, b"!")
        elif self._count == 2:
            os.write(self._insist, b"!")

    @property
    def signal(self) -> int | None:
        """The first signal's number, or None."""
        return self._first

    @property
    def count(self) -> int:
        return self._count

    def end_by(self, number: int) -> NoReturn:
        """Ends this process by that signal, so that a shell loop around it ends too.

        Where the signal does not end it (as PID 1 of a container), the exit status is 128 plus its number.
        """
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.kill(os.getpid(), number)
        os._exit(128 + number)

    def close(self) -> None:
        """Gives the file descriptors back; no signal may come any more."""
        for fd in (self.fd, self._ask, self.insist_fd, self._insist):
            os.close(fd)
