"""The same call again and again: what is named, what is ended, and what never is."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.agents.calls import tool_call
from prd_ralph.model import ActionKind, AgentAction, ToolCall
from prd_ralph.repeats import LoopGuard, Remark, Series

GUARD = LoopGuard(warn=3, end=6)


def using(call: ToolCall | None, text: str = "") -> AgentAction:
    return AgentAction(ActionKind.USES if call else ActionKind.SAYS, text, call=call)


def remarks(actions: list[AgentAction], guard: LoopGuard = GUARD) -> list[tuple[int, Remark]]:
    """What was remarked, and at which action (the first is 1)."""
    found, series = [], Series()
    for number, action in enumerate(actions, 1):
        before, series = series, series.after(action)
        if remark := guard.remark(before, series):
            found.append((number, remark))
    return found


def tool(name: str, **given: object) -> AgentAction:
    return using(tool_call(name, given), name)


TEST = tool("Bash", command="npm test")
READ = tool("Read", file_path="a.py")
EDIT = tool("Edit", file_path="a.py", old_string="a", new_string="b")
SAYS = using(None, "let me see")


def test_one_command_six_times_with_the_same_input_is_named_and_ended() -> None:
    assert remarks([TEST] * 9) == [(3, Remark.WARN), (6, Remark.END)]


def test_long_scripts_that_begin_alike_are_not_the_same() -> None:
    same = "set -e\n" + "# a long preamble\n" * 20
    assert len(same) > 200
    assert remarks([tool("Bash", command=f"{same}make {part}") for part in ("a", "b", "c")] * 4) == []


def test_one_file_read_in_parts_is_never_named() -> None:
    assert remarks([READ] * 50) == []


@pytest.mark.parametrize("line", ["git status", "sleep 10 && gh run view 5", "curl -s localhost:3000/health"])
def test_a_status_poll_is_never_named(line: str) -> None:
    assert remarks([tool("Bash", command=line)] * 50) == []


def test_a_call_without_its_input_is_never_named() -> None:
    assert remarks([tool("Bash")] * 50) == []


def test_reading_in_between_changes_nothing() -> None:
    assert remarks([TEST, READ, SAYS] * 6) == [(7, Remark.WARN), (16, Remark.END)]


@pytest.mark.parametrize("other", [EDIT, tool("Bash", command="npm run lint"), tool("Unheard", of=1), tool("Bash")])
def test_what_may_have_changed_something_starts_anew(other: AgentAction) -> None:
    assert remarks([TEST, TEST, other] * 10) == []


def test_the_same_edit_again_and_again_is_no_change() -> None:
    assert remarks([EDIT] * 6) == [(3, Remark.WARN), (6, Remark.END)]


def test_each_series_is_named_once() -> None:
    assert remarks([*[TEST] * 5, EDIT, *[TEST] * 5]) == [(3, Remark.WARN), (9, Remark.WARN)]


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        (LoopGuard(0, 0), []),
        (LoopGuard(0, 4), [(4, Remark.END)]),
        (LoopGuard(4, 0), [(4, Remark.WARN)]),
        (LoopGuard(5, 2), [(2, Remark.END), (5, Remark.WARN)]),
        (LoopGuard(4, 4), [(4, Remark.END)]),
    ],
)
def test_either_may_be_off(guard: LoopGuard, expected: list[tuple[int, Remark]]) -> None:
    assert remarks([TEST] * 12, guard) == expected


ACTIONS = st.sampled_from(
    [TEST, READ, EDIT, SAYS, tool("Bash", command="make"), tool("Bash", command="git status"), tool("Unheard")]
)


@given(st.lists(ACTIONS, max_size=60), st.integers(2, 6))
def test_nothing_is_ended_without_so_many_of_the_same(actions: list[AgentAction], end: int) -> None:
    counting = [each.call for each in actions if each.call and (each.call.acts or each.call.edits)]
    longest = max((len(list(same)) for key, same in groupby(counting) if key.signature), default=0)
    ended = any(remark is Remark.END for _, remark in remarks(actions, LoopGuard(0, end)))
    assert ended == (longest >= end)


@given(st.lists(ACTIONS, max_size=40))
def test_what_is_counted_is_the_same_call(actions: list[AgentAction]) -> None:
    series = [Series()]
    for action in actions:
        series.append(series[-1].after(action))
    for before, now in pairwise(series):
        assert now.times in (0, 1, before.times, before.times + 1)
        if now.times > max(1, before.times):
            assert now.signature == before.signature
