"""What a run has spent, and which cap that reaches."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import Limits, Tokens
from prd_ralph.spending import Spending, Start, run_cap, spent_up

costs = st.none() | st.floats(0, 100, allow_nan=False)
used = st.none() | st.builds(Tokens, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
starts = st.lists(
    st.tuples(st.sampled_from(["US-1", "US-2"]), st.builds(Start, st.integers(1, 9), costs, used, st.booleans()))
)


def spending(*given: tuple[str, Start]) -> Spending:
    total = Spending()
    for story, start in given:
        total = total.after(story, start)
    return total


def of_costs(*amounts: float | None) -> Spending:
    return spending(*(("US-1", Start(number, cost)) for number, cost in enumerate(amounts, 1)))


@given(starts)
def test_the_stories_add_up_to_the_run(given: list[tuple[str, Start]]) -> None:
    total = spending(*given)
    by_story = [total.cost_of(story) for story in ("US-1", "US-2")]
    known = [cost for cost in by_story if cost is not None]
    assert total.cost_usd is None if not known else math.isclose(total.cost_usd or 0, sum(known), abs_tol=1e-9)
    assert total.unpriced == sum(start.cost_usd is None for _, start in given)
    assert total.uncounted == sum(start.tokens is None for _, start in given)
    assert total.estimated == sum(start.estimated for _, start in given)
    told = [start.tokens for _, start in given if start.tokens]
    assert (total.tokens or Tokens()).total == sum(each.total for each in told)


@given(starts, st.floats(0.01, 300), st.integers(1, 10**7))
def test_once_a_cap_is_reached_it_stays_so(given: list[tuple[str, Start]], cap: float, tokens: int) -> None:
    limits = Limits(cost_usd=cap, story_cost_usd=cap, tokens=tokens)
    totals = [spending(*given[:count]) for count in range(len(given) + 1)]
    reached = [run_cap(total, limits) is not None for total in totals]
    assert all(not before or after for before, after in pairwise(reached))
    assert all(spent_up(one, limits).keys() <= spent_up(next_, limits).keys() for one, next_ in pairwise(totals))


@given(starts)
def test_what_is_unknown_satisfies_no_cap(given: list[tuple[str, Start]]) -> None:
    total = spending(*given)
    for limits in (Limits(cost_usd=1e9), Limits(story_cost_usd=1e9)):
        assert (run_cap(total, limits) is not None) == (total.unpriced > 0)
    assert (run_cap(total, Limits(tokens=10**9)) is not None) == (total.uncounted > 0)
    assert run_cap(total, Limits()) is None


def test_what_is_reached_is_named() -> None:
    reached = run_cap(of_costs(1.5, 1.11), Limits(cost_usd=2.5))
    assert reached is not None
    assert reached.reason == "--max-cost: 2.61 of 2.50 USD used"
    assert run_cap(of_costs(1.5, 0.99), Limits(cost_usd=2.5)) is None
    assert spent_up(of_costs(1.5, 1.11), Limits(story_cost_usd=2.5)) == {"US-1": "cost: 2.61 of 2.50 USD used"}
    unknown = run_cap(of_costs(0.1, None), Limits(story_cost_usd=2.5))
    assert unknown is not None
    assert unknown.reason == "the cost of US-1 attempt 2 is not known"
    counted = spending(("US-1", Start(1, None, Tokens(700, 200, 100))))
    tokens = run_cap(counted, Limits(tokens=1000))
    assert tokens is not None
    assert tokens.reason == "--max-tokens: 1,000 of 1,000 used"
    assert run_cap(counted, Limits(tokens=1001)) is None


def test_ten_dimes_are_a_dollar() -> None:
    assert run_cap(of_costs(*[0.1] * 10), Limits(cost_usd=1.0)) is not None
    assert run_cap(of_costs(*[0.1] * 9), Limits(cost_usd=1.0)) is None
