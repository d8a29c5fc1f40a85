"""What the closing summary needs to remember of the events before it."""

from dataclasses import dataclass, field

from prd_ralph.events import (
    AfterLanding,
    AgentFinished,
    Asked,
    CheckFinished,
    IterationStarted,
    Judged,
    LandedEvent,
    Proposed,
    RunEvent,
    RunStarted,
)
from prd_ralph.model import FailureClass
from prd_ralph.proposals import name_of
from prd_ralph.wording.phrases import asked
from prd_ralph.wording.spent import Spent


@dataclass(slots=True)
class Seen:
    """By story: `failing`, the failed commands of its last attempt; `attempts`, that one's number; `errors`, what its
    agent failed with; `needs`, what that wanted of a person; `spent`, what all of them took.

    `proposed`: the titles of stories that agents want added, by their names; `taken_up`: those that are stories now.
    `undone`: what failed after a landing; a later push makes good.
    """

    base: str = ""
    commits: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    failing: dict[str, list[CheckFinished]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    agent: AgentFinished | None = None
    proposed: dict[str, str] = field(default_factory=dict)
    taken_up: set[str] = field(default_factory=set)
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
                self.needs.pop(event.story, None)
                self.agent = None
            case AgentFinished():
                self.agent = event
                self.errors[event.story] = event.error
                self.spent[event.story] = self.spent.get(event.story, Spent()).plus(event)
            case CheckFinished() if event.status != "passed":
                self.failing.setdefault(event.story, []).append(event)
            case Asked():
                self.needs[event.story] = asked(event)
            case Judged() if event.reason == FailureClass.NO_WORK:
                self.errors[event.story] = self.errors.get(event.story) or "no work: it called no tool, changed nothing"
            case LandedEvent():
                self.commits[event.story] = event.commit
                self.failing[event.story] = []
            case Proposed():
                self._propose(event)
            case AfterLanding():
                key = (event.what, "" if event.what == "push" else event.story)
                self.undone.pop(key, None)
                if event.error:
                    self.undone[key] = event
            case _:
                pass

    def _propose(self, event: Proposed) -> None:
        """What is taken up waits for nobody, though an agent may ask for it once more."""
        for story in event.stories:
            name = name_of(story)
            if event.accepted:
                self.taken_up.add(name)
                self.proposed.pop(name, None)
            elif name not in self.taken_up:
                self.proposed[name] = str(story.get("title", ""))
