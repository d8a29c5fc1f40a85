"""Agents that cannot be had for a while: until when, why, and how many failures of the kind in a row. Pure.

A usage limit ends at the moment that the vendor names; a transient failure is waited out, a little longer each time;
without credit an agent is of no use for the rest of the run. None of it is an attempt of the story's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Protocol

from prd_ralph.model import FailureClass, Limits, Outcome, StopReason, Verdict

LEAST_S = 60.0
"""The shortest wait for the end of a usage limit: what names an earlier end is a clock that goes wrong."""

AFTER_RESET_S = 5.0
_UNKNOWN_S = (300.0, 900.0, 1800.0, 3600.0)
_FIRST_S, _MOST_S = 15.0, 600.0


class Clocks(Protocol):
    """What of a clock is needed to know the moment."""

    def unix(self) -> float: ...

    def monotonic(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Moment:
    """Now, by two clocks: `unix` goes on while the machine sleeps and may be set, `steady` never goes back."""

    unix: float
    steady: float

    @classmethod
    def by(cls, clock: Clocks) -> "Moment":
        return cls(clock.unix(), clock.monotonic())


@dataclass(frozen=True, slots=True)
class Pause:
    """Why an agent cannot be had: `row` failures of this kind in a row. It is over as soon as one of the two clocks
    says so: a machine that has slept past it goes on at once, a clock that is set back does not make it longer.
    """

    why: FailureClass
    row: int
    until: Moment

    def left(self, now: Moment) -> float:
        """Seconds until it is over; infinite where that is not in this run."""
        return max(0.0, min(self.until.unix - now.unix, self.until.steady - now.steady))

    @property
    def is_for_good(self) -> bool:
        """Whether the agent is of no more use in this run."""
        return self.until.unix == inf

    @property
    def stop(self) -> StopReason:
        """What a run ends with that has nobody else, and does not wait."""
        return _STOPS[self.why]


@dataclass(frozen=True, slots=True)
class Pauses:
    """By agent, its last pause, be it over or not; and how many seconds were waited in this run."""

    agents: Mapping[str, Pause] = field(default_factory=dict)
    waited_s: float = 0.0

    def after(self, agent: str, pause: Pause | None) -> "Pauses":
        """With what one more start of `agent` has come to; None: it has worked, whatever came of it."""
        others = {name: each for name, each in self.agents.items() if name != agent}
        return replace(self, agents={**others, agent: pause} if pause else others)

    def away(self, now: Moment) -> dict[str, Pause]:
        """The agents that cannot be had now; the one that is back first comes first."""
        found = [(name, pause) for name, pause in self.agents.items() if pause.left(now) > 0]
        return dict(sorted(found, key=lambda each: each[1].left(now)))


def pause_after(
    verdict: Verdict, reset_at: float | None, before: Pause | None, now: Moment, limits: Limits, jitter: float
) -> Pause | None:
    """What an attempt's end makes of its agent. `before`: that agent's last pause; `reset_at`: Unix time, where the
    agent named the end of its limit; `jitter`: from 0 up to 1, by chance.
    """
    why = _why(verdict)
    if why is None:
        return None
    row = before.row + 1 if before is not None and before.why is why else 1
    if why is FailureClass.USAGE_LIMIT:
        seconds = limit_wait(reset_at, row, now.unix, limits.wait_s)
    elif why is FailureClass.TRANSIENT and row <= limits.transient:
        seconds = back_off(row, jitter)
    else:
        seconds = inf
    return Pause(why, row, Moment(now.unix + seconds, now.steady + seconds))


def limit_wait(reset_at: float | None, row: int, now: float, most: float) -> float:
    """Seconds to wait for the end of a usage limit, `most` at once. Where its end isn't known, or was before `now`,
    longer with each limit in a row.
    """
    if reset_at is not None and isfinite(reset_at) and reset_at > now:
        seconds = reset_at - now + AFTER_RESET_S
    else:
        seconds = _UNKNOWN_S[min(row, len(_UNKNOWN_S)) - 1]
    return min(max(seconds, LEAST_S), most)


def back_off(row: int, jitter: float) -> float:
    """Seconds before the next start after `row` transient failures: twice as many each time, up to ten minutes, of
    which between half and all, so that many runs do not come back at once.
    """
    whole = min(_MOST_S, _FIRST_S * 2.0 ** min(row - 1, 16))
    return whole * (0.5 + 0.5 * jitter)


def _why(verdict: Verdict) -> FailureClass | None:
    """What of a verdict is waited for, or is a reason to take another agent."""
    if verdict.outcome is Outcome.USAGE_LIMIT:
        return FailureClass.USAGE_LIMIT
    if verdict.outcome is Outcome.AGENT_ERROR:
        return next((each for each in (FailureClass.TRANSIENT, FailureClass.CREDITS) if each == verdict.reason), None)
    return None


_STOPS = {
    FailureClass.USAGE_LIMIT: StopReason.USAGE_LIMIT,
    FailureClass.TRANSIENT: StopReason.AGENT_FAILING,
    FailureClass.CREDITS: StopReason.CREDITS,
}
