"""Any value in any place: problems or a document, nothing else."""

import copy
import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.edit import flipped

FULL: dict[str, Any] = {
    "$schema": "schemas/prd.schema.json",
    "project": "Pond",
    "branchName": "ralph/x",
    "baseBranch": "main",
    "description": "all",
    "source": {"path": "tasks/prd.md", "sha256": "0", "stories": {"b": "1"}},
    "setup": ["npm ci"],
    "verificationCommands": [{"run": ["x"], "name": "n", "cwd": "a", "timeout": 3, "env": {"CI": "1"}, "retries": 1}],
    "protect": ["tests/**"],
    "userStories": [
        {"id": "a", "title": "A", "passes": False, "status": "open", "agent": "codex", "model": "m"},
        {"id": 2, "title": "B", "passes": True, "dependsOn": ["a"], "supersedes": ["A"], "priority": 1, "skip": False},
        {
            "id": "c",
            "title": "C",
            "passes": False,
            "acceptanceCriteria": ["x"],
            "notes": "",
            "verificationCommands": ["m"],
        },
    ],
}
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, 10**400, "", " ", "a", "A", "-x", "a\n", "\0", "\ud800", "../..", "/", "..", "auto"),
        *([], {}, [""], [[]], [None], ["a", "a"], [{}], {"": 0}),
        *({"run": None}, {"run": "x", "cwd": "/"}, {"passes": 1}),
    ]
).map(copy.deepcopy)


def _places(value: Any) -> list[tuple[Any, Any]]:
    steps = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for step in steps for place in [(value, step), *_places(value[step])]]


@given(st.data())
def test_any_value_anywhere(data: st.DataObject) -> None:
    value = json.loads(json.dumps(FULL))
    for _ in range(data.draw(st.integers(1, 4))):
        holder, step = data.draw(st.sampled_from(_places(value)))
        if isinstance(holder, dict) and data.draw(st.booleans()):
            step = data.draw(st.sampled_from(["depends_on", "notes", "setup", "", "a/b", "skiP", "pases", "env"]))
        holder[step] = data.draw(VALUES)
    raw = json.dumps(value).encode()
    with suppress(ProblemsError):
        document = parse(raw, "prd.json")
        assert document.prd.stories
        for story in document.prd.stories:
            assert flipped(flipped(raw, story.id, not story.passes), story.id, story.passes) == raw
        repr(document.prd).encode()
        story_ids = {story.id for story in document.prd.stories}
        assert all(story_ids.issuperset(story.depends_on) for story in document.prd.stories)


@given(st.data())
def test_every_problem_is_one_line_with_a_place_and_a_hint(data: st.DataObject) -> None:
    value = json.loads(json.dumps(FULL))
    holder, step = data.draw(st.sampled_from(_places(value)))
    holder[step] = data.draw(VALUES)
    try:
        parse(json.dumps(value, indent=1).encode(), "prd.json")
    except ProblemsError as error:
        for problem in error.problems:
            assert problem.hint, problem
            assert problem.line, problem
            assert problem.pointer is not None
            assert str(problem).isprintable() or str(problem).replace("\n  hint: ", "").isprintable()
