"""A run on a terminal: the board while it goes on, and a whole terminal however it ends."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.support.project import Project, make_project, story
from tests.support.terminal import Terminal

PATIENT = "echo looking around; until test -e ../go; do sleep 0.02; done; echo went on"
DEAF = {"ignore-signals": True}


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


def make(folder: Path, *steps: Mapping[str, object]) -> Project:
    script = {"default": [*steps, {"run": PATIENT}, {"write": "a.txt", "text": ""}, {"cost": 0.25}]}
    return make_project(folder, [story("US-001", "test -f a.txt"), story("US-002", "true", skip=True)], script)


def running(
    project: Project, terminal: Terminal, *args: str, **env: str
) -> AbstractContextManager["subprocess.Popen[bytes]"]:
    settings = project.environment(**{"TERM": "xterm", "CI": "", **env})
    return terminal.running(project.command("run", *args), project.root, settings)


def says(terminal: Terminal, what: str) -> None:
    terminal.shows(lambda: any(what in row for row in terminal.board), what)


def test_from_its_start_to_its_summary(tmp_path: Path, terminal: Terminal) -> None:
    project = make(tmp_path)
    with running(project, terminal) as run:
        says(terminal, "says looking around")
        assert terminal.board[0].startswith("Test · prd.json · ")
        assert terminal.board[1].endswith(" 0 of 2 passed · 1 failing · 1 skipped")
        assert terminal.board[-1].endswith("Ctrl-C ends it, nothing is lost")
        for columns, rows in ((200, 50), (40, 12)):
            terminal.resize(columns, rows)
            terminal.shows(lambda size=columns: len(terminal.board[0]) == size, f"{columns} columns")  # type: ignore[misc]
            assert sum("[1/23]" in row for row in terminal.board) == 1
        terminal.resize(80, 24)
        (tmp_path / "go").touch()
        assert run.wait() == 0
    terminal.read()
    assert terminal.is_whole
    assert terminal.main.startswith("Test · prd.json · 1 of 2 stories open\n")
    assert "\n\nstopped: complete · exit 0\n1 of 2 stories passed" in terminal.main
    assert "looking around" not in terminal.main


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_leaves_the_terminal_whole(tmp_path: Path, terminal: Terminal, number: signal.Signals) -> None:
    with running(make(tmp_path), terminal) as run:
        says(terminal, "says looking around")
        if number == signal.SIGINT:
            terminal.type(b"\x03")
        else:
            os.kill(run.pid, number)
        assert run.wait() == -number
    terminal.read()
    assert terminal.is_whole
    assert f"stopped: signal · exit {128 + number}\n" in terminal.main


def test_who_insists_gets_a_whole_terminal_too(tmp_path: Path, terminal: Terminal) -> None:
    with running(make(tmp_path, DEAF), terminal) as run:
        says(terminal, "says looking around")
        terminal.type(b"\x03")
        says(terminal, "ending, as asked; once more: at once")
        terminal.type(b"\x03")
        assert run.wait() == -signal.SIGINT
    terminal.read()
    assert terminal.is_whole
    assert "stopped: signal" in terminal.main, terminal.main


def test_a_run_that_is_refused_never_takes_the_screen(tmp_path: Path, terminal: Terminal) -> None:
    project = make(tmp_path)
    (project.root / "README.md").write_text("changed\n")
    with running(project, terminal) as run:
        assert run.wait() == 3
    terminal.read()
    assert terminal.main.startswith("error: ")
    assert b"\x1b[?1049h" not in terminal.raw
    assert terminal.is_whole


def test_what_ends_a_run_from_within_is_told_on_the_persons_screen(tmp_path: Path, terminal: Terminal) -> None:
    project = make(tmp_path)
    with running(project, terminal) as run:
        says(terminal, "says looking around")
        project.git("commit", "-q", "--allow-empty", "-m", "somebody else's")
        (tmp_path / "go").touch()
        assert run.wait() == 1
    terminal.read()
    assert terminal.is_whole
    assert "stopped: foreign_change" in terminal.main


@pytest.mark.parametrize(
    ("args", "env"),
    [(("-v",), {}), (("-q",), {}), (("--json",), {}), ((), {"CI": "true"}), ((), {"TERM": "dumb"})],
    ids=["-v", "-q", "json", "ci", "dumb"],
)
def test_where_lines_are_asked_for(
    tmp_path: Path, terminal: Terminal, args: tuple[str, ...], env: dict[str, str]
) -> None:
    (tmp_path / "go").touch()
    with running(make(tmp_path), terminal, *args, **env) as run:
        terminal.shows(lambda: "next: git log" in terminal.main, "the summary")
        assert run.wait() == 0
    assert b"\x1b[?1049h" not in terminal.raw
    assert ("  says  looking around" in terminal.main) == (args == ("-v",))
    assert ("[1/23] US-001" in terminal.main) == (args != ("-q",))
