"""The terminal's other screen: entered once, left once, and never waited for without end."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from prd_ralph.console.screen import Screen
from prd_ralph.console.suspension import Suspension
from tests.support.terminal import ENTER, LEAVE, Terminal


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal(40, 5)
    yield terminal
    terminal.close()


def test_only_what_is_new_is_painted_unless_all_is_asked_for(terminal: Terminal) -> None:
    screen = Screen(terminal.slave)
    screen.leave()
    assert screen.size() == (40, 5)
    screen.paint(["one", "two", "three"], (40, 5))
    terminal.read()
    assert terminal.board == ["one", "two", "three", "", ""]
    before = len(terminal.raw)
    screen.paint(["one", "TWO"], (40, 5))
    screen.paint(["one", "TWO"], (40, 5))
    terminal.read()
    assert terminal.board == ["one", "TWO", "", "", ""]
    assert b"one" not in terminal.raw[before:]
    screen.paint(["one", "TWO"], (40, 5), whole=True)
    terminal.read()
    assert b"one" in terminal.raw[before:]
    screen.leave()
    screen.leave()
    terminal.read()
    assert (terminal.raw.count(ENTER), terminal.raw.count(LEAVE)) == (1, 1)
    assert terminal.is_whole


def test_a_row_that_is_too_long_stays_on_its_line(terminal: Terminal) -> None:
    Screen(terminal.slave).paint(["x" * 100, "two"], (40, 5))
    terminal.read()
    assert terminal.board == ["x" * 40, "two", "", "", ""]


def test_a_terminal_without_a_size_is_80_by_24(terminal: Terminal) -> None:
    terminal.resize(0, 0)
    assert Screen(terminal.slave).size() == (80, 24)


def test_a_terminal_that_takes_no_more_is_given_up(terminal: Terminal) -> None:
    os.set_blocking(terminal.slave, False)
    with pytest.raises(OSError, match="takes no more"):
        Screen(terminal.slave).paint(["x" * 1_000_000], (40, 5))


def test_ctrl_z_is_left_alone_where_it_is_not_ours_to_take() -> None:
    def begin() -> None:
        suspension = Suspension(lambda number: None)
        suspension.begin()
        suspension.end()

    before = signal.getsignal(signal.SIGTSTP)
    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTSTP) is before
    try:
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)
        begin()
        assert signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTSTP, before)
