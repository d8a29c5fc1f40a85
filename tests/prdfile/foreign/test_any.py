"""Any value in any place: a prd.json that our own check accepts, or problems with a place and a hint; nothing else."""

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.foreign.importing import imported
from prd_ralph.prdfile.foreign.told import in_words

STORY: dict[str, Any] = {
    "id": "A-1",
    "name": "n",
    "details": "d",
    "acceptance": [{"text": "c", "done": True}, "d"],
    "status": "done",
    "depends_on": ["b2"],
    "priority": "P1",
    "verify": ["make"],
    "skip": False,
    "notes": "x",
}
SECOND = {"id": "B-2", "title": "t", "passes": True, "test": {"assertions": ["a"], "command": "make"}}
FILES: list[Any] = [
    [STORY, SECOND],
    {"project": "p", "userStories": [STORY, SECOND], "setup": ["x"]},
    {"name": "p", "prd": {"description": "d", "stories": {"A": STORY, "b2": SECOND}}, "checks": {"a": "make"}},
    {"data": {"phases": [{"name": "g", "tasks": [STORY]}, {"tasks": [SECOND]}], "branchName": "b"}, "tasks": ["x"]},
]
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(
            None,
            True,
            False,
            0,
            -1,
            1.5,
            10**400,
            float("inf"),
            "",
            " ",
            "a",
            "a\n",
            "\0",
            "\ud800",
            "done",
            "P1",
            "B-2",
        ),
        *("Task 1", "- a\n  - b", [], {}, [""], [[]], [None], [{}], {"": 0}, {"x-imported": 1}, {"run": None}),
        *({"title": "t", "status": "open"}, [{"title": "t", "done": True}], ["make", "npm test"]),
    ]
).map(copy.deepcopy)
KEYS = st.sampled_from(
    [
        *(
            "userStories",
            "tasks",
            "id",
            "title",
            "passes",
            "done",
            "status",
            "dependsOn",
            "blockedBy",
            "priority",
            "notes",
        ),
        *(
            "verificationCommands",
            "verify",
            "checks",
            "skip",
            "x-imported",
            "project",
            "name",
            "setup",
            "pases",
            "a/b",
            "",
        ),
    ]
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    steps = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for step in steps for place in [(value, step), *_places(value[step])]]


@settings(max_examples=300)
@given(st.data())
def test_any_value_anywhere(data: st.DataObject) -> None:
    value = copy.deepcopy(data.draw(st.sampled_from(FILES)))
    for _ in range(data.draw(st.integers(1, 4))):
        holder, step = data.draw(st.sampled_from(_places(value) or [([0], 0)]))
        if isinstance(holder, dict) and data.draw(st.booleans()):
            step = data.draw(KEYS)
        holder[step] = data.draw(VALUES)
    raw = json.dumps(value).replace("Infinity", "1e999").encode()
    try:
        made = imported(raw, "tasks.json", adopt=data.draw(st.booleans()))
    except ProblemsError as error:
        assert all(problem.hint and problem.line and problem.pointer is not None for problem in error.problems)
        return
    assert parse(made.data, "prd.json").prd.stories
    json.dumps(made.reading.told(), allow_nan=False)
    assert all(map(in_words, made.reading.warnings))
    assert imported(made.data, "prd.json").reading.dialect == "native"
