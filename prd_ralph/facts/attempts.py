"""One attempt, as its ledger tells it."""

from dataclasses import dataclass

from prd_ralph.model import AttemptKey, CheckStatus, Outcome

FILES_KEPT = 100
"""Of how many changed files the names are held; all of them are counted."""
TEXTS_KEPT = 20
EXCERPT_KEPT = 4096
"""Characters of a failing command's output that are held; of a passing one's, none."""


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """How a command ended. `own`: it is the story's own; `stories`: others' whose command it is.

    `hidden`: `command` is a hash, and there is no output. `log`: the file with all of it, in the attempt's folder.
    """

    name: str
    command: str
    own: bool
    status: str
    exit_code: int | None
    duration_s: float
    suspect: str = ""
    excerpt: str = ""
    stories: tuple[str, ...] = ()
    hidden: bool = False
    log: str = ""

    @property
    def passed(self) -> bool:
        return self.status == CheckStatus.PASSED

    @property
    def label(self) -> str:
        """Its name, or else the command."""
        return self.name or self.command


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """One attempt; what the ledger does not tell is None, "" or empty.

    `iteration`: its place in the run, 0 for work that a start took up. `began`, `ended`: UTC, as ledgers have it.
    `checks`: of the candidate that was judged last. `files`: the first of `file_count` changed ones. `outcome` is ""
    as long as there is no verdict. `asked`, `repeated`, `stalled`: what the agent wanted of a person, and how it went
    round in circles, in words. `after`: what was done after the landing and failed. `set_aside`: the ref that holds the
    work.
    """

    run: str
    story: str
    number: int
    began: str
    title: str = ""
    iteration: int = 0
    agent: str = ""
    model: str | None = None
    agent_end: str = ""
    exit_code: int | None = None
    failure: str | None = None
    error: str = ""
    agent_s: float | None = None
    tail: str = ""
    cost_usd: float | None = None
    cost_source: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    baseline_red: tuple[str, ...] = ()
    checks: tuple[CheckFacts, ...] = ()
    files: tuple[str, ...] = ()
    file_count: int = 0
    left_out: tuple[str, ...] = ()
    tampered: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    stalled: tuple[str, ...] = ()
    outcome: str = ""
    reason: str = ""
    charged: bool = False
    proof: str | None = None
    warnings: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    duration_s: float | None = None
    ended: str = ""
    commit: str = ""
    land_error: str = ""
    set_aside: str = ""
    after: tuple[str, ...] = ()

    @property
    def key(self) -> AttemptKey:
        return AttemptKey(self.run, self.story, self.number)

    @property
    def passed(self) -> bool:
        return self.outcome == Outcome.PASSED

    @property
    def started(self) -> bool:
        """Whether an agent was started: such an attempt is paid for."""
        return bool(self.agent)

    @property
    def checks_s(self) -> float:
        """Seconds that the commands took, one after another."""
        return sum(check.duration_s for check in self.checks)

    @property
    def failing(self) -> tuple[CheckFacts, ...]:
        """The commands that did not pass."""
        return tuple(check for check in self.checks if not check.passed)
