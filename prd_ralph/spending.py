"""What a run has spent, start by start, and which cap that reaches. What is unknown satisfies no cap."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from prd_ralph.model import Limits, Tokens


@dataclass(frozen=True, slots=True)
class Start:
    """One start of an agent, which was a story's attempt `number`. None: not known.

    `estimated`: the cost was not told by the agent.
    """

    number: int
    cost_usd: float | None = None
    tokens: Tokens | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Spending:
    """The starts of agents, by story in the order of their first one."""

    starts: Mapping[str, tuple[Start, ...]] = field(default_factory=dict)

    def after(self, story: str, start: Start) -> "Spending":
        """With one more start."""
        return Spending({**self.starts, story: (*self.starts.get(story, ()), start)})

    @property
    def cost_usd(self) -> float | None:
        """What is known to have been spent; None where nothing is known."""
        return known_sum(start.cost_usd for start in self._all())

    def cost_of(self, story: str) -> float | None:
        """As `cost_usd`, for one story."""
        return known_sum(start.cost_usd for start in self.starts.get(story, ()))

    @property
    def unpriced(self) -> int:
        """How many starts cost nobody knows what."""
        return sum(start.cost_usd is None for start in self._all())

    @property
    def estimated(self) -> int:
        """How many starts' cost no agent told."""
        return sum(start.estimated for start in self._all())

    @property
    def tokens(self) -> Tokens | None:
        """The tokens that are known of; None where none are."""
        known = [start.tokens for start in self._all() if start.tokens is not None]
        total = Tokens()
        for tokens in known:
            total = total.plus(tokens)
        return total if known else None

    @property
    def uncounted(self) -> int:
        """How many starts took nobody knows how many tokens."""
        return sum(start.tokens is None for start in self._all())

    @property
    def told(self) -> dict[str, Any]:
        """The sums, as `run_finished` has them."""
        tokens = self.tokens
        return {
            "cost_usd": self.cost_usd,
            "unpriced": self.unpriced,
            "estimated": self.estimated,
            "tokens_in": tokens.input if tokens else None,
            "tokens_out": tokens.output if tokens else None,
            "tokens_cached": tokens.cached if tokens else None,
            "uncounted": self.uncounted,
        }

    def _all(self) -> Iterator[Start]:
        return (start for starts in self.starts.values() for start in starts)


@dataclass(frozen=True, slots=True)
class Reached:
    """A cap that ends a run: which one and by what, and what to do about it."""

    reason: str
    hint: str


_FRESH = "the same command again has fresh budgets; or allow more"


def run_cap(spending: Spending, limits: Limits) -> Reached | None:
    """The cap of a run that allows no further start of an agent, the first that does not; None: there is none.

    A start whose cost or tokens nobody knows ends a run that has a cap on them: it may have been the last one.
    """
    money = limits.cost_usd is not None or limits.story_cost_usd is not None
    if money and (whose := _unknown(spending, lambda start: start.cost_usd is None)):
        return Reached(f"the cost of {whose} is not known", "say what such an attempt counts for: --assume-cost USD")
    if limits.tokens is not None and (whose := _unknown(spending, lambda start: start.tokens is None)):
        return Reached(f"the tokens of {whose} are not known", "cap the money instead: --max-cost, with --assume-cost")
    spent = spending.cost_usd or 0.0
    if limits.cost_usd is not None and spent >= limits.cost_usd:
        return Reached(f"--max-cost: {_used(spent, limits.cost_usd)}", _FRESH)
    tokens = spending.tokens or Tokens()
    if limits.tokens is not None and tokens.total >= limits.tokens:
        return Reached(f"--max-tokens: {tokens.total:,} of {limits.tokens:,} used", _FRESH)
    return None


def spent_up(spending: Spending, limits: Limits) -> dict[str, str]:
    """By story why it gets no further attempt: what it cost has reached its cap."""
    cap = limits.story_cost_usd
    if cap is None:
        return {}
    costs = {story: spending.cost_of(story) or 0.0 for story in spending.starts}
    return {story: f"cost: {_used(cost, cap)}" for story, cost in costs.items() if cost >= cap}


def _unknown(spending: Spending, is_unknown: Callable[[Start], bool]) -> str:
    found = ((story, start) for story, starts in spending.starts.items() for start in starts if is_unknown(start))
    return next((f"{story} attempt {start.number}" for story, start in found), "")


def _used(cost: float, cap: float) -> str:
    """`2.61 of 2.50 USD used`; small amounts with all the digits that count."""
    digits = 2 if cap >= 0.1 else 6
    return f"{cost:.{digits}f} of {cap:.{digits}f} USD used"


def known_sum(costs: Iterable[float | None]) -> float | None:
    """The exact sum of those that are known, so that ten times 0.10 is 1.00; None where none is."""
    known = [cost for cost in costs if cost is not None]
    return fsum(known) if known else None
