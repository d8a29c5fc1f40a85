"""The prd.json that import makes: ours, and nothing of theirs lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile.foreign.importing import imported
from tests.prdfile.foreign.support import made, places, problems
from tests.prdfile.strategies import documents, foreign

BARE = {"id": "A", "title": "t", "passes": False, "steps": ["a"]}


def story(**fields: Any) -> dict[str, Any]:
    (found,) = made({"tasks": [{**BARE, **fields}]})["userStories"]
    assert isinstance(found, dict)
    return found


def test_our_keys_first_then_theirs() -> None:
    assert list(story(points=3, notes="n", details="d", depends_on=[], verify="x").items()) == [
        ("id", "A"),
        ("title", "t"),
        ("description", "d"),
        ("acceptanceCriteria", ["a"]),
        ("priority", 1),
        ("passes", False),
        ("notes", "n"),
        ("points", 3),
        ("verify", "x"),
    ]


def test_a_claim_is_kept_below_the_notes() -> None:
    assert story(passes=True, notes="see x")["notes"] == "see x\nclaimed as done by tasks.json"
    assert story(passes=True, notes=["a", "b"])["notes"] == "a\nb\nclaimed as done by tasks.json"
    assert story(passes=True, notes={"a": 1})["x-imported"] == {"notes": {"a": 1}}


@pytest.mark.parametrize(
    ("fields", "aside"),
    [
        ({"priority": "P1"}, {"priority": "P1"}),
        ({"priority": 3}, None),
        ({"priority": None}, None),
        ({"status": "todo"}, None),
        ({"status": "done"}, {"status": "done"}),
        ({"status": "on hold"}, {"status": "on hold"}),
        ({"passes": True, "done": True}, {"done": True}),
        ({"completed": "2031-03-01"}, None),
        ({"title": 5, "name": "x"}, ...),
        (
            {"agent": "backend", "model": "m", "supersedes": ["Z"]},
            {"agent": "backend", "model": "m", "supersedes": ["Z"]},
        ),
        ({"verificationCommand": "make"}, {"verificationCommand": "make"}),
        ({"passed": "x"}, {"passed": "x"}),
        ({"x-imported": {"old": 1}, "priority": "P1"}, {"old": 1, "priority": "P1"}),
        (
            {"x-imported": {"priority": "old", "a": 1}, "priority": "P1"},
            {"x-imported": {"priority": "old", "a": 1}, "priority": "P1"},
        ),
        ({"x-imported": 7, "priority": "P1"}, {"x-imported": 7, "priority": "P1"}),
        ({"x-imported": 7}, 7),
        ({"blocked": ["Z"]}, None),
        ({"skip": "yes"}, {"skip": "yes"}),
        ({"criteria": ["other"]}, {"steps": ["a"]}),
    ],
)
def test_what_cannot_keep_its_name(fields: dict[str, Any], aside: Any) -> None:
    if aside is ...:
        assert places({"tasks": [{**BARE, **fields}]}) == ["/tasks/0/title"]
    elif "criteria" in fields:
        assert story(**fields)["steps"] == ["a"]
    else:
        assert story(**fields).get("x-imported") == aside


def test_what_steers_a_run_keeps_its_meaning_in_a_file_of_ours_alone() -> None:
    steering = {"setup": ["npm ci"], "protect": ["tests/**"], "source": {"path": "a.md"}}
    found = made({**steering, "description": None, "tasks": [BARE]})
    assert found["x-imported"] == steering
    ours = made({**steering, "project": "p", "userStories": [{**BARE, "agent": "codex", "priority": "high"}]})
    assert {key: ours[key] for key in steering} == steering
    assert ours["userStories"][0]["agent"] == "codex"


def test_a_wrapper_keeps_what_is_not_told_elsewhere() -> None:
    value = {
        "version": 2,
        "prd": {"name": "N", "branchName": "a/b", "description": "d", "goals": ["g"], "items": [BARE]},
        "zz": 1,
    }
    found = made(value)
    assert list(found) == ["project", "branchName", "description", "version", "userStories", "prd", "zz"]
    assert (found["project"], found["branchName"]) == ("N", "a/b")
    assert found["prd"] == {"name": "N", "goals": ["g"]}


def test_groups_keep_the_ids_of_their_stories() -> None:
    other = {**BARE, "id": "B"}
    groups = [{"name": "one", "tasks": [BARE, other]}, "x", {"name": "none"}, {"tasks": [{**BARE, "id": "C"}], "n": 1}]
    wanted = [{"name": "one", "tasks": ["A", "B"]}, "x", {"name": "none"}, {"tasks": ["C"], "n": 1}]
    assert made({"phases": groups})["phases"] == wanted
    assert made({"data": {"phases": groups, "k": 1}})["data"] == {"k": 1, "phases": wanted}


@pytest.mark.parametrize(
    ("top", "project"),
    [
        ({"project": "P", "name": "N"}, "P"),
        ({"project": {"name": "PN"}}, "PN"),
        ({"project": {"title": "PT"}, "title": "T"}, "PT"),
        ({"project": None, "title": "T"}, "T"),
        ({"title": " "}, "tasks"),
        ({}, "tasks"),
    ],
)
def test_the_project(top: dict[str, Any], project: str) -> None:
    assert made({**top, "tasks": [BARE]})["project"] == project


def test_a_name_will_do_for_a_project() -> None:
    found = made({"name": "N", "tasks": [BARE]})
    assert (found["name"], "project" in found) == ("N", False)


def test_how_it_is_written() -> None:
    text = '\ufeff[{"description":"Größe ≥ 1 🌊. x","steps":["\\ud83c\\udf0a","\\ud800"],"done":false}]'
    data = imported(text.encode(), "a/größe.json").data
    assert data.startswith(b'{\n  "project": "gr\xc3\xb6\xc3\x9fe",\n')
    assert data.endswith(b"}\n")
    assert "Größe ≥ 1 🌊".encode() in data
    assert rb"\ud800" in data


def test_a_number_that_nobody_could_write_again() -> None:
    text = b'{"tasks": [{"title": "t", "done": false, "n": 1e999}], "m": [-1e999]}'
    assert places(text) == ["/m/0", "/tasks/0/n"]


@pytest.mark.parametrize("value", ["make", {"run": "make"}, [""], [None]])
def test_commands_of_our_key_must_be_ours(value: Any) -> None:
    for holder in (
        {"verificationCommands": value, "tasks": [BARE]},
        {"tasks": [{**BARE, "verificationCommands": value}]},
    ):
        (pointer,) = places({**holder, "testCommand": "make"})
        assert "/verificationCommands" in str(pointer)
    with pytest.raises(ProblemsError):
        imported(
            json.dumps({"verificationCommands": value, "verify": "make", "tasks": [BARE]}).encode(), "x", adopt=True
        )


def test_what_would_be_too_large_to_be_read_again() -> None:
    big = json.dumps({"tasks": [{**BARE, "big": [0] * 400_000}]}, separators=(",", ":"))
    (problem,) = problems(big.encode())
    assert "would be larger than 4 MiB" in problem.message


def test_a_key_that_is_written_twice() -> None:
    text = b'{"tasks": [\n{"title": "t",\n "done": false,\n "done": true, "passes": 1}], "x": {"a": 1, "a": 2}}'
    assert places(text) == ["/tasks/0/done", "/tasks/0/passes", "/x/a"]


@given(st.data())
def test_no_key_that_is_not_ours_is_lost(data: st.DataObject) -> None:
    names = st.sampled_from(["labels", "wave", "x-own", "_c", "size", "estimate", "é", "meta/data"])
    inner = data.draw(st.dictionaries(names, foreign, max_size=4))
    outer = data.draw(st.dictionaries(names, foreign, max_size=4))
    shape = data.draw(st.sampled_from(["tasks", "stories", "items"]))
    found = made({**outer, shape: [{**BARE, **inner}]})
    assert {key: found[key] for key in outer} == outer
    assert {key: found["userStories"][0][key] for key in inner} == inner


@given(documents())
def test_any_file_of_ours_is_read_and_made_again(document: dict[str, Any]) -> None:
    raw = json.dumps(document).encode()
    made_of_it = imported(raw, "prd.json", keep_flags=True)
    assert made_of_it.reading.dialect == "native"
    found = json.loads(made_of_it.data)
    assert [each["passes"] for each in found["userStories"]] == [each["passes"] for each in document["userStories"]]
    assert found["x-more"] == document["x-more"]
    for before, after in zip(document["userStories"], found["userStories"], strict=True):
        assert after.get("x-own") == before.get("x-own")
        assert after["title"] == before["title"]
    again = imported(made_of_it.data, "prd.json", keep_flags=True)
    assert again.data == made_of_it.data
