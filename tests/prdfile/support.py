"""Small valid files, and the problems of broken ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prdfile import parse

FIXTURES = Path(__file__).parent.parent / "fixtures" / "prd"


def story(story_id: object = "US-001", **more: Any) -> dict[str, Any]:
    return {"id": story_id, "title": "Do it", "passes": False, **more}


def prd(*stories: Any, **more: Any) -> dict[str, Any]:
    return {"project": "Pond", **more, "userStories": list(stories) or [story()]}


def data_of(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def problems_of(value: Any, root: Path | None = None, strict: bool = False) -> tuple[Problem, ...]:
    """Of bytes, or of a value written as JSON; the test fails when there are none."""
    data = value if isinstance(value, bytes) else data_of(value)
    with pytest.raises(ProblemsError) as caught:
        parse(data, "prd.json", root, strict)
    return caught.value.problems


def only_problem(value: Any, root: Path | None = None) -> Problem:
    (problem,) = problems_of(value, root)
    return problem
