"""What the rest may cost and take: read out of the ledgers, and as it is told."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from prd_ralph.cli.recorded import Record
from prd_ralph.console import duration, plural
from prd_ralph.forecast import Forecast, Past
from prd_ralph.model import StoryState
from prd_ralph.rules import Standing

_LARGE = 1e9


def past_of(records: Iterable[Record], passing: Collection[str]) -> list[Past]:
    """What the stories took that pass and that runs landed; those that no agent was started for are left out."""
    costs: dict[str, dict[object, float | None]] = defaultdict(dict)
    seconds: dict[str, dict[object, float | None]] = defaultdict(dict)
    landed: set[str] = set()
    for record in records:
        story, attempt = record.get("story"), (record["run"], record.get("attempt"))
        if not isinstance(story, str) or story not in passing:
            continue
        match record["kind"]:
            case "agent_started":
                costs[story].setdefault(attempt, None)
            case "agent_finished":
                costs[story][attempt] = amount(record.get("cost_usd"))
            case "judged":  # the last one of an attempt counts
                seconds[story][attempt] = amount(record.get("duration_s"))
            case "landed":
                landed.add(story)
    return [
        Past(len(starts), _sum(seconds[story].values()), _sum(starts.values()))
        for story, starts in costs.items()
        if story in landed
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


def in_words(found: dict[str, Any]) -> str:
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


def amount(value: object) -> float | None:
    """A number of a ledger's that can be counted with; what stands there may be anybody's."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _LARGE:
        return None
    return float(value)
