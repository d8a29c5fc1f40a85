"""The words that outcomes, reasons and states are told by; one word, one meaning."""

from enum import StrEnum

AGENT_EMAIL = "agent@prd-ralph.invalid"
"""The committer of whatever an agent commits: how its commits are told from a person's."""


LINGER_S = 15.0
"""How many seconds an agent's program may stay that has given its final result."""


class Outcome(StrEnum):
    """What an attempt ended in."""

    PASSED = "passed"
    FAILED = "failed"
    NO_CHANGE = "no_change"
    TIMED_OUT = "timed_out"
    AGENT_ERROR = "agent_error"
    USAGE_LIMIT = "usage_limit"
    INTERRUPTED = "interrupted"
    LAND_FAILED = "land_failed"


class FailureClass(StrEnum):
    """Why an agent failed, by its adapter's structured verdict."""

    USAGE_LIMIT = "usage_limit"
    TRANSIENT = "transient"
    AUTH = "auth"
    CREDITS = "credits"
    BAD_MODEL = "bad_model"
    CONTEXT_OVERFLOW = "context_overflow"
    HANG = "hang"
    NO_WORK = "no_work"
    ERROR = "error"


class CostSource(StrEnum):
    """How the cost of an attempt is known; all but the first are estimates."""

    TOLD = "told"
    PRICED = "priced"
    ASSUMED = "assumed"


class StopReason(StrEnum):
    """Why a run ended; in the order in which they are looked for."""

    SIGNAL = "signal"
    ENVIRONMENT = "environment"
    AUTH = "auth"
    CREDITS = "credits"
    BAD_MODEL = "bad_model"
    FOREIGN_CHANGE = "foreign_change"
    STOP_REQUESTED = "stop_requested"
    COST = "cost"
    WALL_TIME = "wall_time"
    USAGE_LIMIT = "usage_limit"
    AGENT_FAILING = "agent_failing"
    REGRESSED = "regressed"
    COMPLETE = "complete"
    ONCE = "once"
    ITERATIONS = "iterations"
    EXHAUSTED = "exhausted"
    BLOCKED = "blocked"


class StoryState(StrEnum):
    """Where a story stands; `ready` and `exhausted` together are the failing ones."""

    PASSES = "passed"
    READY = "ready"
    EXHAUSTED = "exhausted"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


class ProcessEnd(StrEnum):
    """Why a process ended; `cut`: who read its output had seen enough; `lingered`: it had said all, and stayed."""

    EXITED = "exited"
    WALL = "wall"
    IDLE = "idle"
    CUT = "cut"
    LINGERED = "lingered"
    STOPPED = "stopped"
    LOST = "lost"
    NOT_STARTED = "not_started"


class Proof(StrEnum):
    """What a pass is worth: red before and green after, or green before too (or nobody looked)."""

    PROVED = "proved"
    UNPROVEN = "unproven"


class CheckStatus(StrEnum):
    """How a verification command ended. Only exit 0 is `passed`."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    MISSING_TOOL = "missing_tool"
    INTERRUPTED = "interrupted"


class ActionKind(StrEnum):
    """What an agent was seen to do: speak, call a tool, get its answer; or its program says something (a retry)."""

    SAYS = "says"
    USES = "uses"
    GETS = "gets"
    NOTE = "note"
