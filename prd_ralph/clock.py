"""The machine's clock."""

import select
import time


class SystemClock:
    """The Timer port. `wake`: a file descriptor that becomes readable when no sleep is to go on."""

    def __init__(self, wake: int | None = None) -> None:
        self._wake = wake

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
        if self._wake is None:
            time.sleep(seconds)
        else:
            select.select([self._wake], [], [], seconds)
