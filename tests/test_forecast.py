"""What the rest may take, judging by what is done."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.forecast import Past, forecast

amounts = st.none() | st.floats(0, 1e6, allow_nan=False)
pasts = st.lists(st.builds(Past, st.integers(1, 9), amounts, amounts), max_size=12)
SLACK = 1e-6


@given(pasts, st.integers(0, 50))
def test_the_range_lies_within_the_best_and_the_worst(past: list[Past], count: int) -> None:
    found = forecast(past, count)
    if found is None:
        assert len(past) < 2 or count == 0
        return
    assert (found.open, found.stories) == (count, len(past))
    for told, values in (
        (found.attempts, [each.attempts for each in past]),
        (found.seconds, [each.seconds for each in past]),
        (found.cost_usd, [each.cost_usd for each in past]),
    ):
        known = [value for value in values if value is not None]
        assert (told is None) == (len(known) < 2)
        if told is not None:
            assert min(known) * count - SLACK <= told[0] + SLACK
            assert told[0] <= told[1] <= max(known) * count + SLACK + 0.5


@given(pasts, st.integers(1, 20))
def test_the_order_of_the_stories_and_what_is_unknown_do_not_count(past: list[Past], count: int) -> None:
    found = forecast(past, count)
    assert forecast(past[::-1], count) == found
    nobody_knows = Past(1, None, None)
    more = forecast([*past, nobody_knows], count)
    if found and more:
        assert (more.seconds, more.cost_usd) == (found.seconds, found.cost_usd)


@given(pasts, st.integers(1, 20))
def test_twice_the_stories_take_twice_as_much(past: list[Past], count: int) -> None:
    once, twice = forecast(past, count), forecast(past, 2 * count)
    if once and twice and once.cost_usd and twice.cost_usd:
        assert twice.cost_usd == pytest.approx((2 * once.cost_usd[0], 2 * once.cost_usd[1]))


def test_an_example() -> None:
    past = [Past(1, 600.0, 1.0), Past(2, 1200.0, 2.0), Past(1, 900.0, 1.5), Past(5, 9000.0, 20.0), Past(1, 700.0, None)]
    found = forecast(past, 10)
    assert found is not None
    assert (found.attempts, found.seconds) == ((10, 20), (7000.0, 12000.0))
    assert found.cost_usd == (13.75, 65.0)
    assert forecast([replace(past[0])], 10) is None
    assert forecast(past, 0) is None
