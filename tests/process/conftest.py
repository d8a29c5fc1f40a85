"""A runner with short limits, and the proof after each test that nothing it started is left."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from prd_ralph.model import ProcessResult
from prd_ralph.ports import OnOutput, ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.process.lane import ISOLATED

Run = Callable[..., ProcessResult]
PATIENCE_S = 20.0
# Under coverage the supervisor must be an ordinary Python, or it is not measured.
INTERPRETER = (sys.executable, "-P") if "COVERAGE_PROCESS_CONFIG" in os.environ else ISOLATED


def until(true: Callable[[], bool]) -> None:
    """Waits for something that the system is about to do."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pid_in(file: Path) -> int:
    """The pid that a process writes to `file`, once it is there."""
    until(lambda: file.is_file() and file.read_text().endswith("\n"))
    return int(file.read_text())


def inhabitants(folder: Path) -> list[psutil.Process]:
    """The processes whose working folder it is: also those that hide in a session, without any environment."""
    found = psutil.process_iter(["cwd"])
    return [process for process in found if process.info["cwd"] and Path(process.info["cwd"]).is_relative_to(folder)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Where a test's processes run; empty of them at the end."""
    folder = tmp_path / "place"
    folder.mkdir()
    yield folder
    left = [process for process in inhabitants(folder) if lives(process.pid)]
    for process in left:
        process.kill()
    assert left == []


@pytest.fixture
def stop() -> Iterator[StopSignals]:
    signals = StopSignals()
    yield signals
    signals.close()


@pytest.fixture
def processes(stop: StopSignals, place: Path) -> Iterator[SupervisedProcesses]:
    with SupervisedProcesses(stop, INTERPRETER) as port:
        yield port


def request(*argv: str, cwd: Path, **options: Any) -> ProcessRequest:
    options.setdefault("env", dict(os.environ))
    options.setdefault("wall_s", PATIENCE_S)
    return ProcessRequest(argv, cwd, **options)


@pytest.fixture
def run(processes: SupervisedProcesses, place: Path) -> Run:
    """Runs a program in `place`: `run("true", wall_s=1)`."""

    def run(*argv: str, on_output: OnOutput | None = None, **options: Any) -> ProcessResult:
        options.setdefault("cwd", place)
        return processes.run(request(*argv, **options), on_output)

    return run


@pytest.fixture
def sh(run: Run) -> Run:
    """Runs a shell line in `place`."""

    def sh(line: str, **options: Any) -> ProcessResult:
        return run("bash", "-c", line, **options)

    return sh


@pytest.fixture
def python(run: Run) -> Run:
    """Runs Python code in `place`."""

    def python(code: str, *arguments: str, **options: Any) -> ProcessResult:
        return run(sys.executable, "-I", "-S", "-c", code, *arguments, **options)

    return python
