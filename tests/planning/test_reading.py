"""RULES, Reading: bytes, front matter, the `[PRD]` lines, comments; and files that cannot be read."""

import pytest

from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.problems import ErrorKind, PlanError
from prd_ralph.planning.values import Concern
from tests.planning.compared import compared
from tests.planning.documents import CRITERIA, plan

DOCUMENT = f"""---
title: 'A: b'
---
# P

## User Stories

### US-1: T

-\tx
\t-\ty

{CRITERIA}* * *

### US-2: U
- [ ] a
- b
"""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "  \n"),
        lambda text: text.expandtabs(4),
        lambda text: text.replace("# P\n", "P\n===\n").replace("## User Stories\n", "User Stories\n---\n"),
        lambda text: text.replace("### US-2", "---\n\n### US-2"),
        lambda text: text + "\n\n\n",
    ],
    ids=["crlf", "cr", "bom", "no last newline", "blanks", "tabs", "setext", "rule", "blank lines"],
)
def test_how_it_is_written_makes_no_difference(change: object) -> None:  # C062
    assert callable(change)
    assert compared("p.md", change(DOCUMENT).encode()) == compared("p.md", DOCUMENT.encode())


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"", "the file is empty", None),
        (b"\xef\xbb\xbf \r\n\t", "the file is empty", None),
        (b"# P\n\xe9", "the file is not UTF-8: byte 0xe9", 2),
        ("# P".encode("utf-16"), "the file is UTF-16, not UTF-8", None),
        (b"# P\n\n\0", "the file is not text: it has a NUL byte", 3),
        (b"#" * 10_000_001, "larger than 10 MB", None),
        (b"# P\n\n" + b"> " * 5000 + b"x", "lists or quotes nest deeper than 30 levels", 3),
        (b"- " * 5000 + b"x", "lists or quotes nest deeper than 30 levels", 1),
        (b"\n".join(b"  " * i + b"- a" for i in range(500)), "lists or quotes nest deeper than 30 levels", 30),
        (b"---\na: 1\n# P\n", "the front matter has no end", 1),
        (
            b"\n---\na: 1\nb: [x\n---\n# P\n",
            "the front matter cannot be read: expected ',' or ']', but got '<stream end>'",
            4,
        ),
        (b"---\na: b: c\n---\n", "the front matter cannot be read: mapping values are not allowed here", 2),
        (b"---\na: \x07\n---\n", "the front matter cannot be read: special characters are not allowed", 2),
        (b"---\na: &x [*x]\n---\n", "the front matter refers to itself: *x", 2),
        (b"---\na: &x [b]\nc: [*x, *x]\n---\n", "the front matter refers to itself: *x", 3),
        (b"---\na: " + b"[" * 5000 + b"\n---\n", "the front matter nests too deeply", 2),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(data: bytes, message: str, line: int | None) -> None:  # C072
    with pytest.raises(PlanError) as caught:
        plan_file("x.md", data)

    (problem,) = caught.value.problems
    assert (problem.file, problem.message, problem.line) == ("x.md", message, line)
    assert problem.hint
    assert caught.value.kind is ErrorKind.UNREADABLE


def test_all_files_that_cannot_be_read_are_named() -> None:
    with pytest.raises(PlanError) as caught:
        plan_folder("d", [("10.md", b""), ("2.md", b"\0"), ("1.md", b"# P")])

    assert [problem.file for problem in caught.value.problems] == ["2.md", "10.md"]


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "<!-- " * 50_000,
        "**a " * 50_000,
        "[" * 100_000,
        "# US-" + "1" * 100_000,
        "`a` <!-- b --> **c** " * 5_000,
        "- a\n" + "for a stories " * 20_000,
    ],
)
def test_text_made_to_take_long_does_not(text: str) -> None:
    """Each is read in well under a second; in quadratic time it would be minutes, and the run would be given up."""
    assert compared("x.md", text)["error"]["kind"] == "no_stories"


@pytest.mark.parametrize(
    "text",
    [
        "Sure!\n\n### US-9: x\n{c}\n[PRD]\n{d}[/PRD]\n\n### US-8: y\n{c}",
        "Sure!\n[PRD]\n{d}[/PRD]\n",
        "[PRD]\n\n{d}",
        "```\n[PRD]\n```\n\n{d}\n> [/PRD]\n",
        "[/PRD]\n\n[PRD]\n---\ntitle: P\n---\n{d}\n[/PRD]\n[PRD]\n{c}",
    ],
)
def test_only_what_is_between_the_prd_lines_is_read(text: str) -> None:
    body = "# P\n\n## User Stories\n\n### US-1: T\n**Criteria:**\n- a\n"
    found = plan(text.replace("{d}", body).replace("{c}", CRITERIA))
    assert [(story["id"], story["acceptanceCriteria"]) for story in found["userStories"]] == [("US-1", ["a"])]
    assert found["project"] == "P"


@pytest.mark.parametrize(
    "rule", ["---\n\n", "---\n**Status:** draft\n\n---\n\n", "---\n# Q\n\n---\n", "---\n---\n", "***\n\n"]
)
def test_a_rule_at_the_beginning_is_no_front_matter(rule: str) -> None:
    assert plan(f"{rule}\n# P\n\n### US-1: T\n{CRITERIA}")["project"] in ("P", "Q")


def test_front_matter_is_set_aside() -> None:
    assert (
        plan(f"---\nstatus: |\n  # Q\n  - [ ] x\nlist:\n\t- y\n...\n# P\n\n### US-1: T\n{CRITERIA}")["project"] == "P"
    )


def test_a_comment_without_an_end_is_told() -> None:
    found = plan_file("p.md", f"# P\n\n### US-1: T\n{CRITERIA}<!-- x\n\n### US-2: U\n{CRITERIA}".encode())
    assert [story.id for story in found.stories] == ["US-1"]
    assert [(str(notice.place), notice.concern) for notice in found.warnings] == [
        ("p.md:7", Concern.COMMENT),
        ("p.md:3", Concern.NO_COMMAND),
    ]
