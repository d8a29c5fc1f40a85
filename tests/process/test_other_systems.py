"""Where the kernel helps less: no subreaper (macOS), no list of children (CONFIG_PROC_CHILDREN)."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd
from prd_ralph.process import StopSignals, SupervisedProcesses

from .conftest import inhabitants, request

RUN = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
NO_SUBREAPER = "import ctypes; ctypes.CDLL = lambda name: object()\n" + RUN
NO_CHILDREN = "import os; os.path.exists = lambda path: False\n" + RUN
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
    result = lesser.run(request("bash", "-c", f"sleep 600 & ({STUBBORN}) & sleep 0.1", cwd=place))
    assert (result.end, result.exit_code) == (ProcessEnd.EXITED, 0)
    assert result.swept > 0
    assert inhabitants(place) == []


def test_limits_hold(lesser: SupervisedProcesses, place: Path) -> None:
    for sweep in (True, False):
        result = lesser.run(request("bash", "-c", STUBBORN, cwd=place, wall_s=0.5, grace_s=0.1, sweep=sweep))
        assert (result.end, result.exit_code, result.stuck) == (ProcessEnd.WALL, -9, ())
        assert inhabitants(place) == []


def test_a_system_without_a_terminal_keeps_its_environment(lesser: SupervisedProcesses, place: Path) -> None:
    assert lesser.run(request("env", cwd=place, env={"PATH": os.defpath, "A": "b"})).stdout.count(b"A=b") == 1
