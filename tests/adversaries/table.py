"""The table: who by policy, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.adversaries.policies import POLICIES

COLUMNS = ("naive", *(policy.name for policy in POLICIES))
UNEXPECTED = " (!)"


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell as it was seen; `holds`: it is as it may be."""

    who: str
    policy: str
    outcome: str
    holds: bool

    @property
    def text(self) -> str:
        return self.outcome if self.holds else self.outcome + UNEXPECTED


def lines(entries: Sequence[Entry], order: Sequence[str]) -> list[str]:
    """A head, a row for each that was played, in this order, and what all of it adds up to."""
    found = {(entry.who, entry.policy): entry.text for entry in entries}
    names = [name for name in order if any(entry.who == name for entry in entries)]
    rows = [("", *COLUMNS), *((who, *(found.get((who, column), "-") for column in COLUMNS)) for who in names)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    wrong = sum(not entry.holds for entry in entries)
    return [
        *(_line(row, widths) for row in rows),
        f"{len(names)} rows, {len(entries)} cells, {wrong} not as they may be",
    ]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
