"""What a story waits for."""

from typing import Any

import pytest

from tests.prdfile.foreign.support import made, places, problems, told

IDS = ["US-001", "US-002", "api-3", "Beta"]


def file(last: Any, ids: list[Any], key: str = "depends_on", **more: Any) -> dict[str, Any]:
    """Stories with these ids (None: none), of which the last has dependencies."""
    tasks = [{"title": "t", "status": "open", "steps": ["a"], "id": story_id} for story_id in ids]
    return {"tasks": [*tasks, {"title": "t", "status": "open", "steps": ["a"], "id": "last", key: last, **more}]}


@pytest.mark.parametrize(
    ("written", "ids", "prose"),
    [
        (None, [], False),
        ([], [], False),
        ("", [], False),
        (["US-001", "Beta"], ["US-001", "Beta"], False),
        ("Beta", ["Beta"], False),
        (["Beta", "Beta"], ["Beta"], False),
        (["us1"], ["US-001"], True),
        ("BETA", ["Beta"], True),
        ("Task 01", ["US-001"], True),
        ("Tasks 02, 03", ["US-002", "api-3"], True),
        (["story 4"], ["Beta"], True),
        ("Tasks 1 and 2", ["US-001", "US-002"], True),
        ("US-001, Beta", ["US-001", "Beta"], True),
        ("Story 1 & Task 2", ["US-001", "US-002"], True),
        (2, ["US-002"], True),
        ("none", [], True),
    ],
)
def test_dependencies(written: Any, ids: list[str], prose: bool) -> None:
    value = file(written, IDS)
    found = told(value)
    assert found["stories"][-1]["dependsOn"] == ids
    assert found["warnings"] == (["dependency_prose /tasks/4/depends_on"] if prose else [])
    assert made(value)["userStories"][-1].get("dependsOn", []) == ids


def test_whole_numbers() -> None:
    found = told(file([2, 1, "1"], [1, 2]))
    assert (found["stories"][-1]["dependsOn"], found["warnings"]) == (["2", "1"], [])
    assert "depends_on" not in made(file([2, 1], [1, 2]))["userStories"][-1]["x-imported"]


def test_all_the_keys_are_joined() -> None:
    more: dict[str, Any] = {
        "dependsOn": ["Beta"],
        "dependencies": "US-002",
        "blocked_by": ["Beta"],
        "blockedBy": ["api-3"],
    }
    assert told(file("US-001", IDS, **more))["stories"][-1]["dependsOn"] == ["Beta", "US-001", "US-002", "api-3"]


@pytest.mark.parametrize(
    ("written", "ids", "pointer"),
    [
        (["Beta", "gone"], IDS, "/depends_on/1"),
        ("gone", IDS, "/depends_on"),
        ("Task 9", IDS, "/depends_on"),
        ("Tasks 1, 9", IDS, "/depends_on"),
        ("Task 1", ["a-1", "b-1"], "/depends_on"),
        (["last"], IDS, "/depends_on/0"),
        ([3], [1, 2, 5], "/depends_on/0"),
        ([2], ["1.1", "1.2"], "/depends_on/0"),
        ([7], IDS, "/depends_on/0"),
        ([None], IDS, "/depends_on/0"),
        ([["Beta"]], IDS, "/depends_on/0"),
        (1.5, IDS, "/depends_on"),
        ({"id": "Beta"}, IDS, "/depends_on"),
        (["a1"], ["A-1", "a-01"], "/depends_on/0"),
        ("Task " + "9" * 5000, IDS, "/depends_on"),
    ],
)
def test_no_such_story(written: Any, ids: list[Any], pointer: str) -> None:
    assert places(file(written, ids)) == [f"/tasks/{len(ids)}{pointer}"]


def test_the_place_counts_where_no_story_has_an_id() -> None:
    tasks = [{"title": "t", "status": "open", "depends_on": waits} for waits in ([], [1], "Task 1, 2")]
    assert [story["dependsOn"] for story in told({"tasks": tasks})["stories"]] == [
        [],
        ["US-001"],
        ["US-001", "US-002"],
    ]


def test_the_id_at_the_end_before_the_place() -> None:
    assert told(file("Task 2", ["x-2", "y-1"]))["stories"][-1]["dependsOn"] == ["x-2"]


def test_what_was_meant_is_guessed() -> None:
    (problem,) = problems(file("US-0022", ["US-0012"]))
    assert "US-0012" in problem.hint


def test_a_circle_is_told_where_it_is_written() -> None:
    tasks = [{"id": a, "title": "t", "done": False, "blockedBy": [b]} for a, b in (("A", "B"), ("B", "A"))]
    (problem,) = problems({"data": {"tasks": tasks}})
    assert problem.pointer == "/data/tasks/0/blockedBy"
    assert "A → B → A" in problem.message
