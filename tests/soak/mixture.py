"""What the agents of a soak do, one start after the other: drawn once, from a seed, and then written down."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FAILURES = (
    "fail",
    "fail",
    "fail",
    "crash",
    "hang",
    "limit",
    "limit-reset",
    "overloaded",
    "network",
    "memory",
    "daemon",
    "chatter",
    "commit",
    "lost",
)
"""What an agent may do instead of its work; `fail`, the everyday case, three times as often."""

EARLY = ("kill-runner", "kill-runner", "kill-runner", "freeze-runner", "disk-full")
"""Each once, in the first fifth: from there on one process does all the rest, so that its memory can be compared."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """By story, in the order of their starts, what its agents do; the last is `pass`."""

    stories: Mapping[str, tuple[str, ...]]

    @property
    def starts(self) -> int:
        return sum(map(len, self.stories.values()))

    def count(self, kind: str) -> int:
        return sum(each.count(kind) for each in self.stories.values())


def mixture(starts: int, seed: int) -> Mixture:
    """So many agent starts in all: stories of one to eight, of which the last passes."""
    draw = random.Random(seed)
    lengths = list(_lengths(starts - len(EARLY), draw))
    stories = [[*draw.choices(FAILURES, k=length - 1), "pass"] for length in lengths]
    for kind, story in zip(EARLY, _first(stories), strict=False):
        story.insert(0, kind)
    return Mixture({f"US-{number:03}": tuple(kinds) for number, kinds in enumerate(stories, 1)})


def _first(stories: Sequence[list[str]]) -> Sequence[list[str]]:
    return stories[1 : 1 + len(EARLY)]


def _lengths(total: int, draw: random.Random) -> Iterator[int]:
    while total > 0:
        length = min(total, draw.randint(1, 8))
        total -= length
        yield length
