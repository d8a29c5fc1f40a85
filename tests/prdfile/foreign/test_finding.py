"""Where the stories are."""

from typing import Any

import pytest

from tests.prdfile.foreign.support import places, problems, stories, told, warnings

TASK = {"id": "A", "title": "t", "status": "open", "criteria": ["c"]}
OTHER = {"id": "B", "title": "t", "status": "open", "criteria": ["c"]}
FOUND: dict[str, Any] = {
    "list": [TASK],
    "userStories": {"userStories": [TASK]},
    "user_stories": {"user_stories": [TASK], "personas": [{"name": "x", "goals": ["y"]}]},
    "stories": {"stories": [TASK]},
    "tasks": {"tasks": [{"details": "d", "priority": 1}]},
    "items": {"items": [{"objective": "d", "dod": ["x"]}]},
    "features": {"features": [{"name": "f", "tasks": ["in", "words"]}]},
    "requirements": {"requirements": [{"task": "f", "test": {"assertions": ["a"]}}]},
    "tasks{}": {"tasks": {"A": {"title": "t", "done": False}}},
    "userStories{}": {"userStories": {"A": {"title": "t", "passes": False}}},
    "prd.userStories": {"prd": {"userStories": [TASK]}},
    "current_prd.stories": {"current_prd": {"stories": [TASK]}},
    "data.items{}": {"data": {"items": {"A": {"title": "t", "done": True}}}},
    "phases[].tasks": {"phases": [{"tasks": []}, "x", {"name": "p", "tasks": [TASK]}]},
    "milestones[].items": {"milestones": [{"items": [TASK]}]},
    "epics[].stories{}": {"epics": [{"stories": {"A": {"title": "t", "done": True}}}]},
    "features[].user_stories": {"features": [{"name": "f", "user_stories": [TASK]}]},
    "data.features[].user_stories": {"data": {"features": [{"name": "f", "status": "open", "user_stories": [TASK]}]}},
    "prd.phases[].tasks": {"prd": {"phases": [{"tasks": [TASK]}]}},
}


@pytest.mark.parametrize("dialect", FOUND)
def test_the_dialect(dialect: str) -> None:
    assert told(FOUND[dialect])["dialect"] == dialect


def test_the_first_that_qualifies_and_the_others() -> None:
    value = {
        "features": ["x"],
        "components": [{"id": "c", "description": "no story"}],
        "items": [TASK],
        "stories": [OTHER],
        "prd": {"tasks": [TASK]},
        "phases": [{"stories": [TASK]}],
    }
    found = told(value)
    assert (found["dialect"], found["stories"][0]["id"]) == ("stories", "B")
    assert set(found["warnings"]) == {
        "also_found /items",
        "also_found /prd/tasks",
        "also_found /phases/*/stories",
    }


def test_groups_are_flattened_in_their_order() -> None:
    value = {"phases": [{"tasks": [TASK]}, {"tasks": []}, {"tasks": [OTHER]}]}
    assert [story["id"] for story in stories(value)] == ["A", "B"]
    assert warnings({"phases": [{"tasks": [{"title": "t", "status": "todo"}]}]}) == {
        "id_generated /phases/*/tasks/*",
        "no_criteria /phases/0/tasks/0",
    }


def test_a_feature_with_criteria_of_its_own_is_a_story() -> None:
    feature = {**TASK, "tasks": [{"title": "part", "status": "open"}]}
    assert told({"features": [feature]})["dialect"] == "features"


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ([], ""),
        ({"tasks": []}, "/tasks"),
        ({"project": "p", "userStories": []}, "/userStories"),
        ({"prd": {"items": {}}}, "/prd/items"),
        ({"phases": []}, "/phases"),
        ({"phases": [{"name": "p", "tasks": []}]}, "/phases/0/tasks"),
    ],
)
def test_an_empty_list(value: Any, pointer: str) -> None:
    (problem,) = problems(value)
    assert (problem.message, problem.pointer) == ("no stories", pointer)


