"""What happens in one attempt, in about this order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from prd_ralph.events.base import StoryEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationStarted(StoryEvent):
    """`charged` of `max_attempts` attempts were charged to the story in this run before."""

    kind: ClassVar[str] = "iteration_started"
    iteration: int
    cap: int
    title: str
    charged: int
    max_attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineFinished(StoryEvent):
    """A story's commands before its first attempt: `{name, own, status, exit_code}` each; `red` has the failing ones'
    names.
    """

    kind: ClassVar[str] = "baseline_finished"
    checks: tuple[Mapping[str, Any], ...]
    red: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStarted(StoryEvent):
    kind: ClassVar[str] = "agent_started"
    agent: str
    model: str | None
    prompt_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFinished(StoryEvent):
    """`tail`: the agent's last words. `error`, `hint`: what failed, in one line, and what to do. None is unknown.

    `cost_source`: `told` by the agent, its tokens `priced`, or `assumed`. `model`: as the agent names it.
    """

    kind: ClassVar[str] = "agent_finished"
    end: str
    exit_code: int | None
    duration_s: float
    failure: str | None
    cost_usd: float | None
    tokens_in: int | None
    tokens_out: int | None
    output_bytes: int
    swept: int
    stuck: tuple[int, ...]
    tail: str
    tokens_cached: int | None = None
    tool_calls: int | None = None
    session: str | None = None
    reset_at: float | None = None
    error: str = ""
    hint: str = ""
    cost_source: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(StoryEvent):
    """An agent made the very same call `times` times in a row and changed nothing in between. `ended`: its attempt was.

    `signature`: the tool and its whole input (of a very long one the beginning, and a hash); `text`: the call in short.
    """

    kind: ClassVar[str] = "repeated"
    tool: str
    signature: str
    times: int
    ended: bool
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(StoryEvent):
    """What an agent needs of a person: it says that it is stuck (`what` is `stuck`), or asks something (`question`)."""

    kind: ClassVar[str] = "asked"
    what: str
    text: str
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered(StoryEvent):
    """What an agent changed though it may not, and was put back."""

    kind: ClassVar[str] = "tampered"
    what: tuple[str, ...]
    proposals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed(StoryEvent):
    """Stories that an agent wants added: `{title, description, criteria, …}` each, as it wrote them.

    `accepted`: those of them that were taken up, by id.
    """

    kind: ClassVar[str] = "proposed"
    stories: tuple[Mapping[str, Any], ...]
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFrozen(StoryEvent):
    kind: ClassVar[str] = "candidate_frozen"
    tree: str
    files: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinished(StoryEvent):
    """`stories`: other stories', whose command it is and which passed before.

    `log`: the file with its output, in the attempt's folder.
    `hidden`: no agent is to read it: `command` is a hash, and of the output there is nothing.
    """

    kind: ClassVar[str] = "check_finished"
    name: str
    command: str
    own: bool
    status: str
    exit_code: int | None
    duration_s: float
    suspect: str
    excerpt: str
    stories: tuple[str, ...] = ()
    hidden: bool = False
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(StoryEvent):
    """`suspects`: what a pass may rest on though nobody looked. `proof`: `proved` or `unproven`, of a pass alone."""

    kind: ClassVar[str] = "judged"
    outcome: str
    reason: str
    charged: bool
    duration_s: float
    warnings: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    proof: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled(StoryEvent):
    """`times` attempts in a row came to the same work, and failed with the same words. `answer`: what is done about it
    (`tell`, `escalate`, `set_aside`, `stop`).
    """

    kind: ClassVar[str] = "stalled"
    times: int
    answer: str
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedEvent(StoryEvent):
    kind: ClassVar[str] = "landed"
    commit: str
    title: str
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LandFailed(StoryEvent):
    kind: ClassVar[str] = "land_failed"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterLanding(StoryEvent):
    """What was done after a landing: `what` is `on_land` or `push`. `error`: why it failed, "" where it did not."""

    kind: ClassVar[str] = "after_landing"
    what: str
    command: str
    exit_code: int | None
    duration_s: float
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside(StoryEvent):
    """`ref` holds the attempt's work; `moved` lists what went to the state folder because the ref doesn't hold it."""

    kind: ClassVar[str] = "set_aside"
    moved: tuple[str, ...] = ()
    ref: str = ""
