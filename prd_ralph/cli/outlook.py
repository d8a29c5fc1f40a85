"""What the rest may cost and take: judged by what ledgers tell, and as it is told."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from prd_ralph.facts import AttemptFacts, RunFacts
from prd_ralph.forecast import Forecast, Past
from prd_ralph.model import StoryState
from prd_ralph.rules import Standing
from prd_ralph.wording import duration, plural


def past_of(runs: Iterable[RunFacts], passing: Collection[str]) -> list[Past]:
    """What the stories took that pass and that runs landed; those that no agent was started for are left out."""
    attempts: dict[str, list[AttemptFacts]] = defaultdict(list)
    for run in runs:
        for attempt in run.attempts:
            attempts[attempt.story].append(attempt)
    return [
        Past(
            sum(each.started for each in those),
            _sum(each.duration_s for each in those if each.outcome),
            _sum(each.cost_usd for each in those if each.started),
        )
        for story, those in attempts.items()
        if story in passing and any(each.commit for each in those) and any(each.started for each in those)
    ]


def open_count(where: Iterable[Standing]) -> int:
    """How many stories are still to be done: all but those that pass, or that nobody is to work on."""
    return sum(standing.state not in (StoryState.PASSES, StoryState.SKIPPED) for standing in where)


def told(found: Forecast | None) -> dict[str, Any] | None:
    """As `forecast` of `status --json` has it."""
    if found is None:
        return None
    return {
        "cost_usd": [round(cost, 4) for cost in found.cost_usd] if found.cost_usd else None,
        "seconds": [round(seconds, 1) for seconds in found.seconds] if found.seconds else None,
        "attempts": list(found.attempts),
        "stories": found.open,
        "from": found.stories,
    }


def in_words(found: Mapping[str, Any]) -> str:
    """`the rest (5 stories): 3.10–8.40 USD, 40m–2h 10m, judging by 6 stories`."""
    cost, seconds, attempts = found["cost_usd"], found["seconds"], found["attempts"]
    parts = (
        _between(f"{cost[0]:.2f}", f"{cost[1]:.2f}", " USD") if cost else "cost unknown",
        _between(duration(seconds[0]), duration(seconds[1])) if seconds else "time unknown",
        _between(str(attempts[0]), str(attempts[1]), " attempt" if attempts[1] == 1 else " attempts"),
        f"judging by {plural(found['from'], 'story')}",
    )
    return f"the rest ({plural(found['stories'], 'story')}): {', '.join(parts)}"


def _between(low: str, high: str, unit: str = "") -> str:
    return f"{low if low == high else f'{low}–{high}'}{unit}"


def _sum(values: Iterable[float | None]) -> float | None:
    """None where one of them is unknown."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return sum(known) if known and len(known) == len(listed) else None
