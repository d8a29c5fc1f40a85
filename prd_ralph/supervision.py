"""What becomes of a supervised run whose process has ended: pure decisions.

A run that ended for a reason of its own is over. One that was killed, froze or met a bug of ours is started again,
after a pause, and not for ever.
"""

import signal
from dataclasses import dataclass, replace

from prd_ralph.errors import ExitCode

FROZEN_S = 300.0
PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
IN_A_ROW = 10
BUGS = 1
_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Death:
    """How a process of a run ended. `code`: its exit code, negative for a signal. `said`: the exit code that the run
    had told before it was over, None where it was not. `frozen_s`: it was killed by us, after so many seconds without a
    sign of life. `worked`: an agent came to its end meanwhile; their number is bounded, so the restarts are too.
    """

    code: int
    said: int | None = None
    frozen_s: float | None = None
    worked: bool = False

    @property
    def is_end(self) -> bool:
        """Whether the run is over: it said so, it was refused, or somebody asked its process to end."""
        return self.said is not None or (self.code >= 0 and not self.is_bug) or -self.code in _ASKED

    @property
    def is_bug(self) -> bool:
        return self.code == ExitCode.BUG

    @property
    def final_code(self) -> int:
        """What to end with: what the run said, where its process was killed or frozen on its way out."""
        return self.code if self.said is None or -self.code in _ASKED else self.said

    def __str__(self) -> str:
        if self.frozen_s is not None:
            return f"no sign of life for {self.frozen_s:.0f}s"
        return f"killed by {_name(-self.code)}" if self.code < 0 else f"exit {self.code}"


@dataclass(frozen=True, slots=True)
class Restarts:
    """How often a run was started again; `in_a_row`: without an agent's end in between."""

    times: int = 0
    in_a_row: int = 0
    bugs: int = 0

    def after(self, death: Death) -> "Restarts":
        """With one more."""
        return replace(
            self,
            times=self.times + 1,
            in_a_row=1 if death.worked else self.in_a_row + 1,
            bugs=self.bugs + death.is_bug,
        )

    @property
    def are_too_many(self) -> bool:
        """Whether to give up instead: what dies so often dies of something that starting again does not mend."""
        return self.in_a_row > IN_A_ROW or self.bugs > BUGS

    def pause_s(self, first_s: float = PAUSE_S) -> float:
        """How long to wait before it: `first_s`, then twice as long each time, five minutes at most."""
        return min(first_s * 2.0 ** (max(1, self.in_a_row) - 1), max(first_s, LONGEST_PAUSE_S))


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
