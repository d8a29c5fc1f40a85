"""Where the kernel helps less: no subreaper (macOS), no list of children (CONFIG_PROC_CHILDREN)."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd
from prd_ralph.process import StopSignals, SupervisedProcesses

from .conftest import inhabitants, lives, request, until

RUN = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
NO_SUBREAPER = "import ctypes; ctypes.CDLL = lambda name: object()\n" + RUN
NO_CHILDREN = "import os; os.path.exists = lambda path: False\n" + RUN
NO_KILL = """
import os, sys
def kill(pid, number):
    raise PermissionError
os.kill = kill
source = open(sys.argv[1]).read()
for name in ("REST_S", "CLEAR_S"):
    source = source.replace(f"\\n{name} = ", f"\\n{name} = 0.1 # ")
exec(compile(source, sys.argv[1], "exec"), {"__name__": "__main__"})
"""
STUBBORN = "trap '' TERM; exec sleep 600"


@pytest.fixture(params=[NO_SUBREAPER, NO_CHILDREN], ids=["no subreaper", "no children files"])
def lesser(request: pytest.FixtureRequest, tmp_path: Path, stop: StopSignals) -> Iterator[SupervisedProcesses]:
    start = tmp_path / "start.py"
    start.write_text(request.param)
    with SupervisedProcesses(stop, (sys.executable, str(start))) as processes:
        yield processes


def test_status_and_output_are_the_same(lesser: SupervisedProcesses, place: Path) -> None:
    for _ in range(2):
        result = lesser.run(request("bash", "-c", "echo hi; exit 3", cwd=place))
        assert (result.end, result.exit_code, result.stdout, result.swept) == (ProcessEnd.EXITED, 3, b"hi\n", 0)


def test_what_stays_in_the_group_is_ended(lesser: SupervisedProcesses, place: Path) -> None:
    result = lesser.run(request("bash", "-c", "sleep 600 & sleep 600 &", cwd=place))
    assert (result.end, result.exit_code) == (ProcessEnd.EXITED, 0)
    assert result.swept > 0
    assert inhabitants(place) == []


def test_limits_hold(lesser: SupervisedProcesses, place: Path) -> None:
    result = lesser.run(request("bash", "-c", STUBBORN, cwd=place, wall_s=0.5, grace_s=0.1, sweep=False))
    assert (result.end, result.exit_code, result.stuck) == (ProcessEnd.WALL, -9, ())
    assert inhabitants(place) == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
def test_what_cannot_be_ended_is_named_and_its_supervisor_not_used_again(
    stop: StopSignals, place: Path, tmp_path: Path
) -> None:
    """As for a program that made itself root's: here the supervisor is one that may signal nobody."""
    start = tmp_path / "start.py"
    start.write_text(NO_KILL)
    with SupervisedProcesses(stop, (sys.executable, str(start))) as processes:
        result = processes.run(request("bash", "-c", "sleep 2 & echo $! $PPID", cwd=place))
        pid, supervisor = map(int, result.stdout.split())
        assert (result.end, result.exit_code, result.stuck, result.swept) == (ProcessEnd.EXITED, 0, (pid,), 1)
        assert not lives(supervisor)
        assert processes.run(request("true", cwd=place)).ok
    until(lambda: not lives(pid))
