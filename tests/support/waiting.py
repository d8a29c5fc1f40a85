"""Waiting for what another process is about to do: by looking, to a deadline, never for a fixed time."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.project import Project

PATIENCE_S = 60.0


def until(holds: Callable[[], bool], what: str = "it") -> None:
    """Waits until `holds`."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen"
        time.sleep(0.005)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def pids_in(file: Path, count: int = 1) -> list[int]:
    """The pids that processes write to `file`, one a line, once there are `count`."""
    until(lambda: file.is_file() and file.read_text().count("\n") >= count, f"{count} pids in {file.name}")
    return [int(line) for line in file.read_text().split()]


def gone(pids: list[int]) -> None:
    """Waits until none of them lives."""
    until(lambda: not any(map(lives, pids)), f"the end of {pids}")


@contextmanager
def started(project: Project, *args: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """`prd-ralph ARGS`, running; killed at the end if it still does. `options` are Popen's."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    settings = {"cwd": project.root, "env": project.environment(), "text": True} | streams | options
    with subprocess.Popen(project.command(*args), **settings) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def end(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> int:
    """Sends a signal and waits; the return code as Python has it (negative for a signal)."""
    os.kill(process.pid, number)
    return process.wait(PATIENCE_S)
