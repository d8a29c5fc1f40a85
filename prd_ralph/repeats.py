"""The same call again and again: how often in a row an agent has made one, and what that calls for. Pure.

Only what acts counts, and only where its whole input was seen: of two scripts that begin alike, or of a file that is
read in parts, nothing can be said. Reading and asking how something stands is neither counted nor in the way.
"""

from dataclasses import dataclass
from enum import StrEnum

from prd_ralph.model import AgentAction

LOOP = "loop"
"""The reason of an attempt that was ended for it."""


class Remark(StrEnum):
    """What a series calls for."""

    WARN = "warn"
    END = "end"


@dataclass(frozen=True, slots=True)
class Series:
    """`text` is the call as the agent's stream words it; `times`: so often in a row. 0 times: there is none."""

    tool: str = ""
    signature: str | None = None
    text: str = ""
    times: int = 0

    def after(self, action: AgentAction) -> "Series":
        """With one more thing that the agent was seen to do; the same value where that does not count."""
        call = action.call
        if call is None or not (call.acts or call.edits):
            return self
        if call.signature is None:  # it may have changed anything
            return Series()
        times = self.times + 1 if call.signature == self.signature else 1
        return Series(call.tool, call.signature, action.text, times)


@dataclass(frozen=True, slots=True)
class LoopGuard:
    """`warn`, `end`: so many of the very same call in a row; 0 is never."""

    warn: int
    end: int

    def remark(self, before: Series, now: Series) -> Remark | None:
        """What the newest call makes of its series: each remark is made once a series, at the call that brings it."""
        if now == before:
            return None
        if self.end and now.times == self.end:
            return Remark.END
        return Remark.WARN if self.warn and now.times == self.warn else None
