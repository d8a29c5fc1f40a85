"""One run, as its ledger tells it."""

from dataclasses import dataclass

from prd_ralph.facts.attempts import AttemptFacts
from prd_ralph.spending import known_sum

WARNINGS_KEPT = 50


@dataclass(frozen=True, slots=True)
class WaitFacts:
    """That the run waited from `at` (UTC) on, for `seconds`, as no agent could be had; as long as it waits still, how
    long it means to.
    """

    at: str
    seconds: float
    reason: str
    agents: tuple[str, ...]
    until: float
    over: bool = False


@dataclass(frozen=True, slots=True)
class RegressionFacts:
    """Stories whose flag is false again at the run's end, the command that says so, and the `landings`, as
    `US-003 abc1234`, of which one must have broken it.
    """

    stories: tuple[str, ...]
    name: str
    command: str
    status: str
    exit_code: int | None
    excerpt: str
    landings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run. `began`, `ended`: UTC; `ended`, `stop` and `exit` are empty while it goes on, or where it was killed.

    `passed_before`: how many stories passed at its start. `attempts` are in the order in which they began. `at`: when
    the newest line was written. `unreadable`: lines of the ledger that were none. `warnings` are the newest of them.
    """

    id: str
    began: str = ""
    at: str = ""
    prd: str = ""
    project: str = ""
    branch: str | None = None
    agent: str = ""
    base: str = ""
    total: int = 0
    passed_before: int = 0
    max_attempts: int | None = None
    worktree: str = ""
    attempts: tuple[AttemptFacts, ...] = ()
    waits: tuple[WaitFacts, ...] = ()
    regressions: tuple[RegressionFacts, ...] = ()
    verified: tuple[int, int, int] | None = None
    """Of the final verification: distinct commands, how many of them ran, how many were red."""
    warnings: tuple[str, ...] = ()
    restarts: int = 0
    ended: str = ""
    stop: str = ""
    exit: int | None = None
    reason: str = ""
    hint: str = ""
    duration_s: float | None = None
    waited_s: float = 0.0
    unreadable: int = 0

    @property
    def iterations(self) -> int:
        """Starts of agents."""
        return sum(attempt.started for attempt in self.attempts)

    @property
    def cost_usd(self) -> float | None:
        """What is known to have been spent; None where nothing is."""
        return known_sum(attempt.cost_usd for attempt in self.attempts)

    @property
    def waiting(self) -> WaitFacts | None:
        """What it waits for now."""
        return self.waits[-1] if self.waits and not self.waits[-1].over else None

    def is_about(self, prd: str, branch: str | None) -> bool:
        """Whether it was a run of this prd.json: ids of stories belong to it together with its branch."""
        return self.prd == prd and (branch is None or self.branch == branch)
