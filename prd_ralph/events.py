"""What happened in a run, as data: the ledger's lines, `run --json`, and every report are folds over these."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from types import UnionType
from typing import Any, ClassVar, get_origin

VERSION = 1
_LARGE = 1e15


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """Base of all events; `kind` is the word in the ledger."""

    kind: ClassVar[str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvent(RunEvent):
    """An event of one attempt (numbered per story over all runs)."""

    story: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(RunEvent):
    """`stories`: `{id, title, state, reason, waits_for}` of each, in file order; it waits for the ids it depends on.

    `autonomy`: by agent, the flags that let it act without asking. `kept_from_…`: names of environment variables that
    the agent, or the commands, do not get.
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
    """`tail`: the agent's last words. `error`, `hint`: what failed, in one line, and what to do. None is unknown."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered(StoryEvent):
    """What an agent changed though it may not, and was put back."""

    kind: ClassVar[str] = "tampered"
    what: tuple[str, ...]
    proposals: tuple[str, ...] = ()


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
class SetAside(StoryEvent):
    """`ref` holds the attempt's work; `moved` lists what went to the state folder because the ref doesn't hold it."""

    kind: ClassVar[str] = "set_aside"
    moved: tuple[str, ...] = ()
    ref: str = ""


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

    `hint` says how to mend what `reason` names. `cost_usd` is what is known; `unpriced` agent starts told no cost.
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


def with_texts(event: RunEvent, change: Callable[[str], str]) -> RunEvent:
    """The event with every text in it changed, wherever it stands but as a key."""
    before = {each.name: getattr(event, each.name) for each in fields(event)}
    return replace(event, **{name: _with_texts(value, change) for name, value in before.items()})


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        changed = change(value)
        return value if changed == value else changed  # a word of an enum stays one
    if isinstance(value, Mapping):
        return {key: _with_texts(each, change) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_with_texts(each, change) for each in value)
    return value


def as_record(event: RunEvent, run: str, seq: int, at: str) -> dict[str, Any]:
    """The event as one JSON object of the ledger (`v run seq at kind`, then its fields)."""
    record: dict[str, Any] = {"v": VERSION, "run": run, "seq": seq, "at": at, "kind": event.kind}
    record.update({field.name: getattr(event, field.name) for field in fields(event)})
    return record


def as_line(record: Mapping[str, Any]) -> str:
    """The record as one line of ASCII without its end: the ledger's, and `run --json`'s. Paths become texts."""
    return json.dumps(record, default=lambda value: dict(value) if isinstance(value, Mapping) else str(value))


def from_record(record: Mapping[str, Any]) -> RunEvent | None:
    """The event that a ledger's line holds; None for one of another version, or with values of other types.

    Lists come back as tuples.
    """
    kind = _KINDS.get(str(record.get("kind")))
    if kind is None:
        return None
    known = {each.name: each for each in fields(kind)}
    if not all(_is_told(record, each) for each in known.values()):
        return None
    return kind(**{name: _as_tuple(record[name]) for name in known if name in record})


def _is_told(record: Mapping[str, Any], each: Field[Any]) -> bool:
    """Whether the record has a value for the field, of its type, or need not have one."""
    if each.name in record:
        return _fits(record[each.name], each.type)
    return each.default is not MISSING or each.default_factory is not MISSING


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value read from JSON is of a field's type; numbers are of a size that can be counted and printed."""
    if isinstance(kind, UnionType):
        return any(_fits(value, each) for each in kind.__args__)
    origin = get_origin(kind)
    if origin is tuple:
        return isinstance(value, list | tuple) and all(_fits(each, kind.__args__[0]) for each in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(each, kind.__args__[1]) for each in value.values())
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and abs(value) < _LARGE
    return kind is Any or isinstance(value, kind)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_KINDS: Mapping[str, type[RunEvent]] = {
    kind.kind: kind
    for kind in (
        RunStarted,
        IterationStarted,
        BaselineFinished,
        AgentStarted,
        AgentFinished,
        Tampered,
        CandidateFrozen,
        CheckFinished,
        Judged,
        LandedEvent,
        LandFailed,
        SetAside,
        Verified,
        Regressed,
        Warned,
        RunFinished,
    )
}
