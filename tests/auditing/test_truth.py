"""Where a story stands, by its claim and its commands."""

from dataclasses import replace

import pytest

from prd_ralph.auditing.flags import Flags
from prd_ralph.auditing.truth import about_commands, about_flag, commands_of, state_of
from prd_ralph.auditing.values import Audit, Finding, Setting, State, StoryAudit, Tried
from prd_ralph.model import Approval, Check, CheckResult, CheckStatus, Prd, Story

OWN, SHARED = Check("own"), Check("shared")
CLAIMED = Story("US-1", "t", True, checks=(OWN,))
OPEN = replace(CLAIMED, passes=False)


def tried(check: Check, status: CheckStatus | None = CheckStatus.PASSED, suspect: str = "") -> Tried:
    return Tried(check, CheckResult(check, False, status, suspect=suspect) if status else None)


GREEN, RED, LEFT = tried(OWN), tried(SHARED, CheckStatus.FAILED), tried(SHARED, None)


@pytest.mark.parametrize(
    ("commands", "ran", "state"),
    [
        ((), False, State.UNTRIED),
        ((LEFT,), False, State.UNTRIED),
        ((), True, State.UNPROVABLE),
        ((GREEN,), True, State.PROVED),
        ((tried(SHARED),), True, State.PROVED),
        ((GREEN, RED), True, State.FAILING),
        ((tried(OWN, CheckStatus.MISSING_TOOL),), True, State.FAILING),
        ((GREEN, LEFT), True, State.UNTRIED),
        ((RED, LEFT), True, State.FAILING),
    ],
)
def test_a_claimed_story(commands: tuple[Tried, ...], ran: bool, state: State) -> None:
    assert state_of(CLAIMED, commands, ran) is state


@pytest.mark.parametrize(
    ("commands", "ran", "state"),
    [
        ((), False, State.APPROVED),
        ((), True, State.APPROVED),
        ((LEFT,), False, State.UNTRIED),
        ((GREEN,), True, State.APPROVED),
        ((GREEN, RED), True, State.FAILING),
    ],
)
def test_a_persons_word(commands: tuple[Tried, ...], ran: bool, state: State) -> None:
    approved = replace(CLAIMED, approved=Approval("Ann", "2031-03-01T08:00:00Z"))
    assert state_of(approved, commands, ran) is state


@pytest.mark.parametrize(
    ("commands", "state"),
    [
        ((), State.OPEN),
        ((GREEN,), State.OPEN_PASSES),
        ((GREEN, tried(SHARED)), State.OPEN_PASSES),
        ((tried(SHARED),), State.OPEN),
        ((GREEN, RED), State.OPEN),
        ((GREEN, LEFT), State.OPEN),
    ],
)
def test_an_open_story_passes_by_commands_of_its_own(commands: tuple[Tried, ...], state: State) -> None:
    assert state_of(OPEN, commands, True) is state


def test_the_commands_of_a_story() -> None:
    prd = Prd("p", (CLAIMED,), checks=(SHARED, Check("deploy", when="land")))
    given = (Check("given"), SHARED)
    assert commands_of(prd, CLAIMED, given, adopted=False) == given
    assert commands_of(prd, CLAIMED, given, adopted=True) == (SHARED, Check("given"), OWN)


def test_what_is_to_be_noticed_of_commands() -> None:
    land = replace(CLAIMED, checks=(OWN, Check("review", when="land")))
    (finding,) = about_commands(land, (GREEN,), adopted=True)
    assert (finding.kind, finding.suspicious) == ("left_out", False)
    assert list(about_commands(land, (GREEN,), adopted=False)) == []
    zero = (tried(OWN, suspect="no tests ran"),)
    assert list(about_commands(CLAIMED, zero, True)) == [Finding("suspect", "own: no tests ran", suspicious=True)]
    assert [each.suspicious for each in about_commands(OPEN, zero, True)] == [False]


def test_what_is_to_be_noticed_of_a_flag() -> None:
    odd = {"a": (Finding("all_at_once", "…", True),)}
    flags = Flags({"a": True, "b": True, "c": False}, {"a": Setting("1", "", ""), "b": None})
    told = {key: [each.kind for each in about_flag(key, flags, odd)] for key in "abcd"}
    assert told == {"a": ["all_at_once"], "b": ["unknown_history"], "c": ["uncommitted"], "d": ["uncommitted"]}


@pytest.mark.parametrize(
    ("rows", "strict", "holds"),
    [
        ([], True, True),
        ([(State.OPEN, False)], True, True),
        ([(State.PROVED, False), (State.OPEN_PASSES, False)], True, True),
        ([(State.PROVED, True)], False, True),
        ([(State.PROVED, True)], True, False),
        *(
            [
                ([(State.PROVED, False), (state, False)], False, False)
                for state in (State.FAILING, State.UNPROVABLE, State.UNTRIED)
            ]
        ),
        ([(State.PROVED, False), (State.APPROVED, False)], True, True),
    ],
)
def test_when_an_audit_holds(rows: list[tuple[State, bool]], strict: bool, holds: bool) -> None:
    stories = tuple(
        StoryAudit(OPEN if state in (State.OPEN, State.OPEN_PASSES) else CLAIMED, state, (), None, found)
        for state, odd in rows
        for found in [(Finding("x", "x", suspicious=odd),)]
    )
    assert Audit("prd.json", "native", None, stories).holds(strict) is holds
