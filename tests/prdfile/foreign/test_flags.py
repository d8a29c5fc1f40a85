"""What a story claims, and whether it is held."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.prdfile.foreign.words import STANDINGS, Standing, standing
from tests.prdfile.foreign.support import made, one, places, problems, told, warnings

WORDS = [(word, said) for said, words in STANDINGS.items() for word in words]
NONE = {"status": None}


@given(st.sampled_from(WORDS), st.sampled_from("_ -"), st.booleans(), st.sampled_from(["", " ", "\t"]))
def test_a_word_in_any_dress(known: tuple[str, Standing], between: str, upper: bool, round_it: str) -> None:
    word = known[0].replace("_", between)
    assert standing(round_it + (word.upper() if upper else word) + round_it) is known[1]


@given(st.text(max_size=12))
def test_any_other_word_is_unknown(word: str) -> None:
    assert standing(word) is not None or word.lower() not in dict(WORDS)


@pytest.mark.parametrize(
    ("fields", "passes", "held"),
    [
        ({"passes": True, "done": False, "status": "todo"}, True, False),
        ({**NONE, "passed": True}, True, False),
        ({**NONE, "completed": False, "done": True}, False, False),
        ({**NONE, "complete": None, "done": True}, True, False),
        ({**NONE, "done": "Closed"}, True, False),
        ({**NONE, "completed": "", "done": "not-started"}, False, False),
        ({**NONE, "done": "on hold"}, False, True),
        ({"status": "SKIPPED"}, False, True),
        ({"status": "In-Progress"}, False, False),
        ({"passes": False, "status": "deferred"}, False, True),
        ({"passes": True, "status": "blocked"}, True, False),
        ({"skip": True}, False, True),
        ({"blocked": True}, False, True),
        ({"blocked": ["A"], "skip": "no"}, False, False),
        ({"done": True, "skip": True, "blocked": True}, True, False),
        ({**NONE}, False, False),
    ],
)
def test_the_claim(fields: dict[str, Any], passes: bool, held: bool) -> None:
    found = one(**fields)
    assert (found["passes"], found["held"]) == (passes, held)
    (story,) = made({"tasks": [{"title": "t", "status": "open", **fields}]})["userStories"]
    assert (story["passes"], story.get("skip", False)) == (False, held)
    assert ("claimed as done by tasks.json" in story["notes"]) is passes
    (story,) = made({"tasks": [{"title": "t", "status": "open", **fields}]}, keep_flags=True)["userStories"]
    assert (story["passes"], story["notes"]) == (passes, "")


@pytest.mark.parametrize("value", ["false", "true", 0, 1, None, [], {}, "done"])
def test_passes_is_true_or_false(value: Any) -> None:
    (problem,) = problems({"tasks": [{"title": "t", "passes": value, "status": "done"}]})
    assert problem.pointer == "/tasks/0/passes"
    assert "passes must be true or false" in problem.message


@pytest.mark.parametrize(
    "fields", [{"status": "shipped"}, {"done": "maybe"}, {"completed": 1}, {"status": 3}, {"status": True}]
)
def test_another_word_is_an_error_where_it_decides(fields: dict[str, Any]) -> None:
    (key,) = fields
    (problem,) = problems({"tasks": [{"title": "t", **fields}]})
    assert problem.pointer == f"/tasks/0/{key}"
    assert "in_progress" in problem.hint


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"passes": True, "status": "open"}, True),
        ({"passes": False, "status": "done"}, True),
        ({"done": False, "status": "shipped"}, True),
        ({"passes": True, "status": "blocked"}, True),
        ({"passes": False, "status": "blocked"}, False),
        ({"passes": True, "status": "Closed"}, False),
        ({"passes": True, "status": " "}, False),
        ({"passes": True, "status": 5}, False),
    ],
)
def test_the_flag_over_the_status(fields: dict[str, Any], warned: bool) -> None:
    value = {"stories": {"A": {"title": "t", "steps": ["a"], **fields}}}
    assert warnings(value) == ({"passes_over_status /stories/A"} if warned else set())


def test_no_status_is_told_once_at_the_list() -> None:
    bare = {"title": "t", "priority": 1, "steps": ["a"]}
    tasks = [{"id": 1, **bare}, {"id": 2, **bare}, {"id": 3, "done": True, **bare}]
    assert warnings({"prd": {"tasks": tasks}}) == {"no_status /prd/tasks"}
    assert warnings({"phases": [{"tasks": tasks}]}) == {"no_status /phases/*/tasks"}
    assert warnings(tasks) == {"no_status "}


def test_criteria_miss_where_work_is_left() -> None:
    tasks = [{"id": n, "title": "t", "status": status} for n, status in enumerate(("todo", "done", "blocked"))]
    assert told({"tasks": tasks})["warnings"] == ["no_criteria /tasks/0"]


def test_all_errors_in_one_go() -> None:
    tasks = [
        {"title": "t", "passes": "no", "id": " a", "depends_on": ["zz", None]},
        {"status": "shipped"},
        7,
        {"title": "t", "status": "done", "verificationCommands": [""], "id": 1.5},
    ]
    assert places({"branchName": "a..b", "verificationCommands": "x", "setup": 7, "tasks": tasks}) == [
        "/branchName",
        "/verificationCommands",
        "/tasks/0/passes",
        "/tasks/0/id",
        "/tasks/0/depends_on/0",
        "/tasks/0/depends_on/1",
        "/tasks/1",
        "/tasks/1/status",
        "/tasks/2",
        "/tasks/3/verificationCommands/0",
        "/tasks/3/id",
    ]
