"""What becomes of a supervised run whose process has ended."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ExitCode
from prd_ralph.supervision import BUGS, IN_A_ROW, LONGEST_PAUSE_S, PAUSE_S, Death, Restarts

KILLED = Death(-signal.SIGKILL)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP])
def test_what_ended_for_a_reason_of_its_own_is_over(code: int) -> None:
    assert Death(code).is_end
    assert Death(code, said=1).is_end


@pytest.mark.parametrize("code", [-signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT, ExitCode.BUG])
def test_what_died_is_started_again_unless_it_had_ended_before(code: int) -> None:
    assert not Death(code).is_end
    assert Death(code, said=4).is_end
    assert Death(code, said=4).final_code == 4


def test_who_was_asked_to_end_ends_by_that_signal() -> None:
    assert Death(-signal.SIGTERM, said=143).final_code == -signal.SIGTERM


def test_why_is_said_in_words() -> None:
    told = [str(death) for death in (KILLED, Death(-40), Death(70), Death(-9, frozen_s=300.2))]
    assert told == ["killed by SIGKILL", "killed by signal 40", "exit 70", "no sign of life for 300s"]


def test_pauses_grow_to_five_minutes() -> None:
    restarts, pauses = Restarts(), []
    for _ in range(IN_A_ROW):
        restarts = restarts.after(KILLED)
        pauses.append(restarts.pause_s())
    assert pauses[:4] == [PAUSE_S, 10, 20, 40]
    assert pauses[-1] == LONGEST_PAUSE_S
    assert not restarts.are_too_many
    assert restarts.after(KILLED).are_too_many


@given(st.lists(st.booleans(), max_size=60))
def test_it_is_given_up_exactly_when_nobody_worked_for_so_long(lives: list[bool]) -> None:
    restarts, idle = Restarts(), 0
    for number, worked in enumerate(lives, 1):
        restarts = restarts.after(Death(-9, worked=worked))
        idle = 1 if worked else idle + 1
        assert restarts.times == number
        assert restarts.are_too_many == (idle > IN_A_ROW)
        assert PAUSE_S <= restarts.pause_s() <= LONGEST_PAUSE_S


def test_a_bug_of_ours_is_tried_once_more() -> None:
    restarts = Restarts()
    for _ in range(BUGS):
        restarts = restarts.after(Death(ExitCode.BUG, worked=True))
        assert not restarts.are_too_many
    assert restarts.after(Death(ExitCode.BUG, worked=True)).are_too_many
