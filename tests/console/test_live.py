"""The board on a real terminal: what stands on it, and what is left when it is over."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from prd_ralph import events
from prd_ralph.console import ConsoleLines, Verbosity, View, takes_board, view
from prd_ralph.console.live import FRAME_S, LiveBoard
from prd_ralph.model import ActionKind, AgentAction, Tokens
from tests.console.happened import RUN, agent_finished, check, iteration, judged, landed, run_finished, run_started
from tests.console.test_board_state import AGENT, STORIES
from tests.support.terminal import ENTER, Terminal
from tests.support.waiting import until

ENV = {"TERM": "xterm-256color"}


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.close()


@pytest.fixture
def board(terminal: Terminal) -> Iterator[View]:
    with os.fdopen(terminal.slave, "w", encoding="utf-8", closefd=False) as stream:
        board = view(stream, ENV, RUN)
        assert isinstance(board, LiveBoard)
        yield board
        board.close()


def begin(board: View, terminal: Terminal) -> None:
    for event in (run_started(stories=STORIES), iteration(), AGENT):
        board.emit(event)
    terminal.shows(lambda: terminal.board[6].startswith("[1/26] US-001"), "the board")


def has_board(terminal: Terminal) -> bool:
    return any("[1/26]" in row for row in terminal.board)


def test_a_run_from_its_start_to_its_end(board: View, terminal: Terminal) -> None:
    board.emit(events.Warned(message="before"))
    begin(board, terminal)
    assert terminal.is_on_board
    assert terminal.main.startswith("warning: before\nTaskFlow · prd.json · 2 of 3 stories open\n")
    board.action(AgentAction(ActionKind.SAYS, "I \x1b[2J read"))
    terminal.shows(lambda: "says I read" in terminal.board[7], "what the agent says")
    for event in (agent_finished(cost_usd=0.5), check(), judged(warnings=("odd",)), landed()):
        board.emit(event)
    terminal.shows(lambda: any("passed · 15s · 123456789" in row for row in terminal.board), "the verdict")
    assert any(row.startswith("✓ US-001 One") for row in terminal.board)
    board.emit(events.Warned(message="odd", story="US-001"))
    board.emit(run_finished())
    terminal.read()
    assert terminal.is_whole
    after = terminal.main.split("idle off\n")[1]
    assert after.startswith("warning: US-001: odd\n\nstopped: complete · exit 0\n3 of 3 stories passed")
    assert terminal.main.count("odd") == 1
    assert after.endswith("next: git log --stat abcdef012..HEAD")


def test_a_terminal_of_another_size_is_followed(board: View, terminal: Terminal) -> None:
    begin(board, terminal)
    board.action(AgentAction(ActionKind.SAYS, "x", Tokens(10, 2)))
    for columns, rows in ((200, 50), (40, 12), (20, 4), (80, 24)):
        terminal.resize(columns, rows)

        def is_followed(columns: int = columns, last: str = "10 tokens in · 2 out" if rows > 4 else "says x") -> bool:
            headings = [row for row in terminal.board if "[1/26] US-001" in row]
            return [len(heading) for heading in headings] == [columns] and terminal.board[-1] == last

        terminal.shows(is_followed, f"one heading as wide as {columns}, and the last row")
        assert len(terminal.board) == rows


def test_what_was_typed_is_painted_over(board: View, terminal: Terminal) -> None:
    begin(board, terminal)
    terminal.type(b"ls\r\r\r\r")
    terminal.shows(lambda: not terminal.board[0].startswith("TaskFlow"), "the echo")
    terminal.shows(
        lambda: terminal.board[0].startswith("TaskFlow") and "[1/26]" in terminal.board[6], "the board again"
    )


def test_the_warnings_that_are_told_at_the_end_are_bounded(board: View, terminal: Terminal) -> None:
    begin(board, terminal)
    for number in range(100):
        board.emit(events.Warned(message=f"odd {number}"))
    board.close()
    board.close()
    terminal.read()
    told = terminal.main.split("idle off\n")[1].splitlines()
    assert told[0] == "warning: 50 warnings before these: in the ledger"
    assert told[1:] == [f"warning: odd {number}" for number in range(50, 100)]


def test_a_flood_of_actions_is_a_matter_of_pictures_not_of_lines(board: View, terminal: Terminal) -> None:
    begin(board, terminal)
    before = len(terminal.raw)
    for number in range(100_000):
        board.action(AgentAction(ActionKind.GETS, f"line {number}"))
    terminal.shows(lambda: any("line 99999" in row for row in terminal.board), "the last line")
    assert len(terminal.raw) - before < 1_000_000


def test_a_run_that_ends_at_once_never_takes_the_screen(board: View, terminal: Terminal) -> None:
    board.emit(run_started())
    board.emit(run_finished())
    terminal.read()
    assert "\nstopped: complete" in terminal.main
    assert terminal.is_whole


def test_without_a_run_there_is_no_board(board: View, terminal: Terminal) -> None:
    board.action(AgentAction(ActionKind.SAYS, "x"))
    board.close()
    terminal.read()
    assert terminal.raw == b""


def test_a_terminal_that_goes_away_ends_the_board_and_not_the_run() -> None:
    terminal = Terminal()
    before = threading.active_count()
    with os.fdopen(terminal.slave, "w", encoding="utf-8") as stream:
        board = view(stream, ENV, RUN)
        begin(board, terminal)
        terminal.close()
        until(lambda: threading.active_count() == before, "the end of the board")
        for event in (check(), judged(), landed(), run_finished()):
            board.emit(event)
        board.close()


def test_no_colour_where_none_is_wanted(terminal: Terminal) -> None:
    with os.fdopen(terminal.slave, "w", encoding="utf-8", closefd=False) as stream:
        board = view(stream, {**ENV, "NO_COLOR": "1"}, RUN)
        begin(board, terminal)
        board.emit(check())
        terminal.shows(lambda: any("✓ npm test" in row for row in terminal.board), "the check")
        board.close()
        terminal.read()
    colours = {f"\x1b[{before}{number}m".encode() for before in ("", "1;", "2;") for number in range(30, 38)}
    assert not [colour for colour in colours if colour in terminal.raw]
    assert terminal.is_whole


def test_where_there_is_no_board(terminal: Terminal, tmp_path: Path) -> None:
    def board_on(stream: object, env: dict[str, str] | None = None) -> bool:
        return takes_board(stream, ENV if env is None else env)  # type: ignore[arg-type]

    with os.fdopen(terminal.slave, "w", encoding="utf-8", closefd=False) as stream:
        assert board_on(stream)
        for env in ({}, {"TERM": ""}, {"TERM": "dumb"}, {**ENV, "CI": "true"}):
            assert not board_on(stream, env)
        for verbosity in (Verbosity.QUIET, Verbosity.VERBOSE):
            assert isinstance(view(stream, ENV, RUN, verbosity), ConsoleLines)
    with os.fdopen(terminal.slave, "w", encoding="latin-1", closefd=False) as stream:
        assert not board_on(stream)
    with (tmp_path / "file").open("w", encoding="utf-8") as stream:
        assert not board_on(stream)


SUSPENDED = """
import sys
from prd_ralph.console import view
from tests.console.happened import iteration, run_finished, run_started
board = view(sys.stderr, {"TERM": "xterm"}, "r")
board.emit(run_started())
board.emit(iteration())
sys.stdin.readline()
board.emit(run_finished())
"""


IN_BACK = 'set -m; "$0" -c "$1" & read line; fg >/dev/null; echo "ended $?"'
JOB = 'set -m; "$0" -c "$1"; echo stopped; read line; fg >/dev/null; echo "ended $?"'


def test_ctrl_z_gives_the_screen_back_and_fg_takes_it_again(terminal: Terminal) -> None:
    root = Path(__file__).parents[2]
    with terminal.running(["bash", "-c", JOB, sys.executable, SUSPENDED], root, dict(os.environ)):
        terminal.shows(lambda: has_board(terminal), "the board")
        terminal.type(b"\x1a")
        terminal.shows(lambda: "stopped" in terminal.main, "the stop")
        assert terminal.is_whole
        terminal.type(b"\n")
        terminal.shows(lambda: terminal.is_on_board, "the board again")
        terminal.type(b"\n")
        terminal.shows(lambda: terminal.main.endswith("ended 0"), "the end")
        assert "stopped: complete" in terminal.main
        assert terminal.is_whole


def test_in_the_background_the_screen_is_the_shells(terminal: Terminal) -> None:
    root = Path(__file__).parents[2]
    program = SUSPENDED.replace("sys.stdin", f"time.sleep({4 * FRAME_S}); print('some frames later'); sys.stdin")
    with terminal.running(["bash", "-c", IN_BACK, sys.executable, f"import time{program}"], root, dict(os.environ)):
        terminal.shows(lambda: "some frames later" in terminal.main, "some time in which nothing is drawn")
        assert ENTER not in terminal.raw
        terminal.type(b"\n")
        terminal.shows(lambda: terminal.is_on_board, "the board, once it is in front")
        terminal.type(b"\n")
        terminal.shows(lambda: terminal.main.endswith("ended 0"), "the end")
        assert terminal.is_whole


def test_ctrl_backslash_gives_the_screen_back(terminal: Terminal) -> None:
    root = Path(__file__).parents[2]
    job = 'ulimit -c 0; "$0" -c "$1"; echo "ended $?"'
    with terminal.running(["bash", "-c", f"trap : QUIT; {job}", sys.executable, SUSPENDED], root, dict(os.environ)):
        terminal.shows(lambda: has_board(terminal), "the board")
        terminal.type(b"\x1c")
        terminal.shows(lambda: terminal.main.endswith("ended 131"), "the end")
        assert terminal.is_whole
