"""What the rest of a PRD may cost and take, judging by the stories that are done: a range, never a promise."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles

Range = tuple[float, float]

ENOUGH = 2
"""Stories of which something must be known: one alone makes no range."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a story that passes took, all its attempts together. None: not known of each of them."""

    attempts: int
    seconds: float | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What `open` more stories may take, judging by `stories` others: the least and the most, if each is one of the
    middle half of those. None where too few are known.
    """

    open: int
    stories: int
    attempts: tuple[int, int]
    seconds: Range | None
    cost_usd: Range | None


def forecast(past: Sequence[Past], open_stories: int) -> Forecast | None:
    """None where nothing is open, or too few stories are done."""
    attempts = _range([story.attempts for story in past], open_stories)
    if attempts is None or open_stories < 1:
        return None
    return Forecast(
        open=open_stories,
        stories=len(past),
        attempts=(round(attempts[0]), round(attempts[1])),
        seconds=_range([story.seconds for story in past], open_stories),
        cost_usd=_range([story.cost_usd for story in past], open_stories),
    )


def _range(values: Iterable[float | None], times: int) -> Range | None:
    """The middle half of what is known, so many times."""
    known = [value for value in values if value is not None]
    if len(known) < ENOUGH:
        return None
    low, _, high = quantiles(known, n=4, method="inclusive")
    return low * times, high * times
