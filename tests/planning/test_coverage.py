"""What an agent's plan lost and added, by the words; and what becomes of its document."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError
from prd_ralph.planning.assisted import assisted, refuse_bare
from prd_ralph.planning.coverage import Source, holds, normal
from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.values import Concern, Plan
from prd_ralph.prdfile import parse

PRD = """\
# PRD: Lists

People keep lists. A list is never lost.

## User Stories

### US-001: Keep a list

**Description:** As a person, I want a list.

**Acceptance Criteria:**
- [ ] `add` adds an **item**
- [ ] An item is kept after a restart, even
  when the disk is full

**Verify:** `pytest -q tests/test_add.py`

### US-002: Share a list

**Acceptance Criteria:**
- [ ] A link is made

Some text that has no label and no place.

```python
x = 1
```

## Quality Gates

- `ruff check .`
"""
READ = plan_file("prd.md", PRD.encode())
AGENT = "scripted 1.0"
STORY = {"id": "US-001", "title": "T", "passes": False}


def reply(*stories: dict[str, Any], **top: Any) -> dict[str, Any]:
    """A document that keeps all, but for what is given."""
    kept = prd_json(READ, "prd.md")
    return {**kept, "userStories": list(stories) or kept["userStories"], **top}


def story(number: int, **fields: Any) -> dict[str, Any]:
    """Of the PRD, as rules read it, with these fields."""
    told: Any = prd_json(READ, "prd.md")["userStories"]
    return {**told[number - 1], **fields}


def planned(document: dict[str, Any], read: Plan = READ, text: str = PRD) -> Plan:
    prd = parse(json.dumps(document).encode(), "reply").prd
    refuse_bare(prd, "reply")
    return assisted(prd, read, [Source.of("prd.md", text.encode())], AGENT)


def told(plan: Plan, *concerns: Concern) -> list[tuple[int, str]]:
    return [(each.place.line, each.message) for each in plan.warnings if each.concern in concerns]


def test_what_keeps_all_is_the_plan_of_the_rules() -> None:
    made = planned(reply())
    assert made.stories == READ.stories
    assert (made.project, made.branch, made.commands, made.sha256) == (
        READ.project,
        READ.branch,
        READ.commands,
        READ.sha256,
    )
    assert told(made, Concern.LOST, Concern.ADDED) == []
    assert made.unplaced == READ.unplaced != ()


def test_a_criterion_may_be_sharpened_and_moved() -> None:
    first = story(1, acceptanceCriteria=["add adds an item: exit status 0"])
    second = story(2)
    part = story(
        1,
        id="US-001b",
        title="Keep a list when it is hard",
        acceptanceCriteria=["an item is kept after a restart, even when the disk is full"],
        dependsOn=["US-001"],
    )
    made = planned(reply(first, part, second))
    assert told(made, Concern.LOST) == []
    assert told(made, Concern.ADDED) == [
        (7, "scripted 1.0 added a criterion to US-001: add adds an item: exit status 0"),
        (1, "scripted 1.0 added US-001b: Keep a list when it is hard (0 of 1 criteria its own)"),
    ]
    assert [each.notes for each in made.stories] == ["", "added by scripted 1.0", ""]
    # What must hold has changed, so it can't be taken for what the PRD's lines say.
    assert [each.sha256 == READ.stories[0].sha256 for each in made.stories] == [False, False, False]
    assert made.stories[2].sha256 == READ.stories[1].sha256


def test_what_is_lost_is_listed_with_its_line() -> None:
    first = story(1, acceptanceCriteria=["It works"], verificationCommands=["true"])
    made = planned(reply(first, verificationCommands=["ruff check . || true"]))
    assert told(made, Concern.LOST) == [
        (31, "the command of all stories `ruff check .` is lost"),
        (12, "a criterion of US-001 is lost: `add` adds an **item**"),
        (13, "a criterion of US-001 is lost: An item is kept after a restart, even when the disk is full"),
        (16, "a command of US-001 is lost: `pytest -q tests/test_add.py`"),
        (18, "the story US-002 is lost: Share a list"),
        (21, "a criterion of US-002 is lost: A link is made"),
    ]
    assert told(made, Concern.ADDED) == [
        (1, "scripted 1.0 added a command for all stories: `ruff check . || true`"),
        (7, "scripted 1.0 added a criterion to US-001: It works"),
        (7, "scripted 1.0 added a command to US-001: `true`"),
    ]


def test_a_command_of_all_stories_may_stand_in_each_of_them() -> None:
    both = [story(1, verificationCommands=["ruff check .", "pytest -q tests/test_add.py"])]
    both.append(story(2, verificationCommands=["ruff check ."]))
    document = reply(*both)
    del document["verificationCommands"]
    assert told(planned(document), Concern.LOST) == []
    document["userStories"][1]["verificationCommands"] = ["true"]
    assert [line for line, _ in told(planned(document), Concern.LOST)] == [31]


def test_what_stands_nowhere_below_the_story_has_the_storys_line() -> None:
    """As a criterion that all stories of an area get, above them and in another file."""
    gates = "# P\n\n## Quality Gates\n\nFor UI stories, also include:\n- It looks good\n"
    text = "# P\n\n## Stories\n\n### US-001: T [UI]\n\n- [ ] c\n"
    files = [("a.md", gates.encode()), ("b.md", text.encode())]
    read = plan_folder("prds", files)
    sources = [Source.of(*file) for file in files]
    document = {"project": "P", "userStories": [{**STORY, "acceptanceCriteria": ["c"]}]}
    made = assisted(parse(json.dumps(document).encode(), "reply").prd, read, sources, AGENT)
    (notice,) = [each for each in made.warnings if each.concern is Concern.LOST]
    assert (str(notice.place), notice.message) == ("b.md:5", "a criterion of US-001 is lost: It looks good")


def test_a_story_that_was_split_is_found_by_its_title() -> None:
    parts = [story(1, id=f"US-001{letter}", title=f"Keep a list, {letter}", dependsOn=[]) for letter in "ab"]
    assert told(planned(reply(*parts, story(2))), Concern.LOST) == []


def test_text_without_a_place_that_has_one_now() -> None:
    made = planned(reply(story(1), story(2, notes="Some text that has no label and no place.")))
    assert [entry.text for entry in READ.unplaced] == ["Some text that has no label and no place.", "```python"]
    assert [entry.text for entry in made.unplaced] == ["```python"]


PROSE = "# PRD: Lists\n\nPeople keep lists. A list is never lost.\n\n## Quality Gates\n\n- `make test`\n"


def test_a_prd_without_stories() -> None:
    """Then all stories are the agent's, but for what has the PRD's own words; the top keys are the PRD's."""
    own = story(1, acceptanceCriteria=["A list is never lost", "It is quick"], priority=2.5, passes=True)
    del own["verificationCommands"]
    second = story(2, id="X", title="Other")
    del second["priority"]
    document = reply(own, second, branchName="mine", project="Mine", description="Mine.")
    del document["verificationCommands"]
    read = plan_file("prd.md", PROSE.encode(), bare=True)
    made = planned(document, read, PROSE)
    assert (made.project, made.branch, made.sha256) == ("Lists", "ralph/lists", read.sha256)
    assert made.description == "People keep lists. A list is never lost."
    assert told(made, Concern.LOST) == [(7, "the command of all stories `make test` is lost")]
    assert told(made, Concern.ADDED) == [
        (1, "scripted 1.0 added US-001: Keep a list (1 of 2 criteria its own)"),
        (1, "scripted 1.0 added X: Other (1 of 1 criteria its own)"),
    ]
    assert [message for _, message in told(made, Concern.NO_COMMAND)] == [
        "US-001 has no command that could prove it",
        "X has no command that could prove it",
    ]
    assert [(each.priority, each.notes) for each in made.stories] == [
        (2, "added by scripted 1.0"),
        (3, "added by scripted 1.0"),
    ]
    told_json: Any = prd_json(made, "prd.md")
    assert {each["passes"] for each in told_json["userStories"]} == {False}


