"""RULES, Stories: headings with an id, headings with criteria of their own, and where a story ends."""

import pytest

from tests.planning.documents import CRITERIA, error, plan, stories


@pytest.mark.parametrize(
    ("heading", "story_id", "title"),
    [
        ("### US-001: T", "US-001", "T"),
        ("### US1: T", "US1", "T"),
        ("## US-1 - T", "US-1", "T"),
        ("#### User Story 3: T", "User-Story-3", "T"),
        ("### **US-001**: T", "US-001", "T"),
        ("### **US-001: T**", "US-001", "T"),
        ("### US-001 T", "US-001", "T"),
        ("### US-001", "US-001", "US-001"),
        ("### US 1: T", "US-1", "T"),
        ("### [US-001] T", "US-001", "T"),
        ("### [US-001](#us-001): T", "US-001", "T"),
        ("### (US-001) T", "US-001", "T"),
        ("### `US-001` — T", "US-001", "T"),
        ("### US-001 | T", "US-001", "T"),
        ("### US-001：T", "US-001", "T"),
        ("### US-107A. T", "US-107A", "T"),
        ("### US-LP-001 – T – more", "US-LP-001", "T – more"),
        ("### US-001-002: T", "US-001-002", "T"),
        ("### F1 T", "F1", "T"),
        ("### Story 1.1 – T", "Story-1.1", "T"),
        ("### Tarea 4: T", "Tarea-4", "T"),
        ("### aufgabe 5. T", "aufgabe-5", "T"),
        ("### [ ] US-001: T", "US-001", "T"),
        ("### US-001: T ###", "US-001", "T"),
        ("### US-001: `T` [UI] <!-- x -->", "US-001", "`T` [UI]"),
        ("US-001: T\n---------", "US-001", "T"),
        ("US-001: T\nover two\n---", "US-001", "T over two"),
    ],
)
def test_a_heading_with_an_id_is_a_story(heading: str, story_id: str, title: str) -> None:  # C061
    for section in ("", "# User Stories\n\n"):
        (found,) = plan(f"# P\n\n{section}{heading}\n\n{CRITERIA}")["userStories"]
        assert (found["id"], found["title"]) == (story_id, title)


@pytest.mark.parametrize(
    "text",
    [
        "FR-1",
        "NFR-2",
        "AC1",
        "PRD-3",
        "ADR-4",
        "RFC 5",
        "EPIC-1",
        "P0",
        "P4",
        "Us-1",
        "us-1",
        "US-1.1",
        "3",
        "Phase 1",
        "US-1x2",
    ],
)
def test_what_is_no_id(text: str) -> None:
    assert error(f"# P\n\n### {text}: T\n\n{CRITERIA}") == ("no_stories", [])


def test_p5_is_an_id_and_bold_inside_a_title_goes() -> None:
    (found,) = plan(f"# P\n\n### P5: the **big** `**one**`\n\n{CRITERIA}")["userStories"]
    assert (found["id"], found["title"]) == ("P5", "the big `**one**`")


@pytest.mark.parametrize("level", [2, 3, 4, 5, 6])
def test_criteria_under_a_heading_of_any_level(level: int) -> None:  # C070
    (found,) = plan(f"# P\n\n## US-1: T\n\n{'#' * level if level > 2 else '###'} Acceptance criteria\n\n- c\n")[
        "userStories"
    ]
    assert found["acceptanceCriteria"] == ["c"]


@pytest.mark.parametrize("closing", ["## Architecture", "## Követelmények", "# End"])
def test_a_heading_of_its_level_or_higher_ends_a_story(closing: str) -> None:  # C064
    (found,) = plan(
        f"# P\n\n## User Stories\n\n### US-1: T\n\n{CRITERIA}{closing}\n\n- [ ] leaks\n\n#### More\n- [ ] x\n"
    )["userStories"][:1]
    assert found["acceptanceCriteria"] == ["c"]


def test_the_next_story_ends_a_story_even_when_it_is_deeper() -> None:
    assert [found["id"] for found in stories(f"### US-1: T\n{CRITERIA}##### US-2: T\n{CRITERIA}")] == ["US-1", "US-2"]


def test_with_a_stories_section_ids_elsewhere_are_no_stories() -> None:
    before, after = f"## US-9: no\n{CRITERIA}", f"## More\n### US-2: no\n{CRITERIA}"
    found = plan(f"# P\n\n{before}## 2. Backlog (MVP):\n\n### US-1: T\n{CRITERIA}{after}")
    assert [story["id"] for story in found["userStories"]] == ["US-1"]


@pytest.mark.parametrize(
    "word", ["User Stories", "TASKS", "**Stories**", "3. Historias de usuario", "用户故事：", "Feladatok"]
)
def test_what_is_a_stories_section(word: str) -> None:
    found = plan(f"# P\n\n## {word}\n\nstray\n\n### T\n{CRITERIA}")
    assert found["userStories"][0]["title"] == "T"
    assert found["unplaced"] == [5]


def test_a_heading_without_an_id_is_a_story_by_criteria_of_its_own() -> None:
    text = (
        f"### Group\n\n#### Log in\n\nText\n\n{CRITERIA}"
        "#### Log out\n##### Notes\nn\n##### Acceptance criteria\n- d\n\n"
        f"### US-001: Named\n{CRITERIA}### Rest\n\nstray\n"
    )
    found = stories(text)
    assert [(story["id"], story["title"]) for story in found] == [
        ("US-002", "Log in"),
        ("US-003", "Log out"),
        ("US-001", "Named"),
    ]
    assert found[1] == {"id": "US-003", "title": "Log out", "acceptanceCriteria": ["d"], "priority": 2, "notes": "n"}


def test_a_task_heading_in_a_story_is_a_label_and_begins_no_section() -> None:
    (found,) = plan(f"# P\n\n## US-1: T\n{CRITERIA}### Tasks\n- [ ] a\n- b\n")["userStories"]
    assert found["notes"] == "Tasks: a; b"


def test_a_stories_section_inside_a_numbered_slice_counts() -> None:
    found = plan(f"# P\n\n## Slice 1: X\n\n### User Stories\n\n#### US-1: T\n{CRITERIA}")
    assert [story["id"] for story in found["userStories"]] == ["US-1"]


def test_only_a_leading_number_is_ignored() -> None:
    assert error(f"# P\n\n## User 2 Stories\n\n### T\n{CRITERIA}") == ("no_stories", [])


def test_a_held_heading_is_skipped() -> None:
    assert stories(f"### [-] US-1: T\n{CRITERIA}")[0]["skip"] is True
