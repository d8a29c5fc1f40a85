"""Files without `userStories` at the top: one error that says what was found, where, and what to do."""

from typing import Any

import pytest

from tests.prdfile.support import only_problem, story

TASK = {"name": "x", "status": "open"}
FOUND: dict[str, tuple[Any, str, str]] = {
    "a list": ([TASK], "", "a list at the top"),
    "tasks": ({"tasks": [TASK]}, "/tasks", "'tasks'"),
    "a wrapper": ({"prd": {"userStories": [story()]}}, "/prd", "'prd.userStories'"),
    "an object by id": ({"data": {"items": {"a": TASK}}}, "/data", "'data.items{}'"),
    "phases": ({"phases": [{"tasks": []}, {"tasks": [TASK]}]}, "/phases", "'phases[].tasks'"),
    "phases in a wrapper": ({"data": {"features": [{"stories": [TASK]}]}}, "/data", "'data.features[].stories'"),
    "the first that qualifies": ({"features": ["a"], "stories": [1], "tasks": [TASK]}, "/tasks", "'tasks'"),
}


@pytest.mark.parametrize("name", FOUND)
def test_the_list_is_found(name: str) -> None:
    value, pointer, place = FOUND[name]
    problem = only_problem(value)
    assert problem.pointer == pointer
    assert place in problem.message
    assert "'userStories'" in problem.message
    assert problem.hint == "`prd-ralph import prd.json -o NEW` makes a prd.json from it"


def test_our_names_of_its_keys_are_told() -> None:
    message = only_problem({"prd": "x", "tasks": [{**TASK, "depends_on": [], "done": True}]}).message
    assert "`name` is our `title`" in message
    assert "`status` is our `passes`" in message
    assert "`depends_on` is our `dependsOn`" in message


@pytest.mark.parametrize(
    ("value", "pointer"),
    [([], ""), ({"stories": []}, "/stories"), ({"prd": {"userStories": {}}}, "/prd/userStories")],
)
def test_an_empty_list(value: Any, pointer: str) -> None:
    problem = only_problem(value)
    assert (problem.message, problem.pointer) == ("no stories", pointer)


@pytest.mark.parametrize(
    "value", [{}, {"title": "x", "features": ["a"]}, {"goals": [TASK]}, [1, "a"], {"requirements": {"a": 1}}]
)
def test_a_specification(value: Any) -> None:
    problem = only_problem(value)
    assert problem.message.startswith("a specification, not a list of stories")
    assert "prd-ralph plan" in problem.hint


def test_a_list_of_something_else_is_named() -> None:
    assert "the entries of 'tasks' have no title and flag" in only_problem({"tasks": [{"status": "open"}]}).message


@pytest.mark.parametrize("key", ["userstories", "userStorys", "UserStories"])
def test_a_misspelt_userstories(key: str) -> None:
    problem = only_problem({"project": "x", key: [story()]})
    assert (problem.pointer, problem.message) == (f"/{key}", f"{key!r} must be 'userStories'")


@pytest.mark.parametrize("value", ["x", 3, None, True])
def test_no_object(value: Any) -> None:
    assert only_problem(value).message == "a prd.json must be an object"
