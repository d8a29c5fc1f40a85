"""RULES: priority, dependsOn, Commands and gates."""

import pytest

from prd_ralph.planning.commands import commands_in
from prd_ralph.planning.dependencies import depends_of
from prd_ralph.planning.ids import Index, free_ids, key
from prd_ralph.planning.priorities import filled, priority_of
from tests.planning.documents import CRITERIA, error, plan, story


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *((str(number), number) for number in (0, 1, 17)),
        *((f"P{number}", number + 1) for number in range(5)),
        ("p2: soon", 3),
        ("1 (highest)", 1),
        ("**High** – because", 2),
        ("🔴 Critical", 1),
        ("must have", 1),
        ("Should", 2),
        ("could", 3),
        ("Won’t have", 4),
        ("medium-high", 3),
        ("`low`", 4),
        *((word, 2) for word in ("alta", "Hoch", "haute", "magas", "高", "高优先级")),
        *((word, 3) for word in ("media", "mittel", "moyenne", "中", "közepes", "média")),
        *((word, 4) for word in ("baja", "niedrig", "basse", "低", "alacsony", "baixa")),
        *((word, None) for word in ("", "soon", "P5", "1.5", "2nd", "-3", "1" * 16, "very high", "无")),
    ],
)
def test_priorities(value: str, number: int | None) -> None:
    assert priority_of(value) == number


def test_stories_without_a_priority() -> None:
    assert filled([None, None, None]) == (1, 2, 3)
    assert filled([None, 3, 1, None]) == (4, 3, 1, 4)


IDS = Index(["US-001", "US-002", "US-LP-003", "Story-1.1", "T-7", "US-10"])


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        *(
            (word, ())
            for word in (
                "None",
                "nothing yet",
                "no",
                "N/A",
                "-",
                "–",
                "— (yet)",
                "ninguna",
                "Keine",
                "aucune",
                "nenhuma",
                "无",
                "nincs",
            )
        ),
        ("US-001", ("US-001",)),
        ("us1, US 2", ("US-001", "US-002")),
        ("US-001 and US-002", ("US-001", "US-002")),
        ("US-001, and US-002 & T7 + US-10", ("US-001", "US-002", "T-7", "US-10")),
        ("US-001、US-002和T-7", ("US-001", "US-002", "T-7")),
        ("US-001 y US-002 und T-7 et US-10 és US-LP-003", ("US-001", "US-002", "T-7", "US-10", "US-LP-003")),
        ("US-001/US-002", ("US-001", "US-002")),
        ("`US-001`, [US-002](#us-002), (T-7)", ("US-001", "US-002", "T-7")),
        ("**US-001** (the table), US-002 (both)", ("US-001", "US-002")),
        ("US-001 to Story 1.1", ("US-001", "US-002", "US-LP-003", "Story-1.1")),
        ("US-001–US-002, US-10", ("US-001", "US-002", "US-10")),
        ("US-LP-003 bis US-001", ("US-LP-003", "US-001", "US-002")),
        ("1, 7", ("US-001", "T-7")),
        ("1.1", ("Story-1.1",)),
        ("1和7", ("US-001", "T-7")),
        ("#2", ("US-002",)),
        ("Task 7 must land", ("T-7",)),
        ("US-001 must have landed, as US-002 says", ("US-001",)),
        ("US-001: the table", ("US-001",)),
        ("US-001, US-1", ("US-001",)),
        *((word, None) for word in ("", "the weather", "Redis 7", "Python3", "3rd party", "1.5 days", "notes")),
    ],
)
def test_dependencies(value: str, ids: tuple[str, ...] | None) -> None:
    found = depends_of(value, IDS)
    assert (found.ids if found else None) == ids
    assert not found or not found.unknown


