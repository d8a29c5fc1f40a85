"""Ids and priorities: what is there stays, what misses is filled in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.prdfile.foreign.priorities import filled, wish_of
from prd_ralph.prdfile.foreign.words import numeric, rank
from tests.prdfile.foreign.support import made, places, problems, stories, told, warnings


def tasks(*ids: Any, **fields: Any) -> dict[str, Any]:
    """Tasks with these ids; `...` is none."""
    return {
        "tasks": [
            {"title": "t", "status": "open", "steps": ["a"], **({} if story_id is ... else {"id": story_id}), **fields}
            for story_id in ids
        ]
    }


@pytest.mark.parametrize(
    ("ids", "wanted"),
    [
        ((1, "1.10", "a b", 2.0), ["1", "1.10", "a b", "2"]),
        ((..., ...), ["US-001", "US-002"]),
        (("US-001", ..., "us-003", None), ["US-001", "US-002", "us-003", "US-004"]),
        (("é✓/\\", ...), ["é✓/\\", "US-001"]),
    ],
)
def test_ids(ids: tuple[Any, ...], wanted: list[str]) -> None:
    assert [story["id"] for story in stories(tasks(*ids))] == wanted
    generated = {"id_generated /tasks/*"} if any(each in (..., None) for each in ids) else set()
    assert warnings(tasks(*ids)) == generated


@pytest.mark.parametrize("story_id", ["", " a", "a ", "a\nb", "\x00", "x" * 201, 1.5, True, [], {"a": 1}])
def test_what_can_be_no_id(story_id: Any) -> None:
    (problem,) = problems(tasks("fine", story_id))
    assert problem.pointer == "/tasks/1/id"


def test_equal_ids_are_told_at_the_second() -> None:
    assert places(tasks("A", "b", "a", "A")) == ["/tasks/2/id", "/tasks/3/id"]
    assert places({"stories": {key: {"title": "t", "done": True} for key in ("A", "a", "")}}) == [
        "/stories/a",
        "/stories/",
    ]


def test_the_key_is_the_id() -> None:
    value = {
        "stories": {"K": {"id": "other", "title": "t", "done": False}, "L": {"id": "L", "title": "t", "done": True}}
    }
    assert [story["id"] for story in stories(value)] == ["K", "L"]
    first, second = made(value)["userStories"]
    assert first["x-imported"] == {"id": "other"}
    assert "x-imported" not in second


@given(st.lists(st.none() | st.integers(1, 12), min_size=1, max_size=6, unique_by=lambda number: number or object()))
def test_generated_ids_are_free_and_in_order(numbers: list[int | None]) -> None:
    written = [... if number is None else f"US-{number:03}" for number in numbers]
    found = [story["id"] for story in stories(tasks(*written))]
    new = [story_id for story_id, number in zip(found, numbers, strict=True) if number is None]
    assert len(set(found)) == len(found)
    assert new == sorted(new)
    assert [story_id for story_id, number in zip(found, numbers, strict=True) if number] == [
        w for w in written if w != ...
    ]


WORDS = [
    *((word, 1) for word in ("critical", "P0", "must", "MUST ")),
    *((word, 2) for word in ("High", "p1", "should")),
    *((word, 3) for word in ("medium", "P2", "could")),
    *((word, 4) for word in ("low", "P3", "won't", "won’t", "wont")),
    ("P4", 5),
]


@pytest.mark.parametrize(("word", "number"), WORDS)
def test_words_of_priority(word: str, number: int) -> None:
    assert wish_of({"priority": word}).number == number


@given(st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6))
def test_numbers_stay_as_they_are(number: float) -> None:
    assert numeric(number) == number
    if isinstance(number, int):
        assert numeric(f" {number} ") == number


@pytest.mark.parametrize("value", [True, None, "", "1e3", "1.", "x1", "²", [], float("inf"), "9" * 5000])
def test_no_priority(value: Any) -> None:
    assert numeric(value) is None
    assert rank(value) is None


@given(st.lists(st.none() | st.integers(-9, 9) | st.floats(-9, 9), min_size=1, max_size=6))
def test_the_missing_come_last(numbers: list[float | None]) -> None:
    known = [number for number in numbers if number is not None]
    for number, place in zip(filled(numbers), numbers, strict=True):
        assert number == place if place is not None else number > max(known, default=0)
    if not known:
        assert filled(numbers) == tuple(range(1, len(numbers) + 1))


def prioritised(*priorities: Any, **fields: Any) -> dict[str, Any]:
    value = tasks(*range(len(priorities)), **fields)
    for task, priority in zip(value["tasks"], priorities, strict=True):
        task["priority"] = priority
    return value


@pytest.mark.parametrize(
    ("priorities", "numbers", "warned"),
    [
        ((None, ""), [1, 2], set()),
        ((0, 2.5, "3"), [0, 2.5, 3], set()),
        (("P0", "low"), [1, 4], set()),
        (("high", 7), [2, 7], {"priority_mixed /tasks/*/priority"}),
        ((2.5, None), [2.5, 3], {"priority_missing /tasks/1"}),
        ((4, "soon"), [4, 5], {"priority_unknown /tasks/1/priority"}),
        (("soon", [1]), [1, 2], {"priority_unknown /tasks/0/priority", "priority_unknown /tasks/1/priority"}),
    ],
)
def test_priorities(priorities: tuple[Any, ...], numbers: list[float], warned: set[str]) -> None:
    found = told(prioritised(*priorities))
    assert [story["priority"] for story in found["stories"]] == numbers
    assert set(found["warnings"]) == warned


def test_what_passes_needs_no_priority() -> None:
    assert warnings(prioritised(1, None, status="done")) == set()
