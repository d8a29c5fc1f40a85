"""INT, TERM and HUP: everything ends, nothing is lost, and the run ends by the signal."""

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.project import Done, story
from tests.support.waiting import PATIENCE_S, end, gone, lives, pids_in, started
from tests.support.workshop import CHECK, WORK, Workshop

SIGNALS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)


def _slow(folder: Path) -> str:
    """A line of shell that says that it is there, with a child in a session of its own; then it lasts."""
    return f"setsid sleep 300 & echo $! >> {folder}/pids; echo $$ >> {folder}/pids; sleep 300"


def _first(folder: Path) -> str:
    """The same, the first time only."""
    return f"test -f {folder}/pids || {{ {_slow(folder)}; }}"


def _cut_short(workshop: Workshop, number: int, *args: str) -> Done:
    """A run that gets the signal once the slow thing is there; all its processes have ended."""
    with started(workshop.project, *workshop.arguments(*args)) as run:
        pids = pids_in(workshop.folder / "pids", 2)
        code = end(run, number)
        assert run.stdout and run.stderr
        done = Done(code, run.stdout.read(), run.stderr.read())
    assert not [pid for pid in pids if lives(pid)]
    assert code == -number, done.err
    finished = done.of("run_finished")[0]
    assert (finished["stop"], finished["exit"]) == ("signal", 128 + number)
    return done


@SIGNALS
def test_during_the_agent(tmp_path: Path, number: int) -> None:  # C088 C089
    workshop = Workshop(tmp_path, ["echo done > one.txt;" + _slow(tmp_path)])
    done = _cut_short(workshop, number)
    judged = done.of("judged")[0]
    assert (judged["story"], judged["outcome"], judged["charged"]) == ("US-001", "interrupted", False)
    assert judged["duration_s"] > 0
    assert (workshop.root / "one.txt").exists()
    assert workshop.project.passes() == {"US-001": False}


@SIGNALS
def test_during_a_check(tmp_path: Path, number: int) -> None:
    workshop = Workshop(tmp_path, [WORK], [story("US-001", f"{CHECK} && {{ {_slow(tmp_path)}; }}")])
    done = _cut_short(workshop, number)
    assert done.of("judged")[0]["outcome"] == "interrupted"
    assert (workshop.root / "one.txt").exists()
    assert workshop.project.passes() == {"US-001": False}


def test_the_next_run_goes_on_where_the_agent_was_interrupted(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["echo done > one.txt;" + _slow(tmp_path), "echo better > a.txt; rm old.txt"])
    _cut_short(workshop, signal.SIGINT)
    again = workshop.run()
    assert again.code == 0, again.err
    assert again.of("iteration_started")[0]["charged"] == 0
    workshop.assert_landed()


def test_the_next_run_checks_first_where_a_check_was_interrupted(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK], [story("US-001", f"{CHECK} && {{ {_first(tmp_path)}; }}")])
    _cut_short(workshop, signal.SIGTERM)
    again = workshop.run()
    assert again.code == 0, again.err
    assert workshop.starts == 1
    workshop.assert_landed()


def test_during_the_setup_no_agent_is_started(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    path = workshop.project.prd_path
    path.write_text(path.read_text().replace('"project"', f'"setup": ["{_first(tmp_path)}"], "project"'))
    workshop.project.git("commit", "-qam", "setup")
    workshop.base = workshop.project.git("rev-parse", "HEAD")
    done = _cut_short(workshop, signal.SIGTERM)
    assert done.of("iteration_started") == []
    assert workshop.starts == 0
    workshop.assert_clean()


@SIGNALS
def test_a_landing_is_finished_first(tmp_path: Path, number: int) -> None:
    stories = [story("US-001", CHECK), story("US-002", "true")]
    workshop = Workshop(tmp_path, [WORK], stories)
    hook = workshop.root / ".git/hooks/pre-commit"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    hook.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids; cat {fifo}\n")
    hook.chmod(0o755)
    with started(workshop.project, *workshop.arguments()) as run:
        (pid,) = pids_in(tmp_path / "pids")
        os.kill(run.pid, number)
        assert lives(pid)
        fifo.write_text("go on\n")
        assert run.wait(PATIENCE_S) == -number
    assert workshop.project.passes() == {"US-001": True, "US-002": False}
    assert workshop.project.landings() == ["US-001"]
    assert workshop.starts == 1
    workshop.assert_clean()


def test_the_second_signal_does_not_wait(tmp_path: Path) -> None:  # C088
    play = f"trap '' INT TERM HUP; echo half > one.txt; {_slow(tmp_path)} & wait; sleep 300"
    workshop = Workshop(tmp_path, [play, WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids", 2)
        os.kill(run.pid, signal.SIGINT)
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(PATIENCE_S) == -signal.SIGINT
    gone(pids)
    assert (workshop.root / "one.txt").exists()
    done = workshop.run()
    assert done.code == 0, done.err
    workshop.assert_landed()


def test_a_start_that_hangs_ends_by_the_first_signal_at_the_second(tmp_path: Path) -> None:
    """git is being waited for; nothing is announced yet."""
    workshop = Workshop(tmp_path, [WORK])
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\ntest -f {tmp_path}/pids || {{ echo $$ >> {tmp_path}/pids; sleep 300; }}\nexit 1\n")
    slow.chmod(0o755)
    environment = workshop.project.environment(PATH=f"{slow.parent}:{os.environ['PATH']}")
    with started(workshop.project, *workshop.arguments(), env=environment) as run:
        pids = pids_in(tmp_path / "pids")
        os.kill(run.pid, signal.SIGINT)
        os.kill(run.pid, signal.SIGTERM)
        assert run.wait(PATIENCE_S) == -signal.SIGINT
    gone(pids)
    workshop.assert_clean()


def test_under_nohup_a_hangup_changes_nothing(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [f"echo $$ > {tmp_path}/pids; cat {tmp_path}/fifo;" + WORK])
    os.mkfifo(tmp_path / "fifo")
    command = ["nohup", *workshop.project.command(*workshop.arguments())]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=workshop.root, env=workshop.project.environment(), stdin=quiet, stdout=quiet, stderr=quiet
    ) as run:
        pids_in(tmp_path / "pids")
        os.kill(run.pid, signal.SIGHUP)
        (tmp_path / "fifo").write_text("go on\n")
        assert run.wait(PATIENCE_S) == 0
    workshop.assert_landed()


def test_ctrl_c_at_a_terminal_ends_the_loop_around_it(tmp_path: Path) -> None:
    """The terminal signals its whole group; the agent, in a session of its own, is ended by prd-ralph alone."""
    workshop = Workshop(tmp_path, [_slow(tmp_path)])
    line = " ".join(workshop.project.command("run", "--agent-command", f"'sh {tmp_path}/agent.sh'"))
    loop = f"for turn in 1 2 3; do echo $turn >> {tmp_path}/turns; {line}; done; echo after >> {tmp_path}/turns"
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(workshop.root)
        os.execvpe("bash", ["bash", "-c", loop], workshop.project.environment())
    try:
        pids = pids_in(tmp_path / "pids", 2)
        os.write(terminal, b"\x03")
        while _read(terminal):
            pass
        _, status = os.waitpid(child, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGINT
    assert (tmp_path / "turns").read_text() == "1\n"
    assert not [pid for pid in pids if lives(pid)]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux: nobody holds the other end any more
        return b""
