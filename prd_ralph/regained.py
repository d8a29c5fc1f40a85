"""What a run that was killed had made of attempts that got nowhere, from its own events.

A story that it had given up stays so, an answer to a stall is given once, and who said that it is stuck has said so: or
each kill would buy the same attempts again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from prd_ralph import events
from prd_ralph.asking import STUCK_TOLD
from prd_ralph.nowhere import given_up, said_stuck, stalled
from prd_ralph.stalls import Streak
from prd_ralph.tally import Tally


def regained(tally: Tally, told: Iterable[events.RunEvent], on_stall: tuple[str, ...]) -> Tally:
    """`tally` with it. `on_stall`: the answers to stalls. A row of attempts that were alike begins anew: with what is
    committed at a start, the tree is another one.
    """
    for event in told:
        match event:
            case events.Asked(what="stuck"):
                tally = _stuck(tally, event)
            case events.Stalled():
                tally = _answered(tally, event, on_stall)
    return tally


def _stuck(tally: Tally, event: events.Asked) -> Tally:
    tally = replace(tally, stuck=_with(tally.stuck, event.story, event.times))
    return given_up(tally, event.story, said_stuck(event.text)) if event.times >= STUCK_TOLD else tally


def _answered(tally: Tally, event: events.Stalled, on_stall: tuple[str, ...]) -> Tally:
    story = event.story
    streak = tally.streaks.get(story, Streak())
    used = next((n for n, each in enumerate(on_stall, 1) if n > streak.answered and each == event.answer), None)
    streak = replace(streak, answered=streak.answered if used is None else used)
    tally = replace(tally, streaks={**tally.streaks, story: streak})
    match event.answer:
        case "escalate":
            return replace(tally, escalated=_with(tally.escalated, story, tally.escalated.get(story, 0) + 1))
        case "set_aside":
            return given_up(tally, story, stalled(event.times))
        case _:
            return tally


def _with(counts: Mapping[str, int], story: str, count: int) -> dict[str, int]:
    return {**counts, story: count}
