"""Files as they are found: what reading each gives, and that what is made of it is ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.errors import ProblemsError
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.foreign.importing import imported
from tests.prdfile.support import FIXTURES

FILES = sorted(path for path in FIXTURES.glob("*.json") if ".expected" not in path.name)
WANTED: dict[Path, dict[str, Any]] = {
    path: json.loads(path.with_suffix(".expected.json").read_text(encoding="utf-8")) for path in FILES
}
READ = [path for path in FILES if "error" not in WANTED[path]]
BROKEN = [path for path in FILES if "error" in WANTED[path]]


def _name(path: Path) -> str:
    return path.stem


def test_all_are_there() -> None:
    assert (len(READ), len(BROKEN)) == (16, 4)


@pytest.mark.parametrize("path", READ, ids=_name)
def test_what_is_read(path: Path) -> None:
    found = imported(path.read_bytes(), path.name).reading.told()
    wanted = dict(WANTED[path])
    for key in ("commands_seen", "warnings"):
        assert sorted(found.pop(key)) == sorted(wanted.pop(key))  # type: ignore[call-overload]
    assert found == wanted


@pytest.mark.parametrize("path", READ, ids=_name)
def test_what_is_made_says_the_same_and_is_ours(path: Path) -> None:
    data = imported(path.read_bytes(), path.name, keep_flags=True).data
    again = imported(data, "prd.json", keep_flags=True)
    assert parse(data, "prd.json").warnings == ()
    assert again.reading.dialect == "native"
    assert again.reading.told()["stories"] == WANTED[path]["stories"]
    assert again.data == data  # a second import changes nothing


@pytest.mark.parametrize("path", BROKEN, ids=_name)
def test_an_error_is_told_at_its_place(path: Path) -> None:
    wanted = WANTED[path]["error"]
    with pytest.raises(ProblemsError) as caught:
        imported(path.read_bytes(), path.name)
    (problem,) = caught.value.problems
    assert problem.pointer == wanted["pointer"]
    assert all(word in problem.message.lower() for word in wanted["mentions"])
    assert abs((problem.line or 0) - wanted.get("line", problem.line)) <= 1
