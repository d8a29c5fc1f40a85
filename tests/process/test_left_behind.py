"""Nothing that a process started outlives it; `place` proves it after each test."""

import os
import sys
import time
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd
from prd_ralph.process import StopSignals, SupervisedProcesses

from .conftest import Run, inhabitants, lives, pid_in, request

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper")
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("pid", "w").write(f"{os.getpid()}\\n")
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists("pid"):
    pass
"""
CHAIN = """
import os, time
if os.fork():
    time.sleep(0.3)
    os._exit(0)
end = time.monotonic() + 60
while time.monotonic() < end:
    os.setsid()
    open("beat", "w").close()
    if os.fork():
        os._exit(0)
"""


INNER = """
import os
from pathlib import Path
from prd_ralph.ports import ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
with SupervisedProcesses(StopSignals()) as processes:
    line = "trap '' TERM; env -i setsid sleep 600 & touch ready; sleep 600"
    processes.run(ProcessRequest(("bash", "-c", line), Path.cwd(), dict(os.environ), wall_s=20))
"""


def test_a_background_job_is_ended(sh: Run, place: Path) -> None:
    result = sh("sleep 600 & echo $! > pid; exit 3")
    assert (result.end, result.exit_code, result.swept) == (ProcessEnd.EXITED, 3, 1)
    assert not lives(pid_in(place / "pid"))


@linux
@pytest.mark.parametrize("start", ["setsid sleep 600 &", "env -i setsid sleep 600 &", "(setsid sleep 600 &)&"])
def test_a_session_of_its_own_hides_nobody(sh: Run, place: Path, start: str) -> None:
    result = sh(f"{start} until pgrep -x sleep -s 0 >/dev/null || [ $((n += 1)) -gt 20 ]; do :; done")
    assert result.end is ProcessEnd.EXITED
    assert inhabitants(place) == []


@linux
def test_a_daemon_that_forked_twice_is_ended(python: Run, place: Path) -> None:
    result = python(DAEMON)
    assert (result.exit_code, result.swept) == (0, 1)
    assert not lives(pid_in(place / "pid"))


@linux
def test_a_chain_of_forks_without_pause_is_ended(python: Run, place: Path) -> None:
    result = python(CHAIN)
    assert (result.end, result.exit_code, result.stuck) == (ProcessEnd.EXITED, 0, ())
    stood = (place / "beat").stat().st_mtime_ns
    assert inhabitants(place) == []
    assert (place / "beat").stat().st_mtime_ns == stood


def test_what_is_left_may_clean_up_before_it_is_killed(sh: Run, place: Path) -> None:
    result = sh(
        "(trap 'echo cleaned > note; exit' TERM; touch ready; while :; do sleep 0.01; done) & "
        "until [ -e ready ]; do :; done"
    )
    assert result.swept >= 1
    assert (place / "note").read_text() == "cleaned\n"


def test_what_ignores_term_is_killed_and_a_limit_that_passes_meanwhile_changes_nothing(sh: Run, place: Path) -> None:
    result = sh(
        "(trap '' TERM; touch ready; while :; do sleep 0.05; done) & until [ -e ready ]; do :; done; exit 3", wall_s=0.7
    )
    assert (result.end, result.exit_code) == (ProcessEnd.EXITED, 3)
    assert inhabitants(place) == []


@linux
def test_a_prd_ralph_inside_takes_its_own_processes_along(sh: Run, place: Path) -> None:
    result = sh(f'exec {sys.executable} -c "$CODE"', env={**os.environ, "CODE": INNER}, wall_s=2, grace_s=0.1)
    assert result.end is ProcessEnd.WALL
    assert (place / "ready").exists()
    assert inhabitants(place) == []


def test_what_was_stopped_is_ended_too(sh: Run, place: Path) -> None:
    result = sh("sleep 600 & echo $! > pid; kill -STOP $!; exit 0")
    assert result.swept == 1
    assert not lives(pid_in(place / "pid"))


def test_a_writer_that_is_about_to_end_may_finish(sh: Run, place: Path) -> None:
    """`exec > >(tee log)`: the shell does not wait for it, and its last lines are the ones that matter."""
    for _ in range(5):
        result = sh("exec > >(sleep 0.02; tee log); echo said")
        assert (result.stdout, result.swept) == (b"said\n", 0)
        assert (place / "log").read_bytes() == b"said\n"


def test_prd_ralphs_own_children_are_none_of_its_business(sh: Run, stop: StopSignals, place: Path) -> None:
    with SupervisedProcesses(stop) as other:
        assert other.run(request("true", cwd=place)).ok
        assert sh("sleep 600 &").swept == 1
        assert other.run(request("true", cwd=place)).ok


def test_ending_the_rest_takes_no_longer_than_it_must(sh: Run) -> None:
    begin = time.monotonic()
    assert sh("sleep 600 & sleep 600 & setsid sleep 600 & sleep 0.05").swept == 3
    assert time.monotonic() - begin < 5
