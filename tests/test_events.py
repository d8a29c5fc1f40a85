"""Events as a ledger's lines, and back."""

import json
from dataclasses import replace

from prd_ralph import events
from prd_ralph.events import as_line, as_record, from_record, with_texts
from prd_ralph.model import Outcome

STARTED = events.IterationStarted(story="US-001", attempt=2, iteration=3, cap=26, title="T", charged=1, max_attempts=3)
FINISHED = events.AgentFinished(
    story="US-001",
    attempt=2,
    end="exited",
    exit_code=0,
    duration_s=1.5,
    failure=None,
    cost_usd=0.25,
    tokens_in=3,
    tokens_out=4,
    output_bytes=5,
    swept=0,
    stuck=(7, 8),
    tail="bye",
)


def record_of(event: events.RunEvent) -> dict[str, object]:
    found: dict[str, object] = json.loads(as_line(as_record(event, "run", 1, "2031-03-01T08:00:00Z")))
    return found


def test_a_line_becomes_its_event_again() -> None:
    for event in (STARTED, FINISHED, events.Warned(message="m"), events.Tampered(story="s", attempt=1, what=("a",))):
        assert from_record(record_of(event)) == event


def test_lines_of_other_versions_are_read_as_far_as_they_go() -> None:
    assert from_record({"kind": "from the future"}) is None
    assert from_record({}) is None
    assert from_record({"kind": "iteration_started", "story": "US-001"}) is None
    record = record_of(FINISHED)
    del record["tokens_cached"], record["error"]
    assert from_record(record | {"more": 1}) == replace(FINISHED, tokens_cached=None, error="")


def test_every_text_of_an_event_is_changed_and_nothing_else() -> None:
    started = events.RunStarted(
        prd="a.json",
        project="a",
        branch=None,
        base="",
        agent="a b",
        open=1,
        total=2,
        limits={"a": 3.0},
        untracked=("a", "b"),
        stories=({"id": "a", "of": ["a", {"a": "a"}]},),
        autonomy={"a": "--a"},
    )
    changed = with_texts(started, lambda text: text.replace("a", "*"))
    assert changed == replace(
        started,
        prd="*.json",
        project="*",
        agent="* b",
        untracked=("*", "b"),
        stories=({"id": "*", "of": ("*", {"a": "*"})},),
        autonomy={"a": "--*"},
    )


def test_a_word_of_an_enum_stays_one() -> None:
    judged = events.Judged(story="US-001", attempt=1, outcome=Outcome.PASSED, reason="", charged=True, duration_s=1.0)
    changed = with_texts(judged, lambda text: text.replace("US", "XX"))
    assert changed == replace(judged, story="XX-001")
    assert isinstance(changed, events.Judged)
    assert changed.outcome is Outcome.PASSED
