"""Titles, descriptions, criteria."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.prdfile.foreign.prose import TITLE_LIMIT, criteria_from, title_from
from tests.prdfile.foreign.support import made, one, places, told, warnings

LONG = "A member can ask for the next work day and gets the date and the tools to bring along today"


@pytest.mark.parametrize(
    ("fields", "title"),
    [
        ({"title": "a", "name": "b"}, "a"),
        ({"title": "", "name": "b", "task": "c"}, "b"),
        ({"title": None, "task": "c"}, "c"),
        ({"title": "  ", "description": "One. Two."}, "One"),
        ({"title": None, "details": "Does it work? Yes."}, "Does it work?"),
        ({"title": None, "detail": "v1.2 is read. More"}, "v1.2 is read"),
        ({"title": None, "goal": "two\nlines.\n\nmore"}, "two lines"),
        ({"title": None, "user_story": {"as_a": "cook", "i_want": "labels", "so_that": "I know"}}, None),
        ({"title": None, "user_story": "As a cook, I want labels."}, "As a cook, I want labels"),
        ({"title": None, "description": ["First", "second"]}, "First second"),
        ({"title": None, "description": LONG}, LONG[: LONG.index(" along")] + "…"),
        ({"title": None, "description": "x" * 90}, "x" * 79 + "…"),
    ],
)
def test_the_title(fields: dict[str, Any], title: str | None) -> None:
    assert one(**fields)["title"] == (title or "As a cook, I want labels, so that I know")


@given(st.text(st.sampled_from("ab .\n!?é"), max_size=200))
def test_a_title_is_one_short_line_of_the_text(text: str) -> None:
    title = title_from(text)
    assert len(title) <= TITLE_LIMIT
    assert "\n" not in title
    assert " ".join(text.split()).startswith(title.removesuffix("…"))


def test_a_made_up_title_is_told_once() -> None:
    tasks = [{"description": f"Do {n}.", "status": "open", "id": n, "steps": ["x"]} for n in (1, 2)]
    assert warnings({"tasks": tasks}) == {"title_from_description /tasks/*"}


def test_without_any_words() -> None:
    task = {"title": "t", "status": "open"}
    assert places({"tasks": [task, {"status": "open"}, {"title": "", "done": True}, {"title": 5, "done": True}]}) == [
        "/tasks/1",
        "/tasks/2/title",
        "/tasks/3/title",
    ]


@pytest.mark.parametrize(
    "key",
    [
        *("acceptanceCriteria", "acceptance_criteria", "acceptance", "criteria", "steps", "steps_to_verify"),
        *("verificationSteps", "requirements", "subtasks", "exit_criteria", "dod", "tests", "tasks"),
    ],
)
def test_criteria_by_every_name(key: str) -> None:
    story = {"id": 1, "title": "t", "status": "open", key: ["a", "- b"], "x": 1}
    found = told({"tasks": [story]})
    assert found["stories"][0]["acceptanceCriteria"] == ["a", "- b"]
    assert (found["warnings"], found["commands_seen"]) == ([], [])


@pytest.mark.parametrize(
    ("fields", "criteria"),
    [
        ({"acceptanceCriteria": [], "steps": ["b"], "dod": ["c"]}, ["b"]),
        ({"test": {"assertions": ["a", "b"], "kind": "unit"}}, ["a", "b"]),
        ({"tests": 12, "tasks": ["a"]}, ["a"]),
        ({"tests": {"unit": "x"}, "test": {"assertions": ["a"]}}, ["a"]),
        (
            {"criteria": [{"id": 1, "text": "a"}, {"description": "b"}, {"title": "c"}, {"name": "d"}]},
            ["a", "b", "c", "d"],
        ),
        ({"criteria": [{"given": "a", "when": "b", "then": "c"}]}, ["given: a; when: b; then: c"]),
        (
            {"criteria": "one\n\n- two\n* three\n3. four\n[x] five\n+ [ ] six"},
            ["one", "two", "three", "four", "five", "six"],
        ),
        ({"criteria": "-10 to 90\n1.5 mm"}, ["-10 to 90", "1.5 mm"]),
        ({"criteria": "- a:\n  - b\n\t- c\n    - d\n    - e"}, ["a: b: c, d, e"]),
        ({"criteria": "- a long\n  line\n- b"}, ["a long line", "b"]),
        ({"criteria": "When hot:\n  it stops\n  it rings"}, ["When hot: it stops; it rings"]),
        ({"criteria": "1. a;\n   1. b\n      - c\n      - d\n   2. e"}, ["a: b: c, d; e"]),
        ({"criteria": "-\n  - a\n  - b"}, ["a; b"]),
        ({"criteria": "a\r\nb"}, ["a", "b"]),
    ],
)
def test_criteria_in_every_form(fields: dict[str, Any], criteria: list[str]) -> None:
    assert one(**fields)["acceptanceCriteria"] == criteria


@given(st.lists(st.text(st.sampled_from("ab: -*[]x1."), max_size=8), max_size=6))
def test_no_word_of_a_text_is_lost(lines: list[str]) -> None:
    found = "".join(criteria_from("\n".join(lines)))
    assert set("ab") & set("".join(lines)) == set("ab") & set(found)


@pytest.mark.parametrize(
    ("criterion", "lost"),
    [
        ({"text": "a", "passes": True}, True),
        ({"text": "a", "status": "done"}, True),
        ({"text": "a", "checked": False}, True),
        ({"text": "a", "done": None}, False),
        ({"text": "a", "id": "AC-1"}, False),
    ],
)
def test_flags_of_criteria_are_told_to_be_lost(criterion: Any, lost: bool) -> None:
    task = {"id": 1, "title": "t", "status": "open", "acceptance": [criterion]}
    assert warnings({"tasks": [task]}) == ({"criterion_flags /tasks/*/acceptance"} if lost else set())
    assert made({"tasks": [task]})["userStories"][0]["x-imported"]["acceptance"] == [criterion]


def test_what_is_no_criterion() -> None:
    task: dict[str, Any] = {"title": "t", "acceptanceCriteria": ["a", None, 5, "", {}, ["x"]]}
    assert places({"tasks": [task]}) == [f"/tasks/0/acceptanceCriteria/{index}" for index in (1, 2, 4, 5)]