@pytest.mark.parametrize(
    ("value", "unknown"),
    [
        ("US-9", ("US-9",)),
        ("us-9, US-001", ("us-9",)),
        ("3, X-1", ("X-1",)),
        ("Task 99", ("Task 99",)),
        ("5", ("5",)),
        ("Story 2.1", ("Story 2.1",)),
    ],
)
def test_dependencies_that_no_story_is(value: str, unknown: tuple[str, ...]) -> None:
    found = depends_of(value, IDS)
    assert found is not None
    assert found.unknown == unknown


def test_a_number_that_two_ids_end_in_is_unknown() -> None:
    found = depends_of("1", Index(["A-1", "B-01"]))
    assert found is not None
    assert found.unknown == ("1",)


def test_ids_are_compared_without_case_hyphens_spaces_and_zeros() -> None:
    assert key("US-001") == key("us 1") == key("US01")
    assert len({key(name) for name in ("US-1-1", "US-11", "US-1A", "Story-1.1", "US-10")}) == 5


def test_stories_without_an_id_get_the_next_free_one() -> None:  # C075
    free = free_ids(["us2", "US-004"])
    assert [next(free) for _ in range(3)] == ["US-001", "US-003", "US-005"]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("`a`", ("a",)),
        ("`` a `b` ``", ("a `b`",)),
        ("Run `a`.", ("a",)),
        ("run: `a`", ("a",)),
        ("Types: `a`", ("a",)),
        ("**Types**: `a`", ("a",)),
        ("Unit tests – `a` (slow)", ("a",)),
        ("Types：`a`", ("a",)),
        ("`a` and `b`", ("a", "b")),
        ("`a`, `b`, and `c` pass in CI", ()),
        ("`a`, `b`, and `c` - all of them, with `x`", ("a", "b", "c")),
        ("`a` passes with `b`", ("a",)),
        ("`a` must pass", ("a",)),
        ("`a` exits 0", ("a",)),
        ("`a` succeeds", ("a",)),
        ("`a` — comment", ("a",)),
        ("`a` should pass", ()),
        ("Uses `a` only", ()),
        ("The `a` branch", ()),
        ("`a` prints 4", ()),
        ("look at it", ()),
        ("a: b", ()),
        ("` `", ()),
    ],
)
def test_a_line_is_a_command_only_in_this_form(line: str, commands: tuple[str, ...]) -> None:
    assert commands_in(line) == commands


@pytest.mark.parametrize(
    ("fence", "commands"),
    [
        ("```\na\n```", ["a"]),
        ("```sh\n# x\n\n$ a \\\n   --b \\\n   --c\nd\n```", ["a --b --c", "d"]),
        ("~~~ZSH title=x\na \\\n~~~", ["a"]),
        ("```console\n$ a \\\n> b\nout\n$ c\n```", ["a b", "c"]),
        ("```verify\n$ a\n```", ["a"]),
        ("```python\na\n```", None),
        ("```console\nout\n```", None),
    ],
)
def test_the_commands_of_a_fence(fence: str, commands: list[str] | None) -> None:  # C074
    found = plan(f"# P\n\n## Checks\n\n{fence}\n\n### US-1: T\n{CRITERIA}", "p.md")
    assert found.get("verificationCommands") == commands
    assert found.get("unplaced") == (None if commands else [5])
    assert story(f"**Criteria:**\n- c\n\n#### Verification\n\n{fence}\n").get("verificationCommands") == commands


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("**Verify:** `a`\n", ["a"]),
        ("**Verify:** run these:\n```sh\na\n```\n", ["a"]),
        ("Tests: `a` and `a`\n", ["a"]),
        ("**Verify:** `a`\n`b`\nprose\n", ["a", "b"]),
        ("**Verify:**\n`a`\n`b` passes\n", ["a", "b"]),
        ("#### Test: `a`\n", ["a"]),
        ("**Test commands**\n- `a` - x\n- API:\n  - `b`\n  - prose\n", ["a", "b"]),
        ("```verify\na\n```\n", ["a"]),
        ("- c\n  ```verify\n  a\n  ```\n- Verify:\n  ```sh\n  b\n  ```\n- Check:\n  - `d`\n", ["a", "b", "d"]),
        ("- Test: `a` passes\n- Verify: it `b` works\n", ["a"]),
    ],
)
def test_the_commands_of_a_story(body: str, commands: list[str]) -> None:  # C074
    found = story(f"**Criteria:**\n- c\n{'' if body.startswith('-') else chr(10)}{body}")
    assert found["verificationCommands"] == commands


