"""The values that every part speaks of: the PRD, its stories and commands, and what became of them.

Frozen, without behaviour beyond what follows from their own fields, and without I/O.
"""

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Literal

EVERY_STORY = "*"
"""Of hidden commands: the key of those that judge every story."""
LAST_PRIORITY = float("inf")
STORY_VARIABLE = "PRD_RALPH_STORY_ID"
MARK_VARIABLE = "PRD_RALPH_ATTEMPT"
AGENT_EMAIL = "agent@prd-ralph.invalid"
"""The committer of whatever an agent commits: how its commits are told from a person's."""


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
    """Why a process ended; `cut`: who read its output had seen enough."""

    EXITED = "exited"
    WALL = "wall"
    IDLE = "idle"
    CUT = "cut"
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


@dataclass(frozen=True, slots=True)
class Check:
    """A verification command: a string is a shell line, a tuple is an argv that meets no shell.

    `cwd` is relative to the project root, `timeout_s` in seconds (None: the run's `check_timeout`). `when` land: left
    out of baseline and regressions. `hidden`: no agent is to read it, or what it says.
    """

    run: str | tuple[str, ...]
    name: str = ""
    cwd: str = "."
    timeout_s: float | None = None
    env: tuple[tuple[str, str], ...] = ()
    retries: int = 0
    when: Literal["always", "land"] = "always"
    min_tests: int | None = None
    parallel: bool = False
    hidden: bool = False

    @property
    def text(self) -> str:
        """The command on one line, as a person would write it; of a hidden one a hash."""
        if self.hidden:
            return f"sha256:{hashlib.sha256(self._line.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        return self._line

    @property
    def _line(self) -> str:
        return self.run if isinstance(self.run, str) else " ".join(self.run)

    @property
    def label(self) -> str:
        """The name, or else the command's first 60 characters."""
        return self.name or " ".join(self.text.split())[:60]

    def identity(self, story_id: str) -> tuple[object, ...]:
        """Equal for two commands that are the same command when `story_id` is attempted."""
        return (self.run, self.cwd, self.env, self.timeout_s, story_id if STORY_VARIABLE in self._line else "")


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's word for what no command can prove: who gave it, and when (UTC, as `2031-03-01T08:00:00Z`)."""

    by: str
    at: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """A unit of work. `priority`: lower is sooner, a missing one is last; ties go by file order.

    `approved`: of a story that passes by a person's word.
    """

    id: str
    title: str
    passes: bool
    description: str = ""
    criteria: tuple[str, ...] = ()
    priority: float = LAST_PRIORITY
    depends_on: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: str = ""
    skip: bool = False
    agent: str | None = None
    model: str | None = None
    supersedes: tuple[str, ...] = ()
    approved: Approval | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Prd:
    """The document. `checks` are for every story, `setup` runs before the first attempt."""

    project: str
    stories: tuple[Story, ...]
    description: str = ""
    branch: str | None = None
    base_branch: str | None = None
    source: str | None = None
    setup: tuple[Check, ...] = ()
    checks: tuple[Check, ...] = ()
    protect: tuple[str, ...] | Literal["auto"] = ()

    def story(self, story_id: str) -> Story:
        """The story with this id, letter for letter. Raises KeyError."""
        for story in self.stories:
            if story.id == story_id:
                return story
        raise KeyError(story_id)

    def with_passing(self, story_id: str) -> "Prd":
        """The same document, but that this story passes, and so is not held."""
        stories = (replace(story, passes=True, skip=False) if story.id == story_id else story for story in self.stories)
        return replace(self, stories=tuple(stories))

    def checks_for(self, story: Story, extra: Iterable[Check] = (), hidden: Iterable[Check] = ()) -> tuple[Check, ...]:
        """The PRD's commands, then `extra` (the run's and the config's), the story's own, then `hidden`; each once."""
        unique: dict[tuple[object, ...], Check] = {}
        for check in (*self.checks, *extra, *story.checks, *hidden):
            unique.setdefault(check.identity(story.id), check)
        return tuple(unique.values())

    def lines(self, extra: Iterable[Check] = ()) -> tuple[str, ...]:
        """Every command of the document's and of `extra` as a shell line."""
        checks = (*self.checks, *extra, *(check for story in self.stories for check in story.checks))
        lines = (check.run if isinstance(check.run, str) else shlex.join(check.run) for check in checks)
        return tuple(dict.fromkeys(lines))


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The raw facts of a process that has ended, with everything below it.

    `exit_code` is negative for a signal and None when no status could be had (lost, not started).
    `stdout` and `stderr` are bounded tails; `stdout_bytes` counts all that was written.
    `swept` processes were left behind and ended; `stuck` pids could not be.
    `error` says why a process was not started, or that its log could not be written.
    """

    end: ProcessEnd
    exit_code: int | None
    duration_s: float
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_bytes: int = 0
    swept: int = 0
    stuck: tuple[int, ...] = ()
    error: str = ""
    disk_full: bool = False

    @property
    def ok(self) -> bool:
        """It ended by itself with status 0; nothing else counts."""
        return self.end is ProcessEnd.EXITED and self.exit_code == 0


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a model read and wrote, in tokens, as the agent itself counts them; `cached`: read from a cache."""

    input: int = 0
    output: int = 0
    cached: int = 0

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.input + other.input, self.output + other.output, self.cached + other.cached)


