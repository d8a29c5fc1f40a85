"""What happens in a run as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from prd_ralph.events.base import RunEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(RunEvent):
    """`stories`: `{id, title, state, reason, waits_for}` of each, in file order; it waits for the ids it depends on.

    `autonomy`: by agent, the flags that let it act without asking. `kept_from_…`: names of environment variables that
    the agent, or the commands, do not get. `worktree`: the folder of the run's own work tree, "" where it has none.
    """

    kind: ClassVar[str] = "run_started"
    prd: str
    project: str
    branch: str | None
    base: str
    agent: str
    open: int
    total: int
    limits: Mapping[str, float]
    untracked: tuple[str, ...] = ()
    stories: tuple[Mapping[str, Any], ...] = ()
    autonomy: Mapping[str, str] = field(default_factory=dict)
    kept_from_agent: tuple[str, ...] = ()
    kept_from_commands: tuple[str, ...] = ()
    worktree: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted(RunEvent):
    """The run was started again, for the `times`-th time, after its process had ended or frozen (`why`)."""

    kind: ClassVar[str] = "restarted"
    times: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(RunEvent):
    """The run waits for `seconds`, until `until` (Unix time): `agents` cannot be had before, as `reason` says
    (`usage_limit`, `transient`, `credits`).
    """

    kind: ClassVar[str] = "waiting"
    reason: str
    agents: tuple[str, ...]
    seconds: float
    until: float
    story: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified(RunEvent):
    """All that passes was verified at a run's end: so many distinct commands, of which `ran` were not known of this
    very tree, and `red` failed.
    """

    kind: ClassVar[str] = "verified"
    commands: int
    ran: int
    red: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Regressed(RunEvent):
    """Stories whose flag is false again at a run's end, as a command of theirs fails. `landings`: those, as
    `US-003 abc1234`, of which one must have broken it; none where it was so before the run.
    """

    kind: ClassVar[str] = "regressed"
    stories: tuple[str, ...]
    name: str
    command: str
    status: str
    exit_code: int | None
    excerpt: str
    landings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(RunEvent):
    kind: ClassVar[str] = "warning"
    message: str
    story: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(RunEvent):
    """The counts add up: total = passed + failing + blocked + skipped. `stories` as in `status --json`.

    `hint` says how to mend what `reason` names. `cost_usd` is what is known; `unpriced` agent starts cost nobody knows
    what, and of `estimated` ones no agent told it. The tokens likewise: `uncounted` starts told none. `waited_s`:
    seconds of `duration_s` in which no agent could be had.
    """

    kind: ClassVar[str] = "run_finished"
    stop: str
    exit: int
    reason: str
    total: int
    passed: int
    failing: int
    blocked: int
    skipped: int
    iterations: int
    duration_s: float
    cost_usd: float | None
    branch: str | None
    stories: tuple[Mapping[str, Any], ...] = ()
    hint: str = ""
    unpriced: int = 0
    waited_s: float = 0.0
    estimated: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    uncounted: int = 0
