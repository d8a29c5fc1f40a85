"""RULES, Top keys; one file a story; what is written, warned of, and refused."""

import json

import pytest

from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.values import Concern
from tests.planning.compared import compared
from tests.planning.documents import CRITERIA, error, plan

STORY = f"\n## User Stories\n\n### US-1: T\n{CRITERIA}"


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("# P", "P"),
        ("# PRD: P", "P"),
        ("# prd - P", "P"),
        ("# P PRD", "P"),
        ("# P — PRD", "P"),
        ("# P (PRD)", "P"),
        ("# [PRD] P", "P"),
        ("# Product Requirements Document: P", "P"),
        ("# Product Requirement Document (PRD) | P", "P"),
        ("# P: Product Requirements", "P"),
        ("# 产品需求文档：P", "P"),
        ("# **PRD:** `P`", "`P`"),
        ("P\n=", "P"),
        ("# PRDs of P", "PRDs of P"),
        ("# P\n\n# Q\n\n**Project:** R", "P"),
        ("# PRD\n\n**Product Name:** P\n**Status:** x", "P"),
        ("intro\n\n- **Project**: P", "P"),
        ("# PRD", "thing"),
        ("text", "thing"),
        ("---\ntitle: P\n---\n# Q", "P"),
        ("---\ntitle: R\nproject: 'P'\n---\n# Q", "P"),
        ("---\nproject:\n---\n# P", "P"),
    ],
)
def test_the_project(text: str, project: str) -> None:
    assert plan(f"{text}\n{STORY}", "tasks/prd-thing.md")["project"] == project


@pytest.mark.parametrize(
    ("text", "branch"),
    [
        ("# Straße, Ünïted – Café 2!", "ralph/strasse-united-cafe-2"),
        ("# 产品", None),
        ("# 产品\n\n**Branch:** `x/y`", "x/y"),
        ("# P\n\n**Branch name**: x/y (from main)", "x/y"),
        ("# P\n\n- **Branch:** `x/y` from main", "x/y"),
        ("---\nbranch: x/y\n---\n# P\n\n**Branch:** z", "x/y"),
        ("---\nbranchName: x/y\n---\n# P", "x/y"),
        ("# P\n\n**Branch:**", "ralph/p"),
    ],
)
def test_the_branch(text: str, branch: str | None) -> None:
    assert plan(f"{text}\n{STORY}").get("branchName") == branch


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("# P\n\na **b**\nc  \nd\n\ne", "a b c d"),
        ("first\n\n# P\n\nsecond", "first"),
        ("# P\n\n**Status:** x\nmore\n\n**Bold**\n\n> q\n\n- i\n\n1. j\n\n| t |\n|---|\n\n```\nf\n```\n\na", "a"),
        ("# P\n\n[ ] box\n\na", "a"),
        ("# P\n\n## Quality Gates\n\nRun these:\n- `x`\n\n### More\n\nnot this\n\n## Overview\n\na", "a"),
        ("# P\n", ""),
    ],
)
def test_the_description(text: str, description: str) -> None:
    assert plan(f"{text}\n{STORY}\n## End\n\nnot this\n")["description"] == description


def test_the_description_stands_before_the_first_story() -> None:
    assert plan(f"# P\n\n## US-1: T\n\nnot this\n\n{CRITERIA}# More\n\nnor this\n")["description"] == ""
    assert plan("# P\n\na\n\n- [ ] **A** — b\n\nnot this\n")["description"] == "a"
    assert plan("# P\n\n- [ ] **A** — b\n\nnot this\n")["description"] == ""


def folder(*texts: str, names: tuple[str, ...] = ()) -> dict[str, object]:
    named = names or tuple(f"{number}.md" for number in range(1, len(texts) + 1))
    return compared("shelf", [(name, text.encode()) for name, text in zip(named, texts, strict=True)])


def test_the_whole_file_is_the_story() -> None:
    text = (
        "---\nid: S 7\ntitle: 'T: t'\npriority: P2\ndepends_on: none\ntags: [ui, db]\nowner: x\nempty:\n"
        "verificationCommands: make\n---\n# T: t\n\nText\n\n## Goals\n- g\n\n## Acceptance Criteria\n- [ ] a\n"
        "### Edge cases\n- b\n\n## Depends on\nnone\n"
    )
    assert plan(text, "prd-s.md") == {
        "project": "s",
        "branchName": "ralph/s",
        "description": "",
        "userStories": [
            {
                "id": "S-7",
                "title": "T: t",
                "description": "Text",
                "acceptanceCriteria": ["a", "b"],
                "priority": 3,
                "dependsOn": [],
                "verificationCommands": ["make"],
                "passes": False,
                "notes": "tags: ui, db\nowner: x\nGoals: g",
            }
        ],
    }


