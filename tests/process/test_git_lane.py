"""`sweep=False`: git starts gpg-agent, which outlives it; a git that is ended takes all with it."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd
from prd_ralph.process import StopSignals, SupervisedProcesses

from .conftest import INTERPRETER, Run, lives, pid_in, request, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")


def daemon(name: str) -> str:
    return f"setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > {name};"


@pytest.fixture
def agent(sh: Run, place: Path) -> Iterator[int]:
    """A daemon that a git command left behind."""
    assert sh(daemon("agent"), sweep=False).ok
    pid = pid_in(place / "agent")
    yield pid
    os.kill(pid, signal.SIGKILL)
    until(lambda: not lives(pid))


def test_a_daemon_lives_on_after_a_normal_end(sh: Run, agent: int) -> None:
    assert lives(agent)
    assert sh("exit 1", sweep=False).exit_code == 1
    assert lives(agent)
    assert sh("true").ok
    assert lives(agent)


def test_a_limit_ends_what_was_started_since_and_spares_what_was_there(sh: Run, place: Path, agent: int) -> None:
    result = sh(daemon("new") + "env -i setsid sleep 600 & sleep 600", sweep=False, wall_s=0.6)
    assert (result.end, result.stuck) == (ProcessEnd.WALL, ())
    assert not lives(pid_in(place / "new"))
    assert lives(agent)


def test_a_signal_does_the_same(sh: Run, place: Path, stop: StopSignals, agent: int) -> None:
    result = sh(daemon("new") + "echo up; sleep 600", sweep=False, on_output=lambda _: stop.record(2))
    assert result.end is ProcessEnd.STOPPED
    assert not lives(pid_in(place / "new"))
    assert lives(agent)


def test_a_consumer_that_raises_ends_it_and_spares_what_was_there(sh: Run, place: Path, agent: int) -> None:
    def choke(_chunk: bytes) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        sh(daemon("new") + "echo up; sleep 600", sweep=False, on_output=choke)
    assert not lives(pid_in(place / "new"))
    assert lives(agent)


def test_closing_spares_it(stop: StopSignals, place: Path) -> None:
    with SupervisedProcesses(stop, INTERPRETER) as processes:
        assert processes.run(request("bash", "-c", daemon("agent"), cwd=place, sweep=False)).ok
    agent = pid_in(place / "agent")
    assert lives(agent)
    os.kill(agent, signal.SIGKILL)
    until(lambda: not lives(agent))


def test_the_sweep_of_other_processes_stays_a_proof(sh: Run, agent: int, place: Path) -> None:
    assert sh(daemon("new")).swept == 1
    assert not lives(pid_in(place / "new"))
    assert lives(agent)
