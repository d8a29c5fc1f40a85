"""Which story comes first: numbers as they are, words by their rank, the rest after all that is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from prd_ralph.prdfile.foreign.finding import Entry
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.shapes import is_empty
from prd_ralph.prdfile.foreign.words import numeric, rank
from prd_ralph.prdfile.source import Object

Number = int | float


@dataclass(frozen=True, slots=True)
class Wish:
    """A story's place as it is written; None where nothing that can be read is."""

    number: Number | None
    in_words: bool = False


def priorities_of(
    entries: tuple[tuple[Entry, Object], ...], passing: Sequence[bool], pointer: str, findings: Findings
) -> tuple[Number, ...]:
    """A number for each story; `pointer` is that of the stories."""
    wishes = [wish_of(story) for _, story in entries]
    known = [wish for wish in wishes if wish.number is not None]
    if len({wish.in_words for wish in known}) == 2:
        findings.warn("priority_mixed", f"{pointer}/priority")
    for (entry, story), wish, passes in zip(entries, wishes, passing, strict=True):
        if wish.number is None and not is_empty(story.get("priority")):
            findings.warn("priority_unknown", (*entry.path, "priority"))
        elif wish.number is None and known and not passes:
            findings.warn("priority_missing", entry.path)
    return filled([wish.number for wish in wishes])


def wish_of(story: Object) -> Wish:
    """What `priority` says."""
    written = story.get("priority")
    number = numeric(written)
    return Wish(number) if number is not None else Wish(rank(written), in_words=True)


def filled(numbers: Sequence[Number | None]) -> tuple[Number, ...]:
    """1..n where there is none at all; else the missing get the largest, rounded down, plus 1."""
    known = [number for number in numbers if number is not None]
    if not known:
        return tuple(range(1, len(numbers) + 1))
    last = floor(max(known)) + 1
    return tuple(last if number is None else number for number in numbers)
