"""When an agent is back: the pure rules, and the clock that makes waits short."""

import os
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.clock import FastClock, SystemClock, clock_of
from prd_ralph.model import FailureClass, Limits, Outcome, StopReason, Verdict
from prd_ralph.waits import Moment, Pause, Pauses, back_off, limit_wait, pause_after

NOW = Moment(1_900_000_000.0, 5_000.0)
LIMITED = Verdict(Outcome.USAGE_LIMIT)
BUSY = Verdict(Outcome.AGENT_ERROR, "transient")
BROKE = Verdict(Outcome.AGENT_ERROR, "credits")
times = st.floats(0, 4e9)
jitters = st.floats(0, 1, exclude_max=True)


def after(verdict: Verdict, before: Pause | None = None, reset_at: float | None = None, **limits: float) -> Pause:
    pause = pause_after(verdict, reset_at, before, NOW, Limits(**limits), 0.5)  # type: ignore[arg-type]
    assert pause is not None
    return pause


@given(reset=st.none() | st.floats(), row=st.integers(1, 10**6), now=times, most=st.floats(1, 1e7))
def test_a_wait_for_a_limit_is_never_endless_and_seldom_short(
    reset: float | None, row: int, now: float, most: float
) -> None:
    seconds = limit_wait(reset, row, now, most)
    assert min(60.0, most) <= seconds <= most
    if reset is not None and now < reset < now + most - 10:
        assert seconds >= reset - now


@pytest.mark.parametrize("reset", [None, nan, inf, -inf, NOW.unix, NOW.unix - 1e6])
def test_a_reset_that_says_nothing_makes_waits_that_grow(reset: float | None) -> None:
    waits = [limit_wait(reset, row, NOW.unix, 6 * 3600) for row in (1, 2, 3, 4, 5, 100)]
    assert waits == [300, 900, 1800, 3600, 3600, 3600]


@given(row=st.integers(1, 10**6), one=jitters, other=jitters)
def test_pauses_grow_to_ten_minutes_each_by_chance_a_little_shorter(row: int, one: float, other: float) -> None:
    whole = min(600.0, 15.0 * 2 ** min(row - 1, 10))
    assert whole / 2 <= back_off(row, one) <= whole
    assert back_off(row + 1, other) >= back_off(row, one) / 2
    assert (one < other) <= (back_off(row, one) <= back_off(row, other))


def test_only_what_time_or_another_agent_helps_with_makes_a_pause() -> None:
    for verdict in (
        Verdict(Outcome.PASSED),
        Verdict(Outcome.FAILED),
        Verdict(Outcome.TIMED_OUT, "wall"),
        *(Verdict(Outcome.AGENT_ERROR, str(word)) for word in ("auth", "bad_model", "error", "lost", "")),
    ):
        assert pause_after(verdict, NOW.unix + 60, after(BUSY), NOW, Limits(), 0.5) is None


def test_failures_are_counted_by_their_kind() -> None:
    first = after(BUSY)
    assert (first.why, first.row, after(BUSY, first).row, after(LIMITED, after(BUSY, first)).row) == (
        FailureClass.TRANSIENT,
        1,
        2,
        1,
    )
    assert after(BUSY, after(LIMITED)).row == 1


def test_so_many_transient_failures_are_waited_out_and_no_more() -> None:
    first = after(BUSY, transient=2)
    second = after(BUSY, first, transient=2)
    third = after(BUSY, second, transient=2)
    assert [each.is_for_good for each in (first, second, third)] == [False, False, True]
    assert (third.stop, after(BROKE).stop, after(LIMITED).stop) == (
        StopReason.AGENT_FAILING,
        StopReason.CREDITS,
        StopReason.USAGE_LIMIT,
    )
    assert after(BROKE).is_for_good
    assert after(BROKE).left(Moment(9e9, 9e9)) == inf


@given(slept=st.floats(0, 1e7), set_back=st.floats(0, 1e7))
def test_either_clock_ends_a_pause(slept: float, set_back: float) -> None:
    pause = after(LIMITED, reset_at=NOW.unix + 3600)
    # A machine that slept: only the wall clock has gone on. One that was set back: only the other.
    assert pause.left(Moment(NOW.unix + slept, NOW.steady)) == pytest.approx(max(0, 3605 - slept), abs=1e-3)
    assert pause.left(Moment(NOW.unix - set_back, NOW.steady + slept)) == pytest.approx(max(0, 3605 - slept), abs=1e-3)


def test_who_is_back_first_comes_first() -> None:
    pauses = Pauses().after("a", after(LIMITED)).after("b", after(BUSY)).after("c", after(BROKE)).after("d", None)
    assert list(pauses.away(NOW)) == ["b", "a", "c"]
    assert list(pauses.away(Moment(NOW.unix + 100, NOW.steady))) == ["a", "c"]
    assert list(pauses.after("a", None).away(NOW)) == ["b", "c"]
    assert pauses.agents.keys() == {"a", "b", "c"}


def test_by_the_fast_clock_a_sleep_takes_no_time() -> None:
    fast, true = clock_of({"PRD_RALPH_CLOCK": "fast"}), SystemClock()
    assert isinstance(fast, FastClock)
    before = Moment.by(fast)
    fast.sleep(86400)
    fast.sleep(-5)
    assert Moment.by(fast).steady - before.steady >= 86400
    assert 86399 < fast.unix() - true.unix() < 86401
    assert fast.now() > true.now()
    assert fast.woken_by(0) is fast


@pytest.mark.parametrize("env", [{}, {"PRD_RALPH_CLOCK": ""}, {"PRD_RALPH_CLOCK": "slow"}])
def test_the_machines_clock_is_the_one_without_that_word(env: dict[str, str]) -> None:
    assert not isinstance(clock_of(env), FastClock)


def test_what_wakes_a_clock_ends_its_sleep() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"!")
    SystemClock().woken_by(reading).sleep(3600)
    SystemClock().sleep(0)
    os.close(reading)
    os.close(writing)