class ActionKind(StrEnum):
    """What an agent was seen to do: speak, call a tool, get its answer; or its program says something (a retry)."""

    SAYS = "says"
    USES = "uses"
    GETS = "gets"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class AgentAction:
    """One thing an agent was seen to do. `text` is the agent's: of any length and content.

    `spent`: the tokens of this attempt so far, where the stream tells them.
    """

    kind: ActionKind
    text: str
    spent: Tokens | None = None


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What an adapter made of an agent's process. Unknown cost is None, never 0; `reset_at` is Unix time.

    `text` is its last message, never an echo of the prompt. `error`: in one line what failed, in the agent's words;
    `hint`: what a person can do about it. `notes` are worth a warning. `tool_calls`: those that it was allowed.
    """

    process: ProcessResult
    text: str = ""
    failure: FailureClass | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    session: str | None = None
    reset_at: float | None = None
    tool_calls: int | None = None
    error: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One command's end. `own`: the story's own command. `output` is the file with all (capped) output.

    `stories`: of a command that was run because others are judged by it, whose it is.
    """

    check: Check
    own: bool
    status: CheckStatus
    exit_code: int | None = None
    duration_s: float = 0.0
    tries: int = 1
    suspect: str = ""
    excerpt: str = ""
    output: Path | None = None
    stuck: tuple[int, ...] = ()
    stories: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.status is CheckStatus.PASSED


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on an attempt, and why. `suspects`: what a pass may rest on though nobody looked; `proof`: a pass's.

    `warnings` has what else a person should know.
    """

    outcome: Outcome
    reason: str = ""
    warnings: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class AttemptKey:
    """Which attempt: `number` counts a story's attempts over all runs, from 1."""

    run: str
    story: str
    number: int


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """What is remembered of an attempt for the next prompt and the summary."""

    key: AttemptKey
    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    files: tuple[str, ...] = ()
    agent: AgentResult | None = None
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """Every cap of a run. Times in seconds, all finite; `idle_s` 0 is off. `iterations` None: open × attempts + 20."""

    attempts: int = 3
    iterations: int | None = None
    run_s: float = 24 * 3600.0
    attempt_s: float = 3600.0
    idle_s: float = 1800.0
    check_s: float = 900.0


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stories a run is about: `only` (empty: all) less `skip`."""

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def takes(self, story: Story) -> bool:
        return (not self.only or story.id in self.only) and story.id not in self.skip and not story.skip


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What the person asked of one run. `extra` commands count for every story; `shell` runs shell lines.

    `baseline`: what becomes of a story whose commands are green before an agent has worked on it. `regression_s`: the
    time that earlier stories' commands get before a landing. `hidden`: commands by story that no agent is to read.
    """

    prd: str
    selection: Selection = Selection()
    limits: Limits = Limits()
    extra: tuple[Check, ...] = ()
    once: bool = False
    strict: bool = False
    fail_fast: bool = False
    baseline: Literal["warn", "skip", "off"] = "warn"
    regressions: Literal["refuse", "off"] = "refuse"
    regression_s: float = 120.0
    verify_in: Literal["tree", "clean"] = "tree"
    hidden: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    commit_message: str = "feat: {id} - {title}"
    shell: tuple[str, ...] = ("bash", "-o", "pipefail", "-c")

    def hidden_for(self, story_id: str) -> tuple[Check, ...]:
        """The commands that no agent is told of: those for every story, then the story's own."""
        return (*self.hidden.get(EVERY_STORY, ()), *self.hidden.get(story_id, ()))

    def own_checks(self, story: Story) -> tuple[Check, ...]:
        """The story's own commands, hidden ones too."""
        return (*story.checks, *self.hidden.get(story.id, ()))

    def checks_for(self, prd: Prd, story: Story) -> tuple[Check, ...]:
        """All that judges the story, each once: the PRD's commands, the run's, its own, the hidden ones."""
        return prd.checks_for(story, self.extra, self.hidden_for(story.id))
