"""What the closing summary needs to remember of the events before it."""

from dataclasses import dataclass, field

from prd_ralph.console.spent import Spent
from prd_ralph.events import (
    AfterLanding,
    AgentFinished,
    CheckFinished,
    IterationStarted,
    LandedEvent,
    RunEvent,
    RunStarted,
)


@dataclass(slots=True)
class Seen:
    """By story: `failing`, the failed commands of its last attempt; `attempts`, that one's number; `errors`, what its
    agent failed with; `spent`, what all of them took. `undone`: what failed after a landing; a later push makes good.
    """

    base: str = ""
    commits: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    failing: dict[str, list[CheckFinished]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    agent: AgentFinished | None = None
    undone: dict[tuple[str, str], AfterLanding] = field(default_factory=dict)
    worktree: str = ""

    def add(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.base = event.base
                self.worktree = event.worktree
            case IterationStarted():
                self.attempts[event.story] = event.attempt
                self.failing[event.story] = []
                self.agent = None
            case AgentFinished():
                self.agent = event
                self.errors[event.story] = event.error
                self.spent[event.story] = self.spent.get(event.story, Spent()).plus(event)
            case CheckFinished() if event.status != "passed":
                self.failing.setdefault(event.story, []).append(event)
            case LandedEvent():
                self.commits[event.story] = event.commit
                self.failing[event.story] = []
            case AfterLanding():
                key = (event.what, "" if event.what == "push" else event.story)
                self.undone.pop(key, None)
                if event.error:
                    self.undone[key] = event
            case _:
                pass
