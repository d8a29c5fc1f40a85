"""A run's facts are a fold over its ledger."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph import events
from prd_ralph.facts import RunFold, percent
from prd_ralph.rules import Counts

RUN = "20310301T080000Z-4f2a"


def record(event: events.RunEvent, at: str = "2031-03-01T08:00:00Z") -> dict[str, Any]:
    return events.as_record(event, RUN, 1, at)


def begun(story: str, number: int, iteration: int = 1) -> dict[str, Any]:
    return record(
        events.IterationStarted(
            story=story, attempt=number, iteration=iteration, cap=9, title="T", charged=0, max_attempts=3
        )
    )


def judged(story: str, number: int, outcome: str = "failed") -> dict[str, Any]:
    return record(events.Judged(story=story, attempt=number, outcome=outcome, reason="", charged=True, duration_s=2.0))


def test_the_last_verdict_of_an_attempt_counts() -> None:
    run = RunFold.of(RUN, [begun("A", 1), judged("A", 1), judged("A", 1, "passed")]).run
    assert [(each.story, each.number, each.outcome) for each in run.attempts] == [("A", 1, "passed")]


def test_a_wait_is_as_long_as_until_the_next_event() -> None:
    waits = events.Waiting(reason="usage_limit", agents=("claude",), seconds=600.0, until=2.0e9)
    fold = RunFold.of(RUN, [record(waits)])
    before = fold.run
    fold.add(record(events.Warned(message="on"), "2031-03-01T08:01:30Z"))
    told = [(each.waits[0].seconds, each.waiting is None) for each in (before, fold.run)]
    assert told == [(600.0, False), (90.0, True)]


def test_what_is_set_aside_alone_is_no_attempt_of_the_run() -> None:
    run = RunFold.of(RUN, [record(events.SetAside(story="A", attempt=1, ref="r"))]).run
    assert run.attempts == ()


@given(
    st.lists(st.none() | st.dictionaries(st.text(max_size=5), st.text(max_size=5)), max_size=5),
    st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 3)), max_size=8),
)
def test_lines_that_are_none_change_nothing_else(garbage: list[Any], attempts: list[tuple[str, int]]) -> None:
    told = [line for story, number in attempts for line in (begun(story, number), judged(story, number))]
    clean, torn = RunFold.of(RUN, told).run, RunFold.of(RUN, [*garbage, *told]).run
    assert (torn.attempts, torn.unreadable) == (clean.attempts, len(garbage))


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_hundred_percent_is_all_of_them(passed: int, failing: int) -> None:
    counts = Counts(passed + failing, passed, failing, 0, 0)
    assert (percent(counts) == 100) == (failing == 0 and passed > 0)
