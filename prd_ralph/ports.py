"""The seam: what the application asks of the world, as protocols, and the values that cross it.

Implementations live in the adapters (level 3); the application (level 4) knows these names alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from prd_ralph.errors import Problem
from prd_ralph.events import RunEvent
from prd_ralph.model import AgentResult, AttemptKey, AttemptRecord, Check, Prd, ProcessResult, Story

Emit = Callable[[RunEvent], None]


class Clock(Protocol):
    """Time, as it may be replaced in a test."""

    def monotonic(self) -> float:
        """Seconds that never go back and stand still while the machine sleeps."""
        ...

    def now(self) -> str:
        """UTC as `2031-03-01T08:00:00Z`."""
        ...


class Stop(Protocol):
    """The signals that the person sent: the first asks, the second insists."""

    @property
    def signal(self) -> int | None:
        """The first signal's number, or None."""
        ...


# --- processes ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """A process to be run to its end, with everything that it starts.

    `env` is the whole environment. `stdin` is given as a private copy (None: nothing to read).
    Both streams go to `log` in the order written (the result's `stderr` is then empty), unless `separate`:
    then stderr is the result's alone and, where given, `stderr_log`'s.
    Logs hold at most `log_limit` bytes, the result's tails at most `tail_limit`. Times in seconds.
    `idle_counts_cpu`: a tree that computes is not idle although it prints nothing.
    `sweep=False`: on a normal end, what was left behind may live on (git and its gpg-agent).
    `shielded`: the person's first signal is not passed on (a landing is finished first).
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: Path | bytes | None = None
    log: Path | None = None
    separate: bool = False
    stderr_log: Path | None = None
    wall_s: float | None = None
    idle_s: float | None = None
    idle_counts_cpu: bool = False
    grace_s: float = 5.0
    log_limit: int = 32 << 20
    tail_limit: int = 64 << 10
    sweep: bool = True
    shielded: bool = False


class Processes(Protocol):
    """Starts processes, bounds them, and proves that nothing of them is left."""

    def run(self, request: ProcessRequest, on_output: Callable[[bytes], None] | None = None) -> ProcessResult:
        """Runs to the end; never raises for what the process does. `on_output` gets stdout as it comes."""
        ...

    def end_marked(self, marks: frozenset[str]) -> int:
        """Ends every process whose `PRD_RALPH_ATTEMPT` names one of `marks`; how many there were."""
        ...


# --- agents ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """One go of an agent: the prompt's file, where to work, where its raw output goes, its limits in seconds.

    `env` is the whole environment, `PRD_RALPH_STORY_ID` in it.
    """

    prompt: Path
    cwd: Path
    transcript: Path
    model: str | None
    env: Mapping[str, str]
    wall_s: float
    idle_s: float


class Agent(Protocol):
    """The program that edits files, given a prompt."""

    @property
    def label(self) -> str:
        """Name and, where known, version: what a commit's `Prd-Ralph-Agent` says."""
        ...

    def attempt(self, request: AgentRequest, on_event: Callable[[str], None]) -> AgentResult:
        """Runs it once, fresh. `on_event` gets a line for each thing the agent is seen to do."""
        ...


# --- prompt, memory, prd.json ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What a prompt template may use; the names in a template are REFERENCE's."""

    prd: Prd
    story: Story
    checks: tuple[Check, ...]
    attempt: int
    max_attempts: int
    last: AttemptRecord | None = None
    progress: str = ""
    patterns: str = ""
    commits: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """`warning` says that the template could not be used as it is now, and the last good one was."""

    text: str
    warning: str = ""


class Prompts(Protocol):
    def render(self, context: PromptContext) -> RenderedPrompt:
        """Reads the template anew and renders it. Raises RalphError when no good one is known."""
        ...


class Memory(Protocol):
    """`progress.txt`, the memory between iterations."""

    def append(self, entry: str) -> None:
        """Adds one entry at the end."""
        ...

    def recall(self) -> tuple[str, str]:
        """The bounded tail, and the bounded `Codebase Patterns` head."""
        ...


@dataclass(frozen=True, slots=True)
class PrdDocument:
    """prd.json as it lies on disk, and what it means. `warnings` are lenient findings."""

    data: bytes
    prd: Prd
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardedPrd:
    """What the guard made of an agent's prd.json.

    `data` is to be on disk, `tampered` names each difference that was put back (`"/userStories/0/passes"`…),
    `proposals` the new stories' titles.
    """

    data: bytes
    tampered: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()


class PrdFile(Protocol):
    """prd.json: read strictly, edited in place, guarded."""

    @property
    def path(self) -> Path: ...

    def load(self) -> PrdDocument:
        """Raises ProblemsError with all that is wrong with it."""
        ...

    def read(self) -> bytes | None:
        """The bytes as they are, or None where there is no regular file."""
        ...

    def flipped(self, data: bytes, story_id: str, passes: bool) -> bytes:
        """`data` with that story's flag set, every other byte as it was."""
        ...

    def guard(self, before: bytes, after: bytes | None, story_id: str) -> GuardedPrd:
        """Keeps of `after` only that story's notes, spliced into the bytes of `before`."""
        ...

    def write(self, data: bytes, expected: bytes | None) -> None:
        """Replaces the file in one step; ForeignChangeError where it no longer holds `expected` (None: don't look)."""
        ...


# --- git ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """What a run wants of the repository. Paths are relative to the root, with `/`.

    `memory` files (prd.json, its PRD, progress.txt) may be dirty or untracked: they go into an opening commit.
    """

    prd: str
    memory: tuple[str, ...]
    branch: str | None = None
    base_branch: str | None = None
    story_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """What the run starts from: the base commit, the branch (None: detached), the person's untracked files."""

    base: str
    branch: str | None
    untracked: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Current:
    """What lies in the work tree between attempts (`refs/worktree/prd-ralph/current`).

    `ended` False: the run was killed during the attempt. `landing_tree`: a landing had been begun, with this tree.
    """

    key: AttemptKey
    base: str
    tree: str
    ended: bool
    known_untracked: tuple[str, ...] = ()
    landing_tree: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """The tree that an attempt produced, and how it differs from base. `left_out`: path and why, for the person."""

    tree: str
    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """HEAD is back on base. `head` is the agent's last own commit, if it made any."""

    head: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LandingRequest:
    """What is to become the commit. `prd` are prd.json's bytes with the flag set."""

    key: AttemptKey
    candidate: Candidate
    prd: bytes
    message: str


@dataclass(frozen=True, slots=True)
class Landed:
    """The commit that was made, and the paths that it changed."""

    commit: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LandingRefused:
    """No commit was made. `by_hook`: a hook of the person's said no (`changed`: and edited the work tree);
    else the environment did (identity, signer, lock)."""

    text: str
    by_hook: bool
    changed: bool = False


class Workspace(Protocol):
    """The work tree and its repository; nothing of the person's is ever staged, moved or cleaned."""

    @property
    def root(self) -> Path: ...

    def next_attempt(self, story_id: str) -> int:
        """The story's largest attempt number in any run, plus 1."""
        ...

    def current(self) -> Current | None:
        """What the last run left in the work tree."""
        ...

    def resume(self, current: Current) -> tuple[str, ...]:
        """Takes `current` up (base becomes HEAD); the paths that differ from what it recorded."""
        ...

    def is_landed(self, current: Current) -> bool:
        """Whether HEAD is the landing that `current` had begun."""
        ...

    def begin(self, key: AttemptKey) -> None:
        """Notes the ground before an agent starts: base index, known untracked files, guarded files, `current`."""
        ...

    def reclaim(self, key: AttemptKey) -> Reclaimed:
        """Puts HEAD softly back on base. Raises ForeignChangeError for a person's commit or branch change."""
        ...

    def guard(self, key: AttemptKey) -> tuple[str, ...]:
        """Puts back what an agent may not change; names what it was."""
        ...

    def freeze(self) -> Candidate:
        """The work tree as a tree object."""
        ...

    def keep(self, key: AttemptKey, candidate: Candidate, head: str | None) -> None:
        """Puts the attempt's end state under its ref, and says in `current` that it has ended."""
        ...

    def restore(self, candidate: Candidate) -> None:
        """After the checks: tracked paths go back to the candidate; what else appeared is not the agent's."""
        ...

    def land(self, request: LandingRequest) -> Landed | LandingRefused:
        """Makes the one commit on base, recorded in `current` first. Raises ForeignChangeError."""
        ...

    def settle(self, landed: str) -> None:
        """After the flag is on disk: refreshes the index, makes the landing the new base, forgets `current`."""
        ...

    def set_aside(self, key: AttemptKey) -> tuple[str, ...]:
        """Makes the tree base again; returns what was moved to the state folder because no ref holds it."""
        ...

    def close(self, message: str) -> str | None:
        """Commits prd.json and progress.txt where they differ from base; the commit, or None."""
        ...

    def recent_commits(self, count: int) -> tuple[str, ...]:
        """`abc1234 subject` lines, newest first."""
        ...


# --- state ----------------------------------------------------------------------------------------


class State(Protocol):
    """The run's folder under the common git directory. Nothing in it decides a verdict."""

    @property
    def run_id(self) -> str: ...

    def attempt_folder(self, key: AttemptKey) -> Path:
        """The attempt's folder, made if need be: prompt, transcript, check outputs."""
        ...

    def stop_requested(self) -> bool:
        """Whether `prd-ralph stop` has asked for an end after this iteration."""
        ...


def _no_stage(stage: str) -> None:
    """A stage of an iteration was reached; tests put a fault here."""


@dataclass(frozen=True, slots=True)
class Ports:
    """All that the application is handed."""

    processes: Processes
    workspace: Workspace
    prd_file: PrdFile
    prompts: Prompts
    memory: Memory
    state: State
    clock: Clock
    stop: Stop
    emit: Emit
    env: Mapping[str, str] = field(default_factory=dict)
    stage: Callable[[str], None] = _no_stage
