"""A process that has said all, and stays: it is ended after a while, unless it says more."""

from prd_ralph.model import ProcessEnd
from prd_ralph.ports import Linger, OnOutput

from .conftest import Run


def heard(seconds: float) -> OnOutput:
    """A listener for which all is said with `done`, until something else comes."""
    return lambda chunk: Linger(seconds) if chunk.endswith(b"done\n") else None


def test_one_that_stays_is_ended(sh: Run) -> None:
    result = sh("echo done; sleep 600", separate=True, on_output=heard(0.2))
    assert (result.end, result.exit_code) == (ProcessEnd.LINGERED, -15)
    assert 0.2 <= result.duration_s < 5


def test_the_time_counts_from_the_first_word_of_the_end(sh: Run) -> None:
    result = sh("while :; do echo done; sleep 0.05; done", separate=True, on_output=heard(0.3))
    assert result.end is ProcessEnd.LINGERED


def test_what_it_complains_of_meanwhile_is_no_more_work(sh: Run) -> None:
    result = sh("echo done; while :; do echo x >&2; sleep 0.05; done", separate=True, on_output=heard(0.3))
    assert result.end is ProcessEnd.LINGERED


def test_one_that_goes_on_is_left_alone(sh: Run) -> None:
    line = "echo done; sleep 0.1; echo more; sleep 1; echo end"
    assert sh(line, separate=True, on_output=heard(0.6)).ok


def test_one_that_ends_in_time_has_ended_by_itself(sh: Run) -> None:
    result = sh("echo done; exit 3", separate=True, on_output=heard(30.0))
    assert (result.end, result.exit_code) == (ProcessEnd.EXITED, 3)


def test_the_other_limits_hold_meanwhile(sh: Run) -> None:
    assert sh("echo done; sleep 600", separate=True, on_output=heard(600.0), wall_s=0.4).end is ProcessEnd.WALL
    assert sh("echo done; sleep 600", separate=True, on_output=heard(600.0), idle_s=0.3).end is ProcessEnd.IDLE


def test_who_has_seen_enough_does_not_wait(sh: Run) -> None:
    def hear(chunk: bytes) -> bool | Linger:
        return b"enough" in chunk or Linger(600.0)

    result = sh("echo done; sleep 0.1; echo enough; sleep 600", separate=True, on_output=hear)
    assert result.end is ProcessEnd.CUT
