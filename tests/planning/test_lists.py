"""RULES, Stories: checklists, bare boxes, items `As a …`, and tables."""

from typing import Any

import pytest

from tests.planning.documents import CRITERIA, error, plan, stories


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("**Task 1: T** — text", {"id": "Task-1", "title": "T", "acceptanceCriteria": ["text"]}),
        ("**Task 1: T**: text", {"id": "Task-1", "title": "T", "acceptanceCriteria": ["text"]}),
        ("**T** - **bold** text", {"id": "US-001", "title": "T", "acceptanceCriteria": ["**bold** text"]}),
        ("**T:** text", {"id": "US-001", "title": "T", "acceptanceCriteria": ["text"]}),
        ("US-7: T – text – more", {"id": "US-7", "title": "T", "acceptanceCriteria": ["text – more"]}),
        ("**US-7** T — text", {"id": "US-7", "title": "T", "acceptanceCriteria": ["text"]}),
        ("**US-7:** T — text", {"id": "US-7", "title": "T", "acceptanceCriteria": ["text"]}),
        ("T\n  - a\n  - [ ] b", {"id": "US-001", "title": "T", "acceptanceCriteria": ["a", "b"]}),
        ("**T** and more\n  - a", {"id": "US-001", "title": "T and more", "acceptanceCriteria": ["a"]}),
        ("US-7: T\n  - a", {"id": "US-7", "title": "T", "acceptanceCriteria": ["a"]}),
        (
            "**T** — t **b**\n  t2\n\n  1. a\n     - b\n  2. c",
            {"id": "US-001", "title": "T", "description": "t b t2", "acceptanceCriteria": ["a: b", "c"]},
        ),
        (
            "T\n  - a\n  - **Effort:** S\n  - Priority: high\n  - Verify: `x` and `y`\n  - Test: by hand",
            {
                "id": "US-001",
                "title": "T",
                "acceptanceCriteria": ["a", "Test: by hand"],
                "priority": 2,
                "verificationCommands": ["x", "y"],
                "notes": "Effort: S",
            },
        ),
        (
            "**T**\n  **Priority:** low\n  **Criteria:**\n  - a\n\n  ```verify\n  x\n  ```",
            {"id": "US-001", "title": "T", "acceptanceCriteria": ["a"], "priority": 4, "verificationCommands": ["x"]},
        ),
        (
            "As a x, I want to y so that z.\n  - a",
            {
                "id": "US-001",
                "title": "Y",
                "description": "As a x, I want to y so that z.",
                "acceptanceCriteria": ["a"],
            },
        ),
        (
            "US-7: As an x, I want y.\n  - a",
            {"id": "US-7", "title": "Y", "description": "As an x, I want y.", "acceptanceCriteria": ["a"]},
        ),
    ],
)
@pytest.mark.parametrize("document", ["{}", "# P\n\n{}", "# P\n\n## Tasks\n\n### Group\n\n{}"])
def test_an_item_with_a_box_is_a_story(item: str, expected: dict[str, Any], document: str) -> None:
    (found,) = plan(document.format(f"- [ ] {item}\n"))["userStories"]
    assert {key: found[key] for key in expected} == expected


def test_the_marks_of_boxes() -> None:
    found = plan("# P\n\n1. [x] A\n   - a\n2. [-] B\n   - b\n3. [X] C\n   - c\n")["userStories"]
    assert [(story["passes"], story.get("skip")) for story in found] == [(False, None), (False, True), (False, None)]


def test_boxes_outside_stories_are_nothing() -> None:  # C065
    found = plan(f"# P\n\n- [ ] x\n\n## Success criteria\n- [ ] y\n\n### US-1: T\n{CRITERIA}## End\n- [ ] z\n")
    assert [story["acceptanceCriteria"] for story in found["userStories"]] == [["c"]]


def test_boxes_in_items_without_one_are_stories_too() -> None:
    found = plan("# P\n\n## Tasks\n\n- Phase 1\n  - [ ] A\n    - a\n  - note\n- Phase 2\n  - other\n")
    assert [story["title"] for story in found["userStories"]] == ["A"]
    assert found["unplaced"] == [5, 8, 9]


@pytest.mark.parametrize(
    "below",
    ["    - a\n    - b\n", "  - a\n  - b\n", "- a\n- b\n", "\n    - a\n    - b\n", "1. a\n2. b\n", "\t- a\n\t- b\n"],
)
@pytest.mark.parametrize("title", ["T", "T\n  more"])
def test_a_bare_line_with_a_box_is_a_story(title: str, below: str) -> None:
    found = plan(f"# P\n\n[ ] {title}\n{below}")["userStories"]
    assert [(story["title"], story["acceptanceCriteria"]) for story in found] == [
        (title.replace("\n ", ""), ["a", "b"])
    ]


def test_a_bare_box_below_the_bullets_of_another_task_is_its_own() -> None:
    found = plan("# P\n\n## Tasks\n\n- [-] A\n  - a\n[ ] B\n    - b\n")["userStories"]
    assert [(story["title"], story["acceptanceCriteria"], story.get("skip")) for story in found] == [
        ("A", ["a"], True),
        ("B", ["b"], None),
    ]


def test_bare_lines_of_one_paragraph_and_what_is_between_them() -> None:
    found = plan(
        "# P\n\n## Tasks\n\nintro\n[ ] **A** — a\n[-] **B** — t\n    - b\n      - c\n\ntext\n\n[ ] **C** — c\n"
    )
    assert [(story["title"], story["acceptanceCriteria"], story.get("skip")) for story in found["userStories"]] == [
        ("A", ["a"], None),
        ("B", ["b: c"], True),
        ("C", ["c"], None),
    ]
    assert found["unplaced"] == [5, 11]


