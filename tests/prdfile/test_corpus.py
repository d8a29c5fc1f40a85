"""Files as they are found: ours are read, the others are named."""

import json
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.model import LAST_PRIORITY
from prd_ralph.prdfile import parse
from tests.prdfile.support import FIXTURES, problems_of

FILES = sorted(path for path in FIXTURES.glob("*.json") if ".expected" not in path.name)
WANTED = {path: json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8")) for path in FILES}
NATIVE = [path for path in FILES if WANTED[path].get("dialect") == "native"]
BROKEN = [path for path in FILES if "error" in WANTED[path]]
FOREIGN = [path for path in FILES if path not in NATIVE and path not in BROKEN]


def _name(path: Path) -> str:
    return path.stem


def test_all_kinds_are_there() -> None:
    assert (len(NATIVE), len(BROKEN), len(FOREIGN)) == (6, 4, 10)


@pytest.mark.parametrize("path", NATIVE, ids=_name)
def test_a_native_file_is_read_as_it_is(path: Path) -> None:
    document = parse(path.read_bytes(), path.name, path.parent, strict=True)
    assert document.data == path.read_bytes()
    found = document.prd.stories
    wanted = WANTED[path]["stories"]
    assert [
        {
            "id": story.id,
            "title": story.title,
            "passes": story.passes,
            "dependsOn": list(story.depends_on),
            "held": story.skip,
            "acceptanceCriteria": list(story.criteria),
        }
        for story in found
    ] == [{key: value for key, value in story.items() if key != "priority"} for story in wanted]
    missing = [w.removeprefix("priority_missing ") for w in WANTED[path]["warnings"] if "priority_missing" in w]
    for index, (story, other) in enumerate(zip(found, wanted, strict=True)):
        if f"/userStories/{index}" in missing or story.priority == LAST_PRIORITY:
            assert story.priority == LAST_PRIORITY
        else:
            assert story.priority == other["priority"]


@pytest.mark.parametrize("path", BROKEN, ids=_name)
def test_an_error_is_told_at_its_place(path: Path) -> None:
    wanted: dict[str, Any] = WANTED[path]["error"]
    (problem,) = problems_of(path.read_bytes())
    assert problem.pointer == wanted["pointer"]
    assert problem.hint
    told = f"{problem.message} {problem.hint}".lower()
    assert all(word.lower() in problem.message.lower() for word in wanted["mentions"]), told
    if "line" in wanted:
        assert problem.line is not None
        assert abs(problem.line - wanted["line"]) <= 1


@pytest.mark.parametrize("path", FOREIGN, ids=_name)
def test_another_tools_file_is_named_and_refused(path: Path) -> None:
    dialect = WANTED[path]["dialect"]
    problems = problems_of(path.read_bytes())
    assert any("prd-ralph import" in problem.hint for problem in problems)
    if dialect == "userStories":
        assert all((problem.pointer or "").startswith("/userStories/") for problem in problems)
        return
    (problem,) = problems
    assert problem.pointer == ("" if dialect == "list" else "/" + dialect.split(".")[0].rstrip("[]{}"))
    assert dialect in problem.message
    assert "userStories" in problem.message


def test_what_only_looks_like_commands_is_never_run() -> None:
    path = FIXTURES / "13-foreign-commands.json"
    found = parse(path.read_bytes(), path.name).prd
    assert [check.run for check in found.checks] == ["dune build @check"]
    assert [[check.run for check in story.checks] for story in found.stories] == [[], [], [("dune", "test", "print")]]