@pytest.mark.parametrize("value", ["x", 5, None, {}, {"A": "x"}, [None], {"A": {}, "B": 1}])
def test_userstories_at_the_top_must_hold_stories(value: Any) -> None:
    found = places({"project": "p", "userStories": value, "tasks": [TASK]})
    if isinstance(value, list):
        assert found == ["/userStories/0"]
    else:
        assert found[0] == "/userStories"


@pytest.mark.parametrize("value", [{}, {"overview": "x", "features": ["a"]}, {"goals": [TASK]}, [[TASK]]])
def test_a_specification(value: Any) -> None:
    (problem,) = problems(value)
    assert problem.message.startswith("a specification, not a list of stories")


def test_an_entry_that_is_no_story() -> None:
    assert places({"tasks": [TASK, None, "x"]}) == ["/tasks/1", "/tasks/2"]
    assert places({"phases": [{"tasks": [TASK, 5]}]}) == ["/phases/0/tasks/1"]


NATIVE = {"id": "A", "title": "t", "passes": False, "acceptanceCriteria": ["c"]}


@pytest.mark.parametrize(
    ("more", "native"),
    [
        ({}, True),
        ({"id": 5}, True),
        ({"priority": 2.5, "dependsOn": [], "notes": "", "description": "", "status": "todo", "extra": 1}, True),
        ({"status": "blocked", "passes": True}, True),
        ({"status": "on hold"}, False),
        ({"title": " ", "description": "d"}, False),
        ({"priority": "high"}, False),
        ({"priority": True}, False),
        ({"dependsOn": [1]}, False),
        ({"depends_on": []}, False),
        ({"blockedBy": None}, False),
        ({"acceptanceCriteria": "c"}, False),
        ({"description": None}, False),
        ({"notes": ["x"]}, False),
    ],
)
def test_ours_as_it_stands(more: dict[str, Any], native: bool) -> None:
    other = {**NATIVE, "id": 1, **({"title": "u"} if native else {})}
    value = {"name": "p", "userStories": [{**NATIVE, **more}, {**other, "id": "1"}]}
    assert told(value)["dialect"] == ("native" if native else "userStories")


@pytest.mark.parametrize("named", [{}, {"project": {"name": "p"}}, {"project": None, "name": "p"}])
def test_without_a_project_it_is_not_ours(named: dict[str, Any]) -> None:
    assert told({**named, "userStories": [NATIVE]})["dialect"] == "userStories"


def test_a_missing_id_or_flag_is_not_ours() -> None:
    for key in ("id", "passes"):
        story = {name: value for name, value in NATIVE.items() if name != key}
        found = told({"project": "p", "userStories": [story]})
        assert found["dialect"] == "userStories"
        assert found["warnings"] == [
            "id_generated /userStories/*" if key == "id" else "no_status /userStories",
            *(["no_criteria /userStories/0"] if key == "acceptanceCriteria" else []),
        ]


def test_task_master() -> None:
    subtask = {"id": 1, "title": "Parse", "description": "Lines are split", "status": "done", "dependencies": []}
    task = {
        "id": 2,
        "title": "Read",
        "description": "Reads the list.",
        "details": "As CSV.",
        "testStrategy": "Run the tests",
        "priority": "medium",
        "dependencies": [1],
        "status": "in-progress",
        "subtasks": [subtask, {"id": 2, "title": "Count", "status": "pending"}],
    }
    first = {**task, "id": 1, "dependencies": [], "status": "deferred", "subtasks": []}
    for value in ({"tasks": [first, task]}, {"master": {"tasks": [first, task], "metadata": {"version": "1"}}}):
        found = told(value)
        held, read = found["stories"]
        assert (held["id"], held["held"], held["priority"]) == ("1", True, 3)
        assert (read["id"], read["dependsOn"], read["acceptanceCriteria"]) == ("2", ["1"], ["Lines are split", "Count"])
        place = "/master/tasks" if "master" in value else "/tasks"
        assert found["warnings"] == [f"criterion_flags {place}/*/subtasks"]
