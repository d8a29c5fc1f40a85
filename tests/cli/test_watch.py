"""Looking on at a run from elsewhere."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.support.project import Project, make_project, story
from tests.support.terminal import Terminal
from tests.support.waiting import end, started, until

PATIENT = "echo looking around; until test -e ../go; do sleep 0.02; done; echo '[b]went on[/b]'"
SCRIPT = {"default": [{"run": PATIENT}, {"write": "a.txt", "text": ""}, {"cost": 0.25, "tokens": [1200, 34]}]}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    stories = [story("US-001", "test -f a.txt", "echo so")]
    return make_project(tmp_path, stories, SCRIPT)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def transcript(project: Project) -> Path:
    """The transcript of the attempt that goes on, once something stands in it."""

    def found() -> list[Path]:
        return [path for path in (project.root / ".git").rglob("transcript.log") if path.stat().st_size]

    until(lambda: bool(found()), "the transcript")
    return found()[0]


def go(project: Project) -> None:
    (project.root.parent / "go").touch()


def looking_on(project: Project, terminal: Terminal) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    return terminal.running(project.command("watch"), project.root, project.environment(TERM="xterm", CI=""))


def test_where_no_run_goes_on(project: Project) -> None:
    def told() -> tuple[int, str, str]:
        done = project("watch")
        return done.code, done.out, done.err

    assert told() == (1, "", "no run is going on here\n")
    go(project)
    assert project.run().code == 0
    assert told() == (1, "", "no run is going on here\n")


def test_on_a_terminal_it_is_the_board(project: Project, terminal: Terminal) -> None:
    with started(project, "run") as run:
        transcript(project)
        with terminal.running(
            project.command("watch"), project.root, project.environment(TERM="xterm", CI="")
        ) as watch:
            terminal.shows(lambda: any("says looking around" in row for row in terminal.board), "what was said before")
            assert any(row.startswith("▶ US-001 Title of US-001") for row in terminal.board)
            assert any("[1/23] US-001 · attempt 1/3" in row for row in terminal.board)
            terminal.resize(40, 12)
            terminal.shows(lambda: any(len(row) <= 40 and row.startswith("[1/23]") for row in terminal.board), "40×12")
            go(project)
            assert run.wait() == 0
            terminal.shows(lambda: "branch: " in terminal.main, "the summary")
            assert watch.wait() == 0
    assert "✓ US-001 Title of US-001 · passed" in terminal.main
    assert terminal.is_whole


def test_off_a_terminal_it_is_lines(project: Project) -> None:
    with started(project, "run") as run:
        transcript(project)
        with started(project, "watch") as watch:
            assert watch.stdout
            assert watch.stdout.readline() == "Test · prd.json · 1 of 1 stories open\n"
            go(project)
            told = watch.stdout.read()
            assert (watch.wait(), run.wait()) == (0, 0)
    assert "[1/23] US-001 Title of US-001 · attempt 1/3\n" in told
    assert "stopped: complete · exit 0\n" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_leaves_does_not_end_the_run(project: Project, terminal: Terminal, number: int) -> None:
    with started(project, "run") as run:
        transcript(project)
        before = sorted((project.root / ".git" / "prd-ralph").rglob("*"))
        with terminal.running(
            project.command("watch"), project.root, project.environment(TERM="xterm", CI="")
        ) as watch:
            terminal.shows(lambda: any("looking around" in row for row in terminal.board), "the board")
            if number == signal.SIGINT:
                terminal.type(b"\x03")
            else:
                os.kill(watch.pid, number)
            assert watch.wait() == -number
            terminal.read()
            assert terminal.is_whole
        assert sorted((project.root / ".git" / "prd-ralph").rglob("*")) == before
        assert run.poll() is None
        go(project)
        assert run.wait() == 0


def test_a_run_that_is_killed_is_told(project: Project) -> None:
    with started(project, "run") as run:
        transcript(project)
        with started(project, "watch") as watch:
            assert watch.stdout and watch.stderr
            assert watch.stdout.readline()
            end(run)
            assert watch.wait() == 1
            assert "gone without a word" in watch.stderr.read()


def test_a_reader_that_has_seen_enough_ends_it(project: Project) -> None:
    with started(project, "run") as run:
        transcript(project)
        with started(project, "watch") as watch:
            assert watch.stdout
            assert watch.stdout.readline()
            watch.stdout.close()
            assert watch.wait() == 0
        go(project)
        assert run.wait() == 0
