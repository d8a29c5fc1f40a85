"""What became of processes, agents and commands."""

from dataclasses import dataclass
from pathlib import Path

from prd_ralph.model.prd import Check
from prd_ralph.model.words import ActionKind, CheckStatus, CostSource, FailureClass, ProcessEnd


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
    """What a model read and wrote, in tokens, as the agent itself counts them; `cached`: read from a cache, and not
    counted in `input`.
    """

    input: int = 0
    output: int = 0
    cached: int = 0

    def plus(self, other: "Tokens") -> "Tokens":
        return Tokens(self.input + other.input, self.output + other.output, self.cached + other.cached)

    @property
    def total(self) -> int:
        return self.input + self.output + self.cached


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars per million tokens."""

    input: float
    output: float
    cached: float


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the stream tells it. `signature`: the tool and its whole input, as one text; None where the stream
    does not tell the whole input.

    `acts`: it may change something (a shell line, a call of a server's); reading and asking how something stands are no
    acts. `edits`: it changes files.
    """

    tool: str
    signature: str | None = None
    acts: bool = False
    edits: bool = False


@dataclass(frozen=True, slots=True)
class AgentAction:
    """One thing an agent was seen to do. `text` is the agent's: of any length and content.

    `spent`: the tokens of this attempt so far, where the stream tells them. `call`: of a tool's use.
    """

    kind: ActionKind
    text: str
    spent: Tokens | None = None
    call: ToolCall | None = None


@dataclass(frozen=True, slots=True)
class AgentResult:
    """What an adapter made of an agent's process. Unknown cost is None, never 0; `reset_at` is Unix time.

    `text` is its last message, never an echo of the prompt. `error`: in one line what failed, in the agent's words;
    `hint`: what a person can do about it. `notes` are worth a warning. `tool_calls`: those that it was allowed.
    `ended_for`: why we ended it for what it did (`loop`); "" where we did not. `model`: as the agent names the one that
    it ran with. `cost_source`: how `cost_usd` is known, once that was settled.
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
    ended_for: str = ""
    model: str | None = None
    cost_source: CostSource | None = None


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
