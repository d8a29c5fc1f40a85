"""All that a report is made of: the stories as they stand, and the runs that brought them there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from prd_ralph.errors import Problem
from prd_ralph.facts.attempts import CheckFacts
from prd_ralph.facts.runs import RunFacts, WaitFacts
from prd_ralph.model import AttemptKey
from prd_ralph.rules import Counts
from prd_ralph.spending import known_sum

NOTHING = Counts(0, 0, 0, 0, 0)


class Basis(StrEnum):
    """What the flags of a report rest on: what prd.json says, or the commands, run just now. Never both."""

    RECORDED = "recorded"
    PROVED = "proved"

    @property
    def words(self) -> str:
        return {Basis.RECORDED: "as recorded", Basis.PROVED: "proved now"}[self]


@dataclass(frozen=True, slots=True)
class CommandFacts:
    """A verification command of a story's. `own`: no other story has it by way of the whole PRD."""

    name: str
    command: str
    own: bool
    hidden: bool = False

    @property
    def label(self) -> str:
        return self.name or self.command


@dataclass(frozen=True, slots=True)
class StoryFacts:
    """A story and where it stands. `state`: `passed ready exhausted blocked skipped`, `reason` why.

    `results`: how its commands ended last (proved now: just now), none where that is not known. `attempts`: the largest
    number of any run; `proof`: `proved`, `unproven`, `approved` or None; `commit`: its landing; `line`: where prd.json
    has it, from 1. What is not known is None.
    """

    id: str
    title: str
    passes: bool
    state: str
    reason: str = ""
    description: str = ""
    criteria: tuple[str, ...] = ()
    commands: tuple[CommandFacts, ...] = ()
    results: tuple[CheckFacts, ...] = ()
    line: int | None = None
    attempts: int | None = None
    cost_usd: float | None = None
    proof: str | None = None
    approved: str = ""
    commit: str | None = None
    finding: str = ""
    """Proved now: what the flag is worth, as `verify --json` says it; "" as recorded."""


@dataclass(frozen=True, slots=True)
class LiveFacts:
    """The run that is going on, `since` when. `story` and `attempt`: what it is at, since `began`; `waiting`: that no
    agent can be had now.
    """

    run: str
    pid: int | None
    since: str
    began: str = ""
    worktree: str = ""
    story: str | None = None
    attempt: int | None = None
    waiting: WaitFacts | None = None


@dataclass(frozen=True, slots=True)
class FileStat:
    """Lines added to and removed from a file; None for a binary one."""

    path: str
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class Delta:
    """What has become of the flags since `base` (a commit), both as recorded. `before` is None where it had no such
    file. Ids, in file order.
    """

    base: str
    before: Counts | None
    passing: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """Everything. `counts`: total = passed + failing + blocked + skipped, always. `runs`: those of this prd.json, the
    oldest first. `made`: when (UTC). `proposals`: titles that agents want added. `problems`: why there is nothing else
    to be told, such as a prd.json that is missing or invalid; then all counts are 0, and nothing is green.
    """

    prd: str
    made: str
    basis: Basis = Basis.RECORDED
    project: str = ""
    description: str = ""
    branch: str | None = None
    commit: str | None = None
    counts: Counts = NOTHING
    unproven: int | None = None
    stories: tuple[StoryFacts, ...] = ()
    runs: tuple[RunFacts, ...] = ()
    live: LiveFacts | None = None
    forecast: Mapping[str, Any] | None = None
    proposals: tuple[str, ...] = ()
    delta: Delta | None = None
    problems: tuple[Problem, ...] = ()
    stats: Mapping[AttemptKey, tuple[FileStat, ...]] = field(default_factory=dict)
    """What attempts changed against their base, as far as it was asked for and refs still hold it."""
    unreadable: int = 0
    """Lines of ledgers that could not be read."""

    @property
    def percent(self) -> int:
        """How many of a hundred stories pass, rounded down: 100 is all of them."""
        return percent(self.counts)

    @property
    def cost_usd(self) -> float | None:
        """What all runs together are known to have cost; None where nothing is known."""
        return known_sum(run.cost_usd for run in self.runs)


def percent(counts: Counts) -> int:
    """Of all stories those that pass, in whole percent, rounded down; 0 of none."""
    return 100 * counts.passed // counts.total if counts.total else 0