@pytest.mark.parametrize("level", range(2, 7))
def test_a_title_with_an_id_makes_a_story_of_a_file(level: int) -> None:  # C070
    (found,) = plan(f"# US-7: T\n\nText\n\n{'#' * level} Acceptance Criteria\n- a\n")["userStories"]
    assert (found["id"], found["title"], found["description"], found["acceptanceCriteria"]) == (
        "US-7",
        "T",
        "Text",
        ["a"],
    )


@pytest.mark.parametrize(
    "text",
    [
        f"# F1 Manager\n\n## User Stories\n\n### US-1: T\n{CRITERIA}",
        f"# F1 Manager\n\n## US-1: T\n{CRITERIA}",
        f"---\nid: PRD-3\n---\n# P\n\n## US-1: T\n{CRITERIA}",
        f"---\nid: x\n---\n# P\n\n## Stories\n\n### US-1: T\n{CRITERIA}",
    ],
)
def test_a_document_with_stories_is_none_itself(text: str) -> None:
    assert [story["id"] for story in plan(text)["userStories"]] == ["US-1"]


def test_a_folder() -> None:
    found = folder(
        f"---\nid: S-10\ndependsOn: [S-2, s3]\n---\n# Ten\n{CRITERIA}",
        f"# S-2: Two\n{CRITERIA}## Quality Gates\n- `not-a-gate`\n",
        f"# Q\n\n## Backlog\n\n### S-3: Three\n\nlost\n{CRITERIA}## Checks\n- `b`\n- prose\n",
        "# PRD: P\n\nAll of it.\n\n## Checks\n- `a`\n",
        "# R\n\nNot this.\n\n## Checks\n- `c`\n",
        names=("s10.md", "S2.md", "s3.md", "x.md", "y.md"),
    )
    assert found["project"] == "P"
    assert found["description"] == "All of it."
    assert found["verificationCommands"] == ["b", "a", "c"]
    assert found["unplaced"] == ["s3.md:13"]
    stories = found["userStories"]
    assert isinstance(stories, list)
    assert [(story["id"], story["dependsOn"]) for story in stories] == [
        ("S-2", []),
        ("S-3", []),
        ("S-10", ["S-2", "S-3"]),
    ]
    assert stories[0]["notes"] == "Quality Gates: `not-a-gate`"


def test_a_folder_of_stories_alone_is_called_after_it() -> None:
    first = f"---\nid: S-1\ntitle: T\nproject: P\nbranch: b\n---\n{CRITERIA}"
    second = f"---\nid: S-2\ntitle: Other\nproject: P\n---\n# Unlike\n{CRITERIA}"
    found = folder(first, second)
    assert (found["project"], found["branchName"], found["unplaced"]) == ("P", "b", ["2.md:6"])
    assert folder(second.replace("project: P\n", ""))["project"] == "shelf"
    assert folder("# no", "# stories") == {"error": {"kind": "no_stories", "lines": []}}


def test_front_matter_that_cannot_be_used() -> None:
    text = (
        f"---\nid: S-1\ntitle: T\npriority: soon\nblockedBy: rain\nverificationCommands:\n  - run: x\n---\n{CRITERIA}"
    )
    assert plan(text)["unplaced"] == [4, 5, 6]
    assert folder(text)["unplaced"] == ["1.md:4", "1.md:5", "1.md:6"]


def test_errors_in_a_folder_name_the_files() -> None:
    story = f"---\nid: S-1\ndependsOn: S-9\n---\n{CRITERIA}"
    assert folder(story, story.replace("S-1", "s1")) == {
        "error": {"kind": "duplicate_id", "lines": ["1.md:2", "2.md:2"]}
    }
    assert folder(story) == {"error": {"kind": "unknown_dependency", "lines": ["1.md:3"]}}


def test_ids_that_are_the_same() -> None:  # C075
    headings = ("US-1: A", "us1: no", "US-001: B", "US 01: C", "X-1: D", "X-01: E")
    text = "".join(f"## {heading}\n{CRITERIA}" for heading in headings)
    assert error(text) == ("duplicate_id", [1, 9, 13, 17, 21])
    rows = "| ID | Title | Criteria |\n|-|-|-|\n| X-1 | a | b |\n"
    assert error(f"## Stories\n{rows}\n### X-1: A\n{CRITERIA}\n### X-01: A\n{CRITERIA}") == ("duplicate_id", [4, 11])


