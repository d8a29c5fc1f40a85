"""Large files, of every kind that could take time out of proportion: what grew with the square would take minutes."""

from collections.abc import Callable
from typing import Any

import pytest

from prd_ralph.prdfile import lint, parse
from prd_ralph.prdfile.edit import flipped, with_notes
from prd_ralph.prdfile.guard import guarded
from prd_ralph.prdfile.text import Lines
from tests.prdfile.support import data_of, prd, problems_of, story

COUNT = 4_000


def _stories(make: Callable[[int], dict[str, Any]]) -> bytes:
    return data_of(prd(*(story(f"US-{number}", **make(number)) for number in range(COUNT))))


def test_every_line_of_a_long_text_is_told() -> None:
    body = "{\n" * 300_000
    lines = Lines(body)
    assert all(lines.at(position) == position // 2 + 1 for position in range(len(body)))


def test_thousands_of_stories_are_read_edited_and_guarded() -> None:
    data = _stories(lambda number: {"dependsOn": [f"us{number - 1}"] if number else [], "notes": ""})
    last = f"US-{COUNT - 1}"
    document = parse(data, "prd.json")
    begins = [number for number, line in enumerate(data.splitlines(), 1) if line == b"    {"]
    assert [each.line for each in document.prd.stories] == begins
    assert len(document.warnings) == COUNT - 1
    assert parse(flipped(data, last, True), "prd.json").prd.story(last).passes
    theirs = with_notes(data, last, "mine").replace(b'"passes": false', b'"passes": true')
    found = guarded(data, theirs, last)
    assert found.data == with_notes(data, last, "mine")
    assert len(found.tampered) == 51


def test_of_thousands_of_circles_the_first_are_told() -> None:
    found = problems_of(_stories(lambda number: {"dependsOn": [f"US-{number ^ 1}"]}))
    assert len(found) == 20
    assert found[0].message == "stories wait for each other: US-0 → US-1 → US-0"


def test_of_thousands_of_unknown_ids_all_are_told_and_the_first_get_a_suggestion() -> None:
    found = problems_of(_stories(lambda number: {"dependsOn": [f"XS-{number}"]}))
    assert len(found) == COUNT
    assert [problem.hint.startswith("did you mean") for problem in found] == [True] * 20 + [False] * (COUNT - 20)


@pytest.mark.parametrize("filler", ["\n", ";", " ", "|| ", "echo a;\n", "&"])
def test_what_hides_the_status_of_a_very_long_command_is_found(filler: str) -> None:
    honest, masked = (f"make{filler * 10_000}{end}" for end in ("test", "test || true"))
    data = data_of(prd(story(verificationCommands=[honest, masked])))
    found = lint(parse(data, "prd.json"), "prd.json", rules=("masked-status",))
    assert [problem.pointer for problem in found] == ["/userStories/0/verificationCommands/1"]