def test_a_command_in_a_criterion_or_elsewhere_is_text() -> None:
    found = plan(
        "# P\n\n## Testing\n\n`a`\n\n```sh\nb\n```\n\n### US-1: T\n\n```sh\nc\n```\n\n**Criteria:**\n- `d` passes\n"
    )
    assert "verificationCommands" not in found
    assert "verificationCommands" not in found["userStories"][0]


STORIES = (
    f"## User Stories\n\n### US-1: [UI] T\n{CRITERIA}### US-2: T (api/db)\n{CRITERIA}"
    f"### US-3: T\n**Tags:** docs, UI\n\n{CRITERIA}"
)


def gates(text: str) -> tuple[list[str], list[tuple[list[str], list[str]]], list[int]]:
    """Commands for all, (criteria but the first, commands) of each story, unplaced lines; `text` begins in line 1."""
    found = plan(f"## Quality Gates\n{text}\n{STORIES}")
    each = [(story["acceptanceCriteria"][1:], story.get("verificationCommands", [])) for story in found["userStories"]]
    return found.get("verificationCommands", []), each, [line - 1 for line in found.get("unplaced", [])]


NONE: tuple[list[str], list[str]] = ([], [])


@pytest.mark.parametrize(
    "above",
    [
        "For UI stories, also:",
        "**For UI stories**",
        "for `UI` stories only:",
        "For [UI]/web stories:",
        "### For UI stories",
    ],
)
def test_gates_for_some_stories(above: str) -> None:
    assert gates(f"{above}\n\n- `a`\n- look\n- b `c`\n") == (
        [],
        [(["look", "b `c`"], ["a"]), NONE, (["look", "b `c`"], ["a"])],
        [],
    )


def test_gates_for_several_kinds_for_none_and_for_all() -> None:
    text = "- `x`\n\nFor API and docs stories:\n```sh\na\n```\n\nFor firmware stories:\n- `b`\n- c\n\n"
    text += "For all stories:\n- `y`\n- `x`\n"
    assert gates(text) == (["x", "y"], [NONE, ([], ["a"]), ([], ["a"])], [9, 10])


def test_gates_for_some_stories_right_below_a_list_are_for_them_alone() -> None:
    assert gates("- `x`\nFor UI stories:\n- `a`\n") == (["x"], [([], ["a"]), NONE, ([], ["a"])], [])


def test_prose_in_gates_is_unplaced_unless_it_leads_to_commands() -> None:
    text = "All of these:\n- `a`\n- prose\n\nprose\n\n`b`\n`c`\nprose\n\n> q\n\n| t |\n|---|\n\n"
    text += "Run `d`.\n\nprose:\n- none\n"
    assert gates(text)[0] == ["a", "b", "c", "d"]
    assert gates(text)[2] == [3, 5, 9, 11, 13, 18, 19]


def test_gates_among_stories() -> None:
    found = plan(
        f"# P\n\n## User Stories\n\n### US-1: T\n{CRITERIA}"
        f"### Quality Gates\n- `a`\n\n### US-2: T\n{CRITERIA}#### Checks\n- `b`\n"
    )
    assert found["verificationCommands"] == ["a"]
    assert [story.get("verificationCommands") for story in found["userStories"]] == [None, ["b"]]


def test_a_dependency_that_is_not_there_is_an_error() -> None:
    text = (
        f"# P\n\n### US-1: T\n**Depends on:** US-9\n{CRITERIA}### US-2: T\n#### Depends on\n- US-1\n- US-8\n{CRITERIA}"
    )
    assert error(text) == ("unknown_dependency", [4, 11])