def test_items_as_a() -> None:
    text = "1. **As a** x, **I want to** do y, **so that** z.\n   - a\n2. As an x I can y.\n   - b\n3. Other\n"
    found = plan(f"# P\n\n## User Stories\n\n{text}")
    assert [(story["title"], story["description"]) for story in found["userStories"]] == [
        ("Do y", "As a x, I want to do y, so that z."),
        ("As an x I can y", "As an x I can y."),
    ]
    assert found["unplaced"] == [9]


def test_stories_of_a_list_without_criteria() -> None:
    assert error("# P\n\n- [ ] A\n- [ ] **B** — b\n- As a x, I want y.\n") == ("no_criteria", [3, 5])


def row(header: str, cells: str) -> dict[str, Any]:
    """The story of a table with one row."""
    (found,) = stories(f"| {header} |\n|{'---|' * (header.count('|') + 1)}\n| {cells} |\n")
    return found


@pytest.mark.parametrize(
    ("header", "cells", "expected"),
    [
        (
            "ID | Title | Criteria",
            "X-1 | **T** | a; `b;c`<br>**d**;",
            {"id": "X-1", "title": "T", "acceptanceCriteria": ["a", "`b;c`", "**d**"]},
        ),
        ("Criteria (v2) | Name | #", "a | T | X 1", {"id": "X-1", "title": "T", "acceptanceCriteria": ["a"]}),
        ("Title | Criteria", "X-1: T | a", {"id": "X-1", "title": "T", "acceptanceCriteria": ["a"]}),
        (
            "User Story | Done when",
            "As a x, I want y | a",
            {"title": "Y", "description": "As a x, I want y", "acceptanceCriteria": ["a"]},
        ),
        (
            "ID | As a… | I want to… | So that… | Criteria",
            "[X-1](#x) | admin | do y | z | a",
            {
                "id": "X-1",
                "title": "Do y",
                "description": "As an admin, I want to do y, so that z",
                "acceptanceCriteria": ["a"],
            },
        ),
        (
            "I want | Title | Description | Criteria",
            "to y | T | D | a",
            {"title": "T", "description": "I want to y\n\nD", "acceptanceCriteria": ["a"]},
        ),
        (
            "Story | Criteria | Edge cases | Priority | Verify | Notes | Effort",
            "T | a | b | P0 (now) | `x`, `y` | n | S",
            {
                "acceptanceCriteria": ["a", "b"],
                "priority": 1,
                "verificationCommands": ["x", "y"],
                "notes": "n\nEffort: S",
            },
        ),
        ("Story | Criteria | Tests | Priority", "T | a | by hand | -", {"notes": "Tests: by hand", "priority": 1}),
        (
            "Titel | Name | Kriterien | Criteria",
            "T | x | y | a \\| **b**",
            {"title": "T", "notes": "Name: x\nKriterien: y", "acceptanceCriteria": ["a | **b**"]},
        ),
        ("Criterios de aceptación | Título", "a | T", {"title": "T", "acceptanceCriteria": ["a"]}),
        (
            "Name | Akzeptanzkriterien | Priorität | Abhängig von",
            "T | a | hoch | keine",
            {"acceptanceCriteria": ["a"], "priority": 2},
        ),
    ],
)
def test_a_row_is_a_story(header: str, cells: str, expected: dict[str, Any]) -> None:
    found = row(header, cells)
    assert {key: found[key] for key in expected} == expected


def test_tables_that_are_none_of_stories() -> None:
    table = "| ID | Risk | Criteria |\n|--|--|--|\n| R-1 | x | y |\n"
    found = plan(
        f"# P\n\n| ID | Title | Criteria |\n|-|-|-|\n| A-1 | x | y |\n\n## Stories\n\n{table}\n### US-1: T\n{CRITERIA}"
    )
    assert [story["id"] for story in found["userStories"]] == ["US-1"]
    assert found["unplaced"] == [9]


def test_a_heading_with_the_id_of_a_row_adds_to_it() -> None:
    table = "| ID | Title | Criteria | Priority | Depends on |\n|-|-|-|-|-|\n| US-1 | One | a | low | |\n"
    table += "| US-2 | Two | b | high | 1 |\n"
    details = "## Details\n\n### US-2 — Zwei\n**Priority:** 7\n\nMore\n"
    found = plan(f"# P\n\n## Stories\n\n{table}\n### US-001: One\nText\n{CRITERIA}\n{details}")
    one, two = found["userStories"]
    assert (one["id"], one["title"], one["description"], one["priority"]) == ("US-1", "One", "Text", 4)
    assert one["acceptanceCriteria"] == ["a", "c"]
    assert (two["id"], two["title"], two["description"], two["priority"]) == ("US-2", "Zwei", "More", 7)
    assert two["dependsOn"] == ["US-1"]
    assert found["unplaced"] == [8]


def test_rows_whose_cells_cannot_be_read() -> None:
    rows = "| A | a | soon | |\n| B | b | | rain |\n| | | | |\n"
    found = plan(f"# P\n\n## Stories\n\n| Title | Criteria | Priority | Depends on |\n|-|-|-|-|\n{rows}")
    assert len(found["userStories"]) == 2
    assert found["unplaced"] == [7, 8]
