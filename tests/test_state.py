"""The state folder: real locks between real processes, runs and their folders."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prd_ralph.clock import SystemClock
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import AttemptKey
from prd_ralph.ports import State
from prd_ralph.state import LockHolder, StateFolder
from tests.support.unprivileged import unprivileged

HOLDS = """
import sys
from pathlib import Path
from prd_ralph.clock import SystemClock
from prd_ralph.state import StateFolder
with StateFolder(Path(sys.argv[1]), SystemClock()).lock("main"):
    print("held", flush=True)
    sys.stdin.read()
"""


class SteppingClock:
    """A second later at each look, unless it stands still."""

    def __init__(self, step: int = 1) -> None:
        self._seconds = 0
        self._step = step

    def monotonic(self) -> float:
        return 0.0

    def now(self) -> str:
        self._seconds += self._step
        return f"2031-03-01T08:00:{self._seconds:02}Z"


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "prd-ralph", SteppingClock())


@pytest.fixture
def holder(state: StateFolder) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of the worktree `main`."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, state.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_holder_is_told_who_and_since_when(state: StateFolder, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(RalphError) as caught, state.lock("main"):
        pass
    assert caught.value.code is ExitCode.ENVIRONMENT
    assert re.search(rf"\(pid {holder.pid}, since 20\d\d-[-0-9T:]+Z\)", str(caught.value))
    assert "prd-ralph status" in caught.value.problems[0].hint


def test_who_holds_it_can_be_read(state: StateFolder, holder: subprocess.Popen[str]) -> None:
    found = state.read_lock("main")
    assert found is not None
    assert found.pid == holder.pid
    if Path("/proc/self/stat").exists():
        assert isinstance(found.start, int)
    assert state.read_lock("other") is None


def test_another_worktree_has_a_lock_of_its_own(state: StateFolder, holder: subprocess.Popen[str]) -> None:
    with state.lock("feature/../x"):
        assert state.read_lock("feature/../x") is not None
    assert sorted(path.name for path in state.path.iterdir()) == ["lock-feature%2F%2E%2E%2Fx", "lock-main"]


def test_a_killed_holder_holds_nothing(state: StateFolder, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (state.path / "lock-main").read_text() != ""
    assert state.read_lock("main") is None
    with state.lock("main"):
        found = state.read_lock("main")
        assert found is not None
        assert found.pid == os.getpid()


def test_a_lock_is_free_again_after_an_error_and_after_the_end(state: StateFolder) -> None:
    with pytest.raises(KeyError), state.lock("main"):
        raise KeyError
    assert state.read_lock("main") is None
    with state.lock("main"):
        pass
    assert state.read_lock("main") is None


@pytest.mark.parametrize("signed", ["", "garbage", "[]", '{"pid": 1}', '{"pid": [], "start": 1, "since": ""}'])
def test_a_lock_without_a_readable_signature_is_held_all_the_same(state: StateFolder, signed: str) -> None:
    with state.lock("main"):
        (state.path / "lock-main").write_text(signed)
        assert state.read_lock("main") == LockHolder()
        with pytest.raises(RalphError, match="pid unknown"), state.lock("main"):
            pass


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_no_lock_and_is_not_waited_for(state: StateFolder, make: Callable[[Path], None]) -> None:
    state.path.mkdir()
    make(state.path / "lock-main")
    assert state.read_lock("main") is None
    with pytest.raises(RalphError, match="cannot be written") as caught, state.lock("main"):
        pass
    assert caught.value.code is ExitCode.ENVIRONMENT


def test_a_lock_that_may_not_be_read_is_not_called_free(state: StateFolder) -> None:
    with state.lock("main"):
        (state.path / "lock-main").chmod(0)
    with unprivileged(state.path), pytest.raises(RalphError, match="cannot be read") as caught:
        state.read_lock("main")
    assert caught.value.code is ExitCode.ENVIRONMENT


def test_a_process_that_the_holder_starts_does_not_inherit_the_lock(state: StateFolder) -> None:
    with state.lock("main"):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        assert state.read_lock("main") is None
    finally:
        child.kill()
        child.wait()


def test_stop_is_asked_for_and_forgotten(state: StateFolder) -> None:
    run = state.new_run()
    assert not run.stop_requested()
    state.request_stop()
    state.request_stop()
    assert run.stop_requested()
    state.clear_stop()
    state.clear_stop()
    assert not state.stop_requested()


def test_runs_have_ids_of_their_own_and_come_newest_first(state: StateFolder) -> None:
    assert state.runs() == ()
    made = [state.new_run() for _ in range(4)]
    assert all(re.fullmatch(r"20310301T08000\dZ-[0-9a-f]{4}", run.run_id) for run in made)
    (state.path / "runs" / "something else").mkdir()
    (state.path / "runs" / "20310301T090000Z-0000").write_text("a file")
    assert list(state.runs()) == made[::-1]
    assert made[0].events == state.path / "runs" / made[0].run_id / "events.jsonl"


def test_runs_of_one_second_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / "s", SteppingClock(step=0))
    older, newer = state.new_run(), state.new_run()
    for age, run in ((9, older), (1, newer)):
        os.utime(run.path, ns=(10**18 - age, 10**18 - age))
    assert list(state.runs()) == [newer, older]


def test_an_attempt_has_a_folder_that_no_id_can_lead_astray(state: StateFolder) -> None:
    run: State = state.new_run()
    folder = run.attempt_folder(AttemptKey(run.run_id, "US/001 é", 2))
    assert folder == state.path / "runs" / run.run_id / "US%2F001%20%C3%A9" / "2"
    assert run.attempt_folder(AttemptKey(run.run_id, "US/001 é", 2)) == folder
    astray = run.attempt_folder(AttemptKey("../..", "..", 1))
    assert astray.resolve().is_relative_to(state.path.resolve() / "runs")


def test_folders_are_the_persons_alone(state: StateFolder) -> None:
    folder = state.new_run().attempt_folder(AttemptKey("r", "US-1", 1))
    assert {path.stat().st_mode & 0o777 for path in (folder, folder.parent, state.path / "runs", state.path)} == {0o700}


def test_a_deleted_state_folder_comes_back(state: StateFolder) -> None:
    run = state.new_run()
    run.path.rmdir()
    (state.path / "runs").rmdir()
    state.path.rmdir()
    assert run.attempt_folder(AttemptKey(run.run_id, "US-1", 1)).is_dir()


def test_where_no_folder_can_be_made_the_error_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    state = StateFolder(tmp_path / "file", SteppingClock())
    with pytest.raises(RalphError, match="cannot be written") as caught:
        state.request_stop()
    assert caught.value.code is ExitCode.ENVIRONMENT
    with pytest.raises(RalphError, match="cannot be written"):
        state.new_run()
    with pytest.raises(RalphError, match="cannot be written"), state.lock("main"):
        pass


def test_an_attempt_folder_that_cannot_be_made(state: StateFolder) -> None:
    run = state.new_run()
    (run.path / "US-1").write_text("in the way")
    with pytest.raises(RalphError, match="cannot be written"):
        run.attempt_folder(AttemptKey(run.run_id, "US-1", 1))


def test_the_machines_clock() -> None:
    clock = SystemClock()
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", clock.now())
    assert clock.monotonic() <= clock.monotonic()
