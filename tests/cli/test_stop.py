"""`prd-ralph stop --now`: whom it signals, and above all whom not."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph.clock import SystemClock
from prd_ralph.process.holder import ask_to_end, gone_within, start_ticks
from prd_ralph.state import StateFolder
from tests.support.project import Project, make_project, story

RUN = "20310301T080000Z-4f2a"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, [story("US-001", "false")])


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "300"]) as process:
        yield process
        process.kill()


def _state(project: Project) -> StateFolder:
    return StateFolder(project.root / ".git/prd-ralph", SystemClock())


def _sign(project: Project, **signed: object) -> None:
    (project.root / ".git/prd-ralph/lock-main").write_text(json.dumps({"since": "", "run": RUN, **signed}))


def test_where_no_run_goes_on(project: Project) -> None:
    done = project("stop", "--now")
    assert (done.code, done.err) == (1, "no run is going on here\n")


def test_another_command_at_work_is_left_alone(project: Project) -> None:
    with _state(project).lock("main"):  # this very process
        done = project("stop", "--now")
        assert done.code == 1
        assert "is no run" in done.err


def test_a_pid_that_was_given_out_again_is_left_alone(project: Project, bystander: subprocess.Popen[bytes]) -> None:
    with _state(project).lock("main"):
        _sign(project, pid=bystander.pid, start=1)
        done = project("stop", "--now")
        assert done.code == 1
        assert "not to be found" in done.err
    assert bystander.poll() is None


def test_a_pid_of_nobody_is_said(project: Project, bystander: subprocess.Popen[bytes]) -> None:
    bystander.kill()
    bystander.wait()
    with _state(project).lock("main"):
        _sign(project, pid=bystander.pid, start=None)
        assert project("stop", "--now").code == 1


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "unknown"])
def test_the_very_process_is_asked(bystander: subprocess.Popen[bytes], is_known: bool) -> None:
    assert ask_to_end(bystander.pid, start_ticks(bystander.pid) if is_known else None)
    assert bystander.wait() == -signal.SIGTERM
    assert not ask_to_end(bystander.pid, None)
    assert start_ticks(bystander.pid) is None


def test_where_there_is_no_handle_on_a_process_its_pid_has_to_do(
    bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    assert ask_to_end(bystander.pid, None)
    assert bystander.wait() == -signal.SIGTERM
    assert not ask_to_end(bystander.pid, None)


def test_waiting_has_an_end() -> None:
    looks = iter([False, False, True])
    assert gone_within(60, lambda: next(looks))
    assert not gone_within(0, lambda: False)
