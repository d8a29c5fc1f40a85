"""Idleness over made-up times."""

from prd_ralph.process.activity import Idleness, cpu_times_below

ONE, TWO = (1, 0.0), (2, 0.0)


def test_without_activity_the_limit_passes() -> None:
    idle = Idleness(100.0, now=0.0)
    assert (idle.due, idle.expired(99.9), idle.expired(100.0)) == (100.0, False, True)


def test_output_begins_the_limit_anew() -> None:
    idle = Idleness(100.0, now=0.0)
    idle.active(60.0)
    assert (idle.due, idle.expired(100.0), idle.expired(160.0)) == (160.0, False, True)


def test_the_processors_are_looked_at_by_quarters_but_at_least_once_a_minute() -> None:
    assert Idleness(100.0, 0.0, dict).due == 25.0
    assert Idleness(1800.0, 0.0, dict).due == 60.0


def test_only_work_above_a_fiftieth_of_a_core_is_activity() -> None:
    for share, expired in ((0.019, True), (0.021, False)):
        looks = iter([{ONE: share * 25 * n} for n in range(1, 5)])
        idle = Idleness(100.0, 0.0, lambda looks=looks: next(looks))  # type: ignore[misc]
        assert [idle.expired(25.0 * n) for n in range(1, 5)][-1] is expired


def test_work_of_processes_that_have_ended_is_not_taken_back() -> None:
    looks = iter([{ONE: 500.0}, {TWO: 0.0}, {TWO: 10.0}])
    idle = Idleness(100.0, 0.0, lambda: next(looks))
    assert not idle.expired(25.0)
    assert not idle.expired(50.0)
    assert idle.due == 75.0
    assert not idle.expired(75.0)
    assert idle.due == 100.0


def test_a_tree_that_is_gone_has_used_nothing() -> None:
    assert cpu_times_below(2**22 + 1) == {}
