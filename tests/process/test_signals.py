"""The tool itself, signalled."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = """
import os, sys
from pathlib import Path
from prd_ralph.ports import ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
stop = StopSignals()
stop.install()
with SupervisedProcesses(stop) as processes:
    request = ProcessRequest(("bash", "-c", "echo $$; exec sleep 600"), Path.cwd(), dict(os.environ), wall_s=20)
    result = processes.run(request, lambda chunk: os.write(1, chunk))
print(result.end.value, flush=True)
if stop.signal and "--gently" not in sys.argv:
    stop.end_by(stop.signal)
"""


def tool(place: Path, *before: str, after: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    command = [*before, sys.executable, "-c", TOOL, *after]
    return subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True)


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_by_the_signal_that_it_was_sent(place: Path, number: signal.Signals) -> None:
    with tool(place) as process:
        assert int(line(process)) > 0
        process.send_signal(number)
        assert process.communicate(timeout=20)[0] == "stopped\n"
    assert process.returncode == -number


def test_a_hangup_that_was_ignored_stays_ignored(place: Path) -> None:
    with tool(place, "bash", "-c", 'trap "" HUP; exec "$@"', "bash") as process:
        assert int(line(process)) > 0
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == -signal.SIGTERM


def test_a_signal_is_noted_and_what_comes_of_it_is_the_callers(place: Path) -> None:
    with tool(place, after=("--gently",)) as process:
        assert int(line(process)) > 0
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20)[0] == "stopped\n"
    assert process.returncode == 0


def test_where_the_signal_does_not_end_it_the_status_says_which_it_was(place: Path) -> None:
    """As PID 1 of a container: here, a signal whose default is to be ignored stands for it."""
    code = "from prd_ralph.process import StopSignals; StopSignals().end_by(28)"
    done = subprocess.run([sys.executable, "-c", code], cwd=place, timeout=20, check=False)
    assert done.returncode == 128 + 28


def test_importing_is_cheap() -> None:
    heavy = ["psutil", "subprocess", "tempfile", "git", "typer", "asyncio"]
    code = f"import sys, prd_ralph.process; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True).stdout == "[]\n"
