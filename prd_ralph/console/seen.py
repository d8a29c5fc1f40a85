"""What the closing summary needs to remember of the events before it."""

from dataclasses import dataclass, field

from prd_ralph.events import AgentFinished, CheckFinished, IterationStarted, LandedEvent, RunEvent, RunStarted


@dataclass(slots=True)
class Seen:
    """`failing`: the failed commands of each story's last attempt. `attempts`: the number of each one's last."""

    base: str = ""
    commits: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    failing: dict[str, list[CheckFinished]] = field(default_factory=dict)
    agent: AgentFinished | None = None

    def add(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.base = event.base
            case IterationStarted():
                self.attempts[event.story] = event.attempt
                self.failing[event.story] = []
                self.agent = None
            case AgentFinished():
                self.agent = event
            case CheckFinished() if event.status != "passed":
                self.failing.setdefault(event.story, []).append(event)
            case LandedEvent():
                self.commits[event.story] = event.commit
                self.failing[event.story] = []
            case _:
                pass
