"""The closing summary: what each story cost, why it did not pass, and one screen of it however many there are."""

from typing import Any

from prd_ralph.console.seen import Seen
from prd_ralph.console.summary import summary
from prd_ralph.events import Asked, RunFinished
from tests.console.happened import RUN, agent_finished, check, iteration, run_finished, run_started
from tests.support.project import story


def lines(finished: RunFinished, *before: object) -> list[str]:
    seen = Seen()
    for event in before:
        seen.add(event)  # type: ignore[arg-type]
    return [line for line, _ in summary(finished, seen, RUN)]


def of(story_id: str, passes: bool) -> dict[str, object]:
    return {**story(story_id), "passes": passes, "state": "passed" if passes else "ready", "attempts": 2}


def test_a_story_says_what_its_attempts_cost() -> None:
    happened = (
        run_started(),
        iteration(),
        agent_finished(cost_usd=0.25),
        iteration(charged=1),
        agent_finished(cost_usd=0.5),
        iteration("US-002"),
        agent_finished(story="US-002"),
        iteration("US-003"),
        agent_finished(story="US-003", cost_usd=0.125),
        agent_finished(story="US-003"),
    )
    stories = tuple(of(name, True) for name in ("US-001", "US-002", "US-003"))
    tokens: dict[str, Any] = {"tokens_in": 24_690, "tokens_out": 1356}
    shown = lines(run_finished(stories=stories, cost_usd=0.875, unpriced=2, **tokens), *happened)
    assert "· $0.88 and unknown for 2 attempts · 24.7k tokens in · 1.4k out" in shown[2]
    assert shown[3:6] == [
        "  ✓ US-001 Title of US-001 · passed · 2 attempts · $0.75",
        "  ✓ US-002 Title of US-002 · passed · 2 attempts",
        "  ✓ US-003 Title of US-003 · passed · 2 attempts · $0.12 and unknown for 1 attempt",
    ]


def test_a_story_that_did_not_pass_says_what_its_agent_failed_with() -> None:
    failed = agent_finished(failure="auth", error="Not logged in\x1b[2J")
    shown = lines(run_finished("auth", 3, stories=(of("US-001", False),)), iteration(), failed, check("failed"))
    assert shown[4:6] == ["      agent: Not logged in", "      exit 1: npm test"]
    mended = lines(
        run_finished(stories=(of("US-001", False),)), iteration(), failed, iteration(charged=1), agent_finished()
    )
    assert not [line for line in mended if "agent:" in line]


def test_what_a_story_was_given_up_for_is_said_once() -> None:
    why = "the agent says that it is stuck: no key"
    given_up = {**of("US-001", False), "state": "exhausted", "reason": why}
    stuck = Asked(story="US-001", attempt=1, what="stuck", text="no key")
    shown = lines(run_finished("exhausted", 1, stories=(given_up,)), iteration(), stuck, check("failed"))
    assert [line for line in shown if why in line] == [f"  ✗ US-001 Title of US-001 · exhausted · {why} · 2 attempts"]
    assert "      exit 1: npm test" in shown
    still_open = lines(run_finished(stories=(of("US-001", False),)), iteration(), stuck)
    assert f"      {why}" in still_open


def test_hundreds_of_stories_are_one_screen() -> None:
    stories = tuple(of(f"US-{number:03}", number % 3 > 0) for number in range(300))
    shown = lines(run_finished("iterations", 1, stories=stories))
    assert len(shown) < 40
    assert shown[3].startswith("  ✗ US-000 ")
    assert "  … 80 more did not pass   (prd-ralph status)" in shown
    assert "  … 192 more passed   (prd-ralph status)" in shown
    assert any(line.startswith("  ✓ US-299 ") for line in shown)
    assert len(lines(run_finished(stories=stories[:30]))) == 35


def test_why_many_stories_did_not_pass_is_told_in_few_lines() -> None:
    names = [f"US-{number:03}" for number in range(10)]
    failed = [event for name in names for event in (iteration(name), *(check("failed", story=name),) * 30)]
    shown = lines(run_finished("exhausted", 1, stories=tuple(of(name, False) for name in names)), *failed)
    assert shown[3:6] == [
        "  ✗ US-000 Title of US-000 · ready · 2 attempts",
        "      exit 1: npm test",
        "      … and 29 more",
    ]
    assert len(shown) < 40
    (alone,) = names[:1]
    assert "      … and 15 more" in lines(run_finished("exhausted", 1, stories=(of(alone, False),)), *failed)


def test_a_reason_of_several_lines_is_told_in_lines() -> None:
    shown = lines(
        run_finished("environment", 3, reason="setup failed: npm ci (exit 1)\nnpm error\n\nnpm error EUSAGE\x1b[2J")
    )
    assert shown[1:4] == [
        "stopped: environment · setup failed: npm ci (exit 1) · exit 3",
        "      npm error",
        "      npm error EUSAGE",
    ]