@pytest.mark.parametrize(
    ("command", "line", "is_added"),
    [
        ("true", "That is true.", True),
        ("make", "We make things.", True),
        ("make test", "Run `make test` often.", False),
        ("make test", "    $ make test", False),
        ("make", "Run `make test` often.", True),
    ],
)
def test_a_command_must_stand_there_as_code(command: str, line: str, is_added: bool) -> None:
    text = f"# P\n\nWords.\n{line}\n"
    document = reply(story(1, verificationCommands=[command]), verificationCommands=["make all"])
    made = planned(document, plan_file("prd.md", text.encode(), bare=True), text)
    assert (
        f"scripted 1.0 added a command to US-001: `{command}`" in dict(told(made, Concern.ADDED)).values()
    ) is is_added


def test_a_held_story_stays_held() -> None:
    read = plan_file("prd.md", PRD.replace("### US-002", "### [-] US-002").encode())
    assert [each.skip for each in planned(reply(), read).stories] == [False, True]


@pytest.mark.parametrize("criteria", [[], [" "]])
def test_what_is_valid_and_yet_no_plan(criteria: list[str]) -> None:
    with pytest.raises(ProblemsError, match="no acceptanceCriteria") as raised:
        planned(reply(story(1, acceptanceCriteria=criteria)))
    assert (raised.value.problems[0].file, raised.value.problems[0].story) == ("reply", "US-001")


@pytest.mark.parametrize(
    "command",
    [
        ["pytest", "-q", "ä"],
        {
            "run": "make test",
            "name": "api",
            "cwd": "api",
            "timeout": 5,
            "env": {"CI": "1"},
            "retries": 2,
            "when": "land",
        },
        {"run": ["make"], "minTests": 0, "parallel": True},
        {"run": ["make"], "minTests": 3},
    ],
    ids=str,
)
def test_a_command_with_options_stays_as_it_is(command: Any) -> None:
    made = planned(reply(story(1, verificationCommands=[command]), story(2)))
    told_json: Any = prd_json(made, "prd.md")
    assert told_json["userStories"][0]["verificationCommands"] == [command]
    assert len(told(made, Concern.ADDED)) == 1
    verify = PRD.replace("- `ruff check .`", f"```verify\n{json.dumps(command, indent=None)}\n```")
    read = plan_file("prd.md", verify.encode())
    kept = reply(story(1), story(2), verificationCommands=[command])
    assert told(planned(kept, read), Concern.LOST, Concern.ADDED) == []


def test_an_object_that_is_only_a_line_is_that_line() -> None:
    document = reply(story(1, verificationCommands=[{"run": "pytest -q tests/test_add.py"}]), story(2))
    assert told(planned(document), Concern.LOST, Concern.ADDED) == []


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("- [ ] `add` adds an **item**.", "add adds an item"),
        ("3. It\n   works!", "it works"),
        ("“Quoted” and ‘so’", "\"quoted\" and 'so'"),
        ("ＦＵＬＬ width", "full width"),
        ("## Heading", "heading"),
    ],
)
def test_how_texts_are_compared(text: str, same: str) -> None:
    assert normal(text) == same


def test_words_are_whole() -> None:
    assert holds("it works well", "works")
    assert not holds("it networks", "works")
    assert not holds("exit status > 10", "exit status > 1")


@given(st.text())
def test_normal_is_normal(text: str) -> None:
    assert holds(normal(text), normal(text))
