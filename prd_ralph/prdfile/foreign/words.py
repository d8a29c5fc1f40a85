"""Words for where a story stands and how much it matters, as other tools write them."""

import re
from enum import Enum
from math import isfinite

from prd_ralph.prdfile.positions import Json, number

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)


class Standing(Enum):
    """What a status word says; `HELD` is neither done nor to be run."""

    DONE = "done"
    OPEN = "open"
    HELD = "held"


STANDINGS = {
    Standing.DONE: ("done", "complete", "completed", "passes", "passed", "closed"),
    Standing.OPEN: (
        *("pending", "todo", "open", "planned", "not_started", "in_progress", "backlog", "ready", "failed"),
    ),
    Standing.HELD: ("skipped", "skip", "deferred", "blocked", "conditional", "superseded", "cancelled", "on_hold"),
}
_STANDING_OF = {word: standing for standing, words in STANDINGS.items() for word in words}
_RANKS = (("critical", "p0", "must"), ("high", "p1", "should"), ("medium", "p2", "could"), ("low", "p3", "won't"))
_RANK_OF = {word: rank for rank, words in enumerate(_RANKS, 1) for word in words} | {"p4": 5, "wont": 4}


def standing(word: str) -> Standing | None:
    """What the word says in any case, blanks and hyphens as `_`; None for one that is not known."""
    return _STANDING_OF.get(re.sub(r"[\s-]", "_", word.strip().lower()))


def numeric(priority: Json) -> int | float | None:
    """A priority that is a number, also one that is written as a text."""
    if isinstance(priority, str) and _NUMBER.fullmatch(priority.strip()):
        priority = number(priority.strip())
    if isinstance(priority, bool) or not isinstance(priority, (int, float)):
        return None
    return priority if isinstance(priority, int) or isfinite(priority) else None


def rank(priority: Json) -> int | None:
    """The number that a word as `high`, `P1` or `should` stands for."""
    word = priority.strip().lower().replace("’", "'") if isinstance(priority, str) else ""
    return _RANK_OF.get(word)
