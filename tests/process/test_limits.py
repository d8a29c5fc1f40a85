"""No process outlives its limits, and none is called idle that works."""

import time
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd

from .conftest import Run, inhabitants

STUBBORN = "trap '' TERM INT; while :; do sleep 0.05; done"


def test_the_wall_limit_ends_it(run: Run) -> None:
    result = run("sleep", "600", wall_s=0.2)
    assert (result.end, result.exit_code) == (ProcessEnd.WALL, -15)
    assert 0.2 <= result.duration_s < 5


def test_a_process_may_clean_up_in_its_grace(sh: Run) -> None:
    result = sh("trap 'echo bye; exit 7' TERM; while :; do sleep 0.01; done", wall_s=0.6, separate=True)
    assert (result.end, result.exit_code, result.stdout) == (ProcessEnd.WALL, 7, b"bye\n")


def test_after_its_grace_it_is_killed(sh: Run, place: Path) -> None:
    result = sh(STUBBORN, wall_s=0.5, grace_s=0.1)
    assert (result.end, result.exit_code) == (ProcessEnd.WALL, -9)
    assert inhabitants(place) == []


def test_a_stopped_process_is_woken_to_hear_term(sh: Run) -> None:
    result = sh("trap 'exit 7' TERM; kill -STOP $$; sleep 600", wall_s=0.6)
    assert (result.end, result.exit_code) == (ProcessEnd.WALL, 7)


def test_the_wall_limit_holds_while_output_never_pauses(run: Run) -> None:
    result = run("yes", wall_s=0.2)
    assert result.end is ProcessEnd.WALL
    assert result.duration_s < 5
    assert len(result.stdout) <= 64 << 10


def test_a_limit_of_many_years_is_a_limit(run: Run) -> None:
    assert run("true", wall_s=1e12, idle_s=1e12).ok


def test_silence_is_idleness(run: Run) -> None:
    result = run("sleep", "600", idle_s=0.2)
    assert (result.end, result.exit_code) == (ProcessEnd.IDLE, -15)


@pytest.mark.parametrize(("stream", "separate"), [(1, False), (2, True)])
def test_output_on_either_stream_is_activity(sh: Run, stream: int, separate: bool) -> None:
    result = sh(f"for n in 1 2 3; do sleep 0.2; echo $n >&{stream}; done", idle_s=0.5, separate=separate)
    assert result.ok


def test_a_tree_that_computes_is_not_idle_where_that_counts(sh: Run) -> None:
    work = "timeout 0.9 bash -c 'while :; do :; done'; echo done"
    assert sh(work, idle_s=0.3).end is ProcessEnd.IDLE
    result = sh(work, idle_s=0.3, idle_counts_cpu=True)
    assert (result.end, result.stdout) == (ProcessEnd.EXITED, b"done\n")


def test_a_tree_that_sleeps_is_idle_also_where_computing_counts(run: Run) -> None:
    begin = time.monotonic()
    assert run("sleep", "600", idle_s=0.3, idle_counts_cpu=True).end is ProcessEnd.IDLE
    assert time.monotonic() - begin < 5
