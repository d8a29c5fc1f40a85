"""What was found out about one thing, and what to do about it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from prd_ralph.errors import Problem


class Level(StrEnum):
    """A blocker is what a run would be refused for, or fail by."""

    OK = "ok"
    WARNING = "warning"
    BLOCKER = "blocker"


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is a stable word for what was looked at; `fix` is "" where nothing is to be done."""

    level: Level
    check: str
    what: str
    fix: str = ""


def fine(check: str, what: str) -> Finding:
    return Finding(Level.OK, check, what)


def warning(check: str, what: str, fix: str) -> Finding:
    return Finding(Level.WARNING, check, what, fix)


def blocker(check: str, what: str, fix: str) -> Finding:
    return Finding(Level.BLOCKER, check, what, fix)


def told(level: Level, check: str, problems: Iterable[Problem]) -> Iterator[Finding]:
    """Problems as findings: what and where on one line, the hint as the fix; each once."""
    for problem in dict.fromkeys(problems):
        yield Finding(level, check, str(replace(problem, hint="")), problem.hint)


def sorted_by_level(findings: Iterable[Finding]) -> list[Finding]:
    """Blockers last: a terminal shows the end."""
    order = list(Level)
    return sorted(findings, key=lambda finding: order.index(finding.level))
