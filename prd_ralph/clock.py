"""The machine's clock, and one for tests whose sleeps take no time."""

import math
import select
import time
from collections.abc import Callable, Mapping

VARIABLE = "PRD_RALPH_CLOCK"
_FAST = "fast"


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
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.unix()))

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

    def woken_by(self, fd: int, beat: Callable[[], None] | None = None, every_s: float = math.inf) -> "SystemClock":
        """The same clock, whose sleeps end when `fd` becomes readable, and beat."""
        return SystemClock(fd, beat, every_s)


class FastClock(SystemClock):
    """For tests: a sleep takes no time, and whatever it is asked for has moved on by as much."""

    def __init__(self) -> None:
        super().__init__()
        self._slept = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self._slept

    def unix(self) -> float:
        return super().unix() + self._slept

    def sleep(self, seconds: float) -> None:
        self._slept += max(0.0, seconds)

    def woken_by(self, fd: int, beat: Callable[[], None] | None = None, every_s: float = math.inf) -> "FastClock":
        return self


def clock_of(env: Mapping[str, str]) -> SystemClock:
    """The machine's clock; with `PRD_RALPH_CLOCK=fast` (tests, bug reports) the one whose sleeps take no time."""
    return FastClock() if env.get(VARIABLE) == _FAST else SystemClock()
