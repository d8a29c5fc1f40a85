"""The machine's clock."""

import time


class SystemClock:
    """The Clock port."""

    def monotonic(self) -> float:
        """Seconds that never go back and stand still while the machine sleeps."""
        return time.monotonic()

    def now(self) -> str:
        """UTC as `2031-03-01T08:00:00Z`."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
