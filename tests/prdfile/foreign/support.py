"""What import reads and makes of small files."""

import json
from typing import Any

import pytest

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prdfile import parse
from prd_ralph.prdfile.foreign.importing import imported
from tests.prdfile.support import data_of


def told(value: Any) -> dict[str, Any]:
    """The four keys, of a file that can be imported."""
    return imported(_data(value), "tasks.json").reading.told()


def stories(value: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told(value)["stories"]
    return found


def one(**fields: Any) -> dict[str, Any]:
    """The story of a list `tasks` that holds it alone."""
    (found,) = stories({"tasks": [{"title": "t", "status": "open", **fields}]})
    return found


def warnings(value: Any) -> set[str]:
    return set(told(value)["warnings"])


def made(value: Any, **options: bool) -> dict[str, Any]:
    """The prd.json that import makes, once our own check has accepted it without a warning."""
    data = imported(_data(value), "tasks.json", **options).data
    assert parse(data, "prd.json").warnings == ()
    found: dict[str, Any] = json.loads(data)
    return found


def problems(value: Any) -> tuple[Problem, ...]:
    with pytest.raises(ProblemsError) as caught:
        imported(_data(value), "tasks.json")
    assert all(problem.hint and problem.line and problem.pointer is not None for problem in caught.value.problems)
    return caught.value.problems


def places(value: Any) -> list[str | None]:
    return [problem.pointer for problem in problems(value)]


def _data(value: Any) -> bytes:
    return value if isinstance(value, bytes) else data_of(value)
