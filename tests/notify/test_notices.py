"""What of a run's events is worth a notice."""

from typing import Any

import pytest

from prd_ralph import events
from prd_ralph.notify import Notice, Notices
from tests.console.happened import agent_finished, iteration, judged, run_started

ALL = ("finished", "stopped", "stuck", "waiting", "budget")


def finished(**changes: Any) -> events.RunFinished:
    values: dict[str, Any] = {
        "stop": "complete",
        "exit": 0,
        "reason": "",
        "total": 3,
        "passed": 3,
        "failing": 0,
        "blocked": 0,
        "skipped": 0,
        "iterations": 4,
        "duration_s": 5400.0,
        "cost_usd": None,
        "branch": "ralph/x",
    }
    return events.RunFinished(**(values | changes))


def waiting(seconds: float) -> events.Waiting:
    return events.Waiting(reason="usage_limit", agents=("claude", "codex"), seconds=seconds, until=0.0)


def stalled(answer: str) -> events.Stalled:
    return events.Stalled(story="US-001", attempt=2, times=3, answer=answer)


def asked(what: str, text: str = "Which\n database?") -> events.Asked:
    return events.Asked(story="US-001", attempt=1, what=what, text=text)


def told(*happened: events.RunEvent, wanted: tuple[str, ...] = ALL, max_cost: float | None = None) -> list[Notice]:
    notices = Notices(wanted, max_cost)
    found = (notices.of(event) for event in (run_started(), *happened))
    return [notice for notice in found if notice is not None]


def test_a_run_that_is_complete() -> None:
    text = "3 passed, 4 agent starts in 1h30m, $2.50, branch ralph/x"
    assert told(finished(cost_usd=2.5)) == [Notice("finished", "TaskFlow: finished, 3 of 3 stories pass", text)]


def test_a_run_that_has_stopped_says_why_and_what_to_do() -> None:
    event = finished(stop="auth", exit=3, reason="not\nlogged in", hint="log in", passed=1, failing=1, blocked=1)
    (notice,) = told(event)
    assert (notice.what, notice.title) == ("stopped", "TaskFlow: stopped (auth), 1 of 3 stories pass")
    assert notice.text.splitlines()[:2] == ["not logged in", "log in"]
    assert "1 passed, 1 failing, 1 blocked, 4 agent starts" in notice.text


def test_an_end_for_want_of_money_is_of_the_budget_where_that_is_wanted() -> None:
    event = finished(stop="cost", exit=4)
    assert [notice.what for notice in told(event)] == ["budget"]
    assert [notice.what for notice in told(event, wanted=("stopped",))] == ["stopped"]
    assert told(event, wanted=("finished",)) == []


def test_the_budget_is_named_once_when_nearly_spent() -> None:
    costs = [agent_finished(cost_usd=cost) for cost in (7.0, None, 0.9, 0.1, 0.5)]
    assert told(*costs, max_cost=10.0) == [
        Notice(
            "budget",
            "TaskFlow: $8.00 of $10.00 are spent",
            "$8.00 of $10.00 are spent. The run stops when all of it is.",
        )
    ]
    assert told(*costs) == []


def test_only_a_long_wait() -> None:
    assert told(waiting(299.0)) == []
    assert told(waiting(4 * 3600.0)) == [Notice("waiting", "TaskFlow: waits for 4h", "usage_limit: claude, codex")]


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            stalled("set_aside"),
            "US-001 attempt 2: 3 attempts came to the same, and failed with the same; it is set aside",
        ),
        (stalled("stop"), "US-001 attempt 2: 3 attempts came to the same, and failed with the same; the run stops"),
        (asked("stuck", "no\n key"), "US-001 attempt 1: the agent says that it is stuck: no key"),
    ],
)
def test_who_needs_a_person(event: events.RunEvent, text: str) -> None:
    assert told(event) == [Notice("stuck", "TaskFlow: US-001 needs you", text)]


def test_what_goes_on_without_a_person_is_none() -> None:
    assert told(stalled("tell"), stalled("escalate"), asked("question")) == []


def test_a_story_whose_attempts_are_used_up_is_told_once() -> None:
    failed = judged("failed", "")
    assert told(iteration(), failed, iteration(charged=1), failed) == []
    last = (iteration(charged=2), failed, failed, asked("stuck"))
    (notice,) = told(*last)
    assert notice.text == "US-001 attempt 1: all of its 3 attempts are used up; the last one: failed"


def test_what_is_not_charged_or_has_passed_uses_nothing_up() -> None:
    uncharged, passed = judged("usage_limit", "", charged=False), judged("passed", "")
    assert told(iteration(charged=2), uncharged, iteration(charged=2), passed) == []


def test_only_what_is_wanted() -> None:
    happened = (waiting(1e6), asked("stuck"), stalled("stop"), finished(), finished(stop="auth"))
    for word in ALL[:4]:
        assert {notice.what for notice in told(*happened, wanted=(word,))} == {word}
    assert told(*happened, wanted=()) == []


def test_what_an_agent_says_is_cut_and_made_plain() -> None:
    (notice,) = told(asked("stuck", "\x1b[31m" + "x" * 10_000))
    assert "\x1b" not in notice.text
    assert len(notice.text) < 1000
