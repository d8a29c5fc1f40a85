"""The second net: processes known by the mark in their environment."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prd_ralph.process import SupervisedProcesses

from .conftest import Run, lives

STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)"


@contextmanager
def start(place: Path, mark: str, *argv: str) -> Iterator["subprocess.Popen[bytes]"]:
    env = {**os.environ, "PRD_RALPH_ATTEMPT": mark}
    with subprocess.Popen(argv or ("sleep", "600"), cwd=place, env=env, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def marks() -> tuple[str, str, str]:
    return (uuid.uuid4().hex, uuid.uuid4().hex, uuid.uuid4().hex)


def test_what_carries_a_mark_is_ended_wherever_it_stands_in_the_list(
    processes: SupervisedProcesses, place: Path, marks: tuple[str, str, str]
) -> None:
    one, two, other = marks
    with start(place, one) as a, start(place, f"{other}:{two}") as b, start(place, f"{other}:{one}x") as c:
        assert processes.end_marked(frozenset((one, two))) == 2
        assert (a.wait(20), b.wait(20)) == (-15, -15)
        assert lives(c.pid)


def test_what_ignores_term_or_is_stopped_is_ended(
    processes: SupervisedProcesses, place: Path, marks: tuple[str, str, str]
) -> None:
    with start(place, marks[0], sys.executable, "-c", STUBBORN) as a, start(place, marks[0]) as b:
        assert a.stdout is not None
        a.stdout.readline()
        b.send_signal(19)
        assert processes.end_marked(frozenset(marks)) == 2
        assert (a.wait(20), b.wait(20)) == (-9, -15)


def test_no_mark_is_nobodys(processes: SupervisedProcesses, place: Path) -> None:
    with start(place, "") as process:
        assert processes.end_marked(frozenset()) == 0
        assert processes.end_marked(frozenset(("", uuid.uuid4().hex))) == 0
        assert lives(process.pid)


TOOL = """
import os, sys
from pathlib import Path
from prd_ralph.ports import ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
with SupervisedProcesses(StopSignals()) as processes:
    request = ProcessRequest(("bash", "-c", "echo $PPID"), Path.cwd(), {**os.environ, "PRD_RALPH_ATTEMPT": "other"})
    before = processes.run(request).stdout
    print(processes.end_marked(frozenset((os.environ["PRD_RALPH_ATTEMPT"],))), before == processes.run(request).stdout)
"""


def test_itself_its_ancestors_and_its_supervisors_are_spared(sh: Run, marks: tuple[str, str, str]) -> None:
    env = {**os.environ, "PRD_RALPH_ATTEMPT": marks[0], "CODE": TOOL}
    result = sh(f'sleep 600 & {sys.executable} -c "$CODE"; echo still here', env=env)
    assert result.stdout == b"1 True\nstill here\n"
