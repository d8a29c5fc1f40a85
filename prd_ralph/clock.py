"""The machine's clock."""

import math
import select
import time
from collections.abc import Callable


class SystemClock:
    """The Timer port. `wake`: a file descriptor that becomes readable when no sleep is to go on.

    A long sleep calls `beat` every `every_s` seconds.
    """

    def __init__(
        self, wake: int | None = None, beat: Callable[[], None] | None = None, every_s: float = math.inf
    ) -> None:
        self._wake = wake
        self._beat = beat
        self._every_s = every_s

    def monotonic(self) -> float:
        """Seconds that never go back and stand still while the machine sleeps."""
        return time.monotonic()

    def now(self) -> str:
        """UTC as `2031-03-01T08:00:00Z`."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def unix(self) -> float:
        """Unix time: goes on while the machine sleeps, and may be set."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Waits so long; less where a signal comes."""
        ends, wake = time.monotonic() + seconds, [] if self._wake is None else [self._wake]
        while (left := ends - time.monotonic()) > 0:
            if select.select(wake, [], [], min(left, self._every_s))[0]:
                return
            if self._beat is not None:
                self._beat()
