"""When the supervisor is killed, or prd-ralph itself is."""

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.process.lane import Ending, Lanes

from .conftest import INTERPRETER, Run, inhabitants, lives, pid_in, request, until

linux = pytest.mark.skipif(sys.platform != "linux", reason="a double fork gets away elsewhere")
TOOL = """
import os, sys
from pathlib import Path
from prd_ralph.ports import ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
with SupervisedProcesses(StopSignals()) as processes:
    line = "trap '' TERM; env -i setsid sleep 600 & setsid sleep 600 & echo $$ > pid; sleep 600"
    processes.run(ProcessRequest(("bash", "-c", line), Path.cwd(), dict(os.environ), grace_s=600))
"""


@linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_prd_ralph_that_is_killed_leaves_nothing(place: Path, number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", TOOL], cwd=place) as tool:
        leader = pid_in(place / "pid")
        assert lives(leader)
        tool.send_signal(number)
    until(lambda: inhabitants(place) == [])


@pytest.mark.parametrize("sweep", [True, False])
def test_a_supervisor_that_is_killed_is_a_failure_and_the_next_one_is_fresh(sh: Run, place: Path, sweep: bool) -> None:
    mark = uuid.uuid4().hex
    env = {**os.environ, "PRD_RALPH_ATTEMPT": mark}
    result = sh("setsid sleep 600 & echo $$ > pid; kill -9 $PPID; sleep 600", env=env, sweep=sweep)
    assert (result.end, result.exit_code, result.ok) == (ProcessEnd.LOST, None, False)
    assert "supervisor" in result.error
    assert result.duration_s < 15
    assert not lives(pid_in(place / "pid"))
    assert inhabitants(place) == []
    assert sh("echo again", sweep=sweep).stdout == b"again\n"


def test_a_lost_supervisor_does_not_cost_the_outer_prd_ralph_its_processes(
    sh: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer, inner = uuid.uuid4().hex, uuid.uuid4().hex
    monkeypatch.setenv("PRD_RALPH_ATTEMPT", outer)
    with subprocess.Popen(["sleep", "600"], cwd=place) as other:
        env = {**os.environ, "PRD_RALPH_ATTEMPT": f"{outer}:{inner}"}
        result = sh("kill -9 $PPID; sleep 600", env=env)
        spared = lives(other.pid)
        other.kill()
    assert (result.end, spared) == (ProcessEnd.LOST, True)


def test_a_supervisor_killed_between_two_requests_costs_nothing(sh: Run) -> None:
    supervisor = int(sh("echo $PPID").stdout)
    os.kill(supervisor, signal.SIGKILL)
    until(lambda: not lives(supervisor))
    assert sh("echo again").stdout == b"again\n"


def test_a_supervisor_that_was_stopped_is_woken(sh: Run, place: Path) -> None:
    result = sh("kill -STOP $PPID; sleep 600", wall_s=0.2, grace_s=0.1)
    assert result.end is ProcessEnd.WALL
    assert inhabitants(place) == []


def test_signals_meant_to_end_the_supervisor_are_ignored(sh: Run) -> None:
    assert sh("kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; kill -USR1 $PPID; sleep 0.1; exit 3").exit_code == 3


def test_a_request_that_does_not_reach_a_supervisor_is_lost(stop: StopSignals, place: Path) -> None:
    with SupervisedProcesses(stop, ("/bin/false",)) as processes:
        for _ in range(3):
            assert processes.run(request("touch", "started", cwd=place)).end is ProcessEnd.LOST
    assert not (place / "started").exists()


def test_closing_ends_the_supervisors(sh: Run, processes: SupervisedProcesses) -> None:
    pids = [int(sh("echo $PPID", sweep=sweep).stdout) for sweep in (True, False)]
    processes.close()
    assert not any(map(lives, pids))


def test_orders_that_come_too_late_mean_nothing_to_the_next_request(place: Path) -> None:
    lanes = Lanes(INTERPRETER)
    with lanes.borrow(True) as lane, open("/dev/null", "r+b") as null:  # noqa: PTH123
        for word in (b"T", b"K"):
            lane.order(word)
            lane.submit(request("sleep", "0.2", cwd=place), "/bin/sleep", [null.fileno()] * 3)
            replies = [reply for _ in range(2) for reply in lane.replies()]
            assert replies[1:] == [Ending(0, "exit", 0, ())]
    lanes.close()
