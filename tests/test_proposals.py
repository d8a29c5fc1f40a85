"""Stories that agents want added: what is read of their words, and what becomes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.proposals import COUNT_LIMIT, as_stories, commands_of, name_of, next_id, wishes, written

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = ("id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "verificationCommands", "passes")
STORY = st.dictionaries(st.sampled_from(KEYS), JSON) | JSON


def block(value: Any) -> str:
    return f"<story>{json.dumps(value)}</story>"


def test_blocks_are_read_wherever_they_stand() -> None:
    text = f'I am done.\n{block({"title": "One"})}and <story>\n```json\n{{"title": "Two"}}\n```\n</story> bye'
    assert [each["title"] for each in written(text).proposals] == ["One", "Two"]
    assert written(text).faults == ()


def test_talk_about_blocks_is_none() -> None:
    assert written("Put it between <story> and </story>. I have no <story> to tell.") == written("")


def test_what_stands_in_the_prompt_is_an_echo() -> None:
    echoed, own = block({"title": "Of the prompt"}), block({"title": "My own"})
    found = written(f"{echoed}\n{own}", prompt=f"The story says: {echoed}")
    assert [each["title"] for each in found.proposals] == ["My own"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<story>{title: x}</story>", "a <story> block is no JSON object: {title: x}"),
        ('<story>{"title": "cut off', 'a <story> block is no JSON object: {"title": "cut off'),
        ('<story>{"name": "x"}</story>', 'a proposed story has no title: {"name": "x"}'),
        ('<story>{"title": " \\n"}</story>', 'a proposed story has no title: {"title": " \\n"}'),
        (block({"title": "Long", "notes": "x" * 20_000}), "a proposed story is larger than 16 KiB: Long"),
        ("<story>" + '{"a":' * 3000 + "</story>", "a <story> block is no JSON object: " + '{"a":' * 11 + '{"a"…'),
    ],
)
def test_broken_ones_are_named(text: str, fault: str) -> None:
    assert written(text).proposals == ()
    assert written(text).faults == (fault,)


def test_only_what_counts_is_kept_and_of_its_type() -> None:
    wish = {
        "title": " Cache\nit\x1b ",
        "passes": True,
        "skip": True,
        "supersedes": ["US-001"],
        "approved": {"by": "me"},
        "agent": "other",
        "priority": True,
        "acceptanceCriteria": "It is fast",
        "dependsOn": ["US-001", 7],
        "verificationCommands": ["make", "", ["a", "b"], {"run": "x", "cwd": "y"}, 3],
        "description": 5,
    }
    (found,) = wishes([wish]).proposals
    assert found == {
        "title": "Cache it",
        "acceptanceCriteria": ["It is fast"],
        "dependsOn": ["US-001"],
        "verificationCommands": ["make", ["a", "b"], {"run": "x", "cwd": "y"}],
    }
    assert commands_of(found) == ("make", "a b", '{"run": "x", "cwd": "y"}')


def test_the_same_wish_twice_is_one() -> None:
    one, same = {"title": "Cache it", "description": "For speed"}, {"title": "cache  IT", "description": "for\nspeed"}
    assert len(wishes([one, same, {**one, "description": "Else"}]).proposals) == 2
    assert name_of(one) == name_of(same)


def test_a_flood_is_bounded() -> None:
    found = wishes([{"title": f"Wish {number}"} for number in range(1000)])
    assert len(found.proposals) == COUNT_LIMIT
    assert found.faults == (f"more than {COUNT_LIMIT} proposals of one attempt: the rest is left out",)


@pytest.mark.parametrize(
    ("ids", "fresh"),
    [
        (["US-001", "US-009"], "US-010"),
        (["US-012", "US-003"], "US-013"),
        (["US-999"], "US-1000"),
        (["login", "logout"], "US-001"),
        (["T1", "T2", "extra"], "T3"),
        (["1.1", "1.2"], "1.3"),
        (["7"], "8"),
        (["us-004", "US-002"], "US-005"),
    ],
)
def test_a_fresh_id_goes_on_in_the_files_style(ids: list[str], fresh: str) -> None:
    assert next_id(ids) == fresh


def document(*stories: dict[str, Any]) -> dict[str, Any]:
    return {"project": "P", "userStories": list(stories)}


def test_what_becomes_a_story() -> None:
    here = document({"id": "US-001", "priority": 2, "passes": True}, {"id": "US-002", "priority": 5, "passes": False})
    first, second = as_stories(
        here,
        [
            {"id": "US-001", "title": "First", "dependsOn": ["US-002", "NO-1", "later"], "notes": "n"},
            {"id": "X", "title": "Second", "dependsOn": ["US-001", "X"], "priority": 1},
        ],
    )
    expected = {"id": "US-003", "title": "First", "priority": 6, "dependsOn": ["US-002"], "passes": False, "notes": "n"}
    assert first == expected
    assert list(first) == list(expected)
    assert second == {"id": "US-004", "title": "Second", "priority": 1, "dependsOn": ["US-001"], "passes": False}


def test_wishes_may_depend_on_those_before_them() -> None:
    here = document({"id": "US-001", "passes": False})
    one, two = as_stories(
        here, [{"id": "A", "title": "1", "dependsOn": ["B"]}, {"id": "B", "title": "2", "dependsOn": ["A"]}]
    )
    assert "dependsOn" not in one
    assert two["dependsOn"] == ["US-002"]
    assert "priority" not in one  # the last anyway


@given(st.lists(STORY, max_size=6))
def test_whatever_an_agent_writes_gains_no_flag(values: list[Any]) -> None:
    here = document({"id": "US-001", "passes": False}, {"id": "US-002", "passes": False})
    stories = as_stories(here, wishes(values).proposals)
    assert all(each["passes"] is False for each in stories)
    allowed = {"id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "verificationCommands"}
    assert all(set(each) <= allowed | {"passes", "notes"} for each in stories)
    ids = ["US-001", "US-002", *(each["id"] for each in stories)]
    assert len({each.casefold() for each in ids}) == len(ids)
    assert all(set(each.get("dependsOn", ())) <= set(ids[: ids.index(each["id"])]) for each in stories)


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    found = written(f"<story>{{{text}")
    assert len(found.proposals) + len(found.faults) >= 1


@given(st.lists(st.text(min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=8))
def test_a_fresh_id_is_new_whatever_the_case(ids: list[str]) -> None:
    assert next_id(ids).casefold() not in {each.casefold() for each in ids}
