"""What an audit finds: a state for each story, the commit that set its flag, and what is to be noticed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from prd_ralph.model import Check, CheckResult, Story


class State(StrEnum):
    """Where a story stands: the first five are claimed to be done.

    `approved`: the file has a person's word for it, and no command speaks against that.
    """

    PROVED = "proved"
    APPROVED = "approved"
    FAILING = "claimed-but-fails"
    UNPROVABLE = "unprovable"
    UNTRIED = "untried"
    OPEN = "open"
    OPEN_PASSES = "open-but-passes"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to be noticed. `kind` is a word of docs/audit.md, `message` says it in one line.

    `suspicious`: it speaks against a claim; else it is information.
    """

    kind: str
    message: str
    suspicious: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """The commit that set a flag last. `at` is UTC as `2031-03-01T08:00:00Z`.

    `others`: the stories whose flags it set as well. `is_first`: the file began with it. `returned`: the flag had been
    set before, and taken back. `receipt`: the trailers of a landing of prd-ralph's, empty where it is none.
    """

    commit: str
    at: str
    subject: str
    others: tuple[str, ...] = ()
    is_first: bool = False
    returned: bool = False
    receipt: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tried:
    """A command of a story's, and its result; None where it was not run."""

    check: Check
    result: CheckResult | None = None


@dataclass(frozen=True, slots=True)
class StoryAudit:
    """One row of the truth table."""

    story: Story
    state: State
    commands: tuple[Tried, ...] = ()
    set_by: Setting | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole table. `path` is the file's, from the repository's root on; `commit` None: there is no repository."""

    path: str
    dialect: str
    commit: str | None
    stories: tuple[StoryAudit, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def claimed(self) -> int:
        return sum(each.story.passes for each in self.stories)

    def count(self, state: State) -> int:
        """How many stories are in it."""
        return sum(each.state is state for each in self.stories)

    @property
    def suspicions(self) -> tuple[Finding, ...]:
        """What speaks against a claim, of the file and of its stories."""
        every = (*self.findings, *(finding for each in self.stories for finding in each.findings))
        return tuple(finding for finding in every if finding.suspicious)

    def holds(self, strict: bool) -> bool:
        """Whether every claim was proved, or is a person's word; `strict`: and nothing speaks against one."""
        kept = self.count(State.PROVED) + self.count(State.APPROVED)
        return kept == self.claimed and not (strict and self.suspicions)
