"""What all events have in common."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """Base of all events; `kind` is the word in the ledger."""

    kind: ClassVar[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvent(RunEvent):
    """An event of one attempt (numbered per story over all runs)."""

    story: str
    attempt: int