def test_near_misses_are_listed_where_there_is_no_story() -> None:  # C061, C067
    text = (
        "# US-1: no criteria\n\n## User Stories\n\n- US-2: a\n- [ ]US-3: no\n  1. **US-4** b\n\n"
        "**Task 5**: c\nStory 6 – d\nFR-1: no\n\n"
        "```\nUS-7: e\n```\n\n> US-8: f\n"
    )
    assert error(text) == ("no_stories", [1, 5, 7, 9, 10])


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(PlanError) as caught:
        plan_file("p.md", f"## US-1: A\n**Depends on:** US-8\n\n## US-2: B\n**Depends on:** X-9\n{CRITERIA}".encode())

    assert [str(problem).splitlines()[0] for problem in caught.value.problems] == [
        "p.md:1 US-1: the story has no acceptance criteria",
        "p.md:2 US-1: no story is US-8, on which this one depends",
        "p.md:5 US-2: no story is X-9, on which this one depends",
    ]
    assert all(problem.hint for problem in caught.value.problems)


def test_warnings() -> None:
    text = (
        "---\nverificationCommands: x\n---\n# P\n\n- [ ] a\n- b\n  - [ ] c\n\n[x]: http://y\n\n"
        "## US-9: outside\n\n## Tasks\n\n"
        f"### US-1: T\n{CRITERIA}### US-2: T\n{CRITERIA}**Verify:** `x`\n"
    )
    found = plan_file("p.md", text.encode())
    assert [(notice.place.line, notice.concern) for notice in found.warnings] == [
        (2, Concern.KEY),
        (6, Concern.BOX),
        (8, Concern.BOX),
        (10, Concern.LINK),
        (12, Concern.ID),
        (16, Concern.NO_COMMAND),
    ]
    with_gates = plan_folder("d", [("1.md", text.encode()), ("2.md", b"## Checks\n`x`\n"), ("3.md", b"# z\n")])
    assert [(str(notice.place), notice.concern) for notice in with_gates.warnings][-1:] == [("3.md:1", Concern.FILE)]


def test_unplaced_lines_have_their_text() -> None:
    found = plan_file("p.md", f"# P\n\n## Tasks\n\n  stray *text*\nand more\n\n### US-1: T\n{CRITERIA}".encode())
    assert [(str(entry.place), entry.text) for entry in found.unplaced] == [("p.md:5", "stray *text*")]


def test_the_keys_of_prd_json_and_their_order() -> None:
    text = (
        f"# P\n\n## Checks\n- `a`\n\n## Tasks\n\n### [-] US-1: T\n{CRITERIA}**Verify:** `b`\n\n### US-2: U\n{CRITERIA}"
    )
    planned = plan_file("p.md", text.encode())
    found = json.loads(json.dumps(prd_json(planned, "tasks/p.md")))
    assert list(found) == ["project", "branchName", "description", "source", "verificationCommands", "userStories"]
    first, second = found["userStories"]
    common = ["id", "title", "description", "acceptanceCriteria", "priority", "dependsOn"]
    assert list(first) == [*common, "verificationCommands", "passes", "notes", "skip"]
    assert list(second) == [*common, "passes", "notes"]
    assert found["source"]["path"] == "tasks/p.md"
    assert list(found["source"]["stories"]) == ["US-1", "US-2"]
    assert found["source"]["sha256"] == planned.sha256
    assert [value.split("-")[0] for value in found["source"]["stories"].values()] == [
        story.sha256 for story in planned.stories
    ]


def fingerprints(text: str) -> list[str]:
    return [story.sha256 for story in plan_file("p.md", text.encode()).stories]


def test_the_fingerprint_of_a_story_is_that_of_its_text() -> None:
    text = f"# P\n\n### US-1: T\n{CRITERIA}### US-2: U\n{CRITERIA}"
    one, two = fingerprints(text)
    assert one != two
    assert fingerprints(text.replace("\n", " \r\n\r\n").replace("[ ]", "[x]")) == [one, two]
    assert fingerprints(f"# Q\n\nintro\n\n### US-0: New\n{CRITERIA}" + text.removeprefix("# P\n\n"))[1:] == [one, two]
    assert fingerprints(text.replace("US-2: U\n", "US-2: U\nmore\n"))[0] == one
    assert fingerprints(text.replace("US-2: U\n", "US-2: U\nmore\n"))[1] != two


def test_the_fingerprints_of_lists_and_rows() -> None:
    items = "- [ ] **A** — a\n- [ ] **B** — b\n\n[ ] **C** — c\n[ ] **D** — d\n"
    changed = items.replace("b\n", "bb\n")
    assert [a == b for a, b in zip(fingerprints(items), fingerprints(changed), strict=True)] == [
        True,
        False,
        True,
        True,
    ]
    table = "## Tasks\n\n| ID | Title | Criteria |\n|-|-|-|\n| X-1 | A | a |\n| X-2 | B | b |\n"
    more = f"{table}\n### X-1: A\n{CRITERIA}"
    assert [a == b for a, b in zip(fingerprints(table), fingerprints(more), strict=True)] == [False, True]
