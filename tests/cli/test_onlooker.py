"""A run as its files tell it, whatever stands in them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prd_ralph import events
from prd_ralph.agents.transcript import reader
from prd_ralph.cli.onlooker import Onlooker
from prd_ralph.cli.tail import Tail
from prd_ralph.clock import SystemClock
from prd_ralph.events import RunEvent, as_line, as_record
from prd_ralph.model import AgentAction, AttemptKey
from prd_ralph.state import RunFolder, StateFolder

RUN = "20310301T080000Z-4f2a"
BEGUN = events.AgentStarted(story="US-001", attempt=1, agent="command x", model=None, prompt_bytes=1)


class Told:
    """A view that only listens."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.ago: list[float] = []

    def emit(self, event: RunEvent, ago_s: float = 0.0) -> None:
        self.heard.append(event.kind)
        self.ago.append(ago_s)

    def action(self, action: AgentAction) -> None:
        self.heard.append(action.text)

    def close(self) -> None:
        """Nothing was begun."""


class Watched:
    """A run's folder, and somebody who looks on."""

    def __init__(self, folder: Path) -> None:
        self.run = RunFolder(StateFolder(folder, SystemClock()), RUN)
        self.transcript = self.run.attempt_path(AttemptKey(RUN, "US-001", 1)) / "transcript.log"
        self.transcript.parent.mkdir(parents=True)
        self.told = Told()
        self.onlooker = Onlooker(self.run, self.told, reader)

    def append(self, *happened: RunEvent | bytes, at: str = "2031-03-01T08:00:00Z") -> None:
        with self.run.events.open("ab") as file:
            for each in happened:
                file.write(each if isinstance(each, bytes) else _line(each, at))

    def say(self, data: bytes) -> None:
        with self.transcript.open("ab") as file:
            file.write(data)

    def look(self) -> list[str]:
        """What is heard of this look."""
        self.told.heard.clear()
        self.onlooker.look()
        return list(self.told.heard)


def _line(event: RunEvent, at: str) -> bytes:
    return as_line(as_record(event, RUN, 1, at)).encode() + b"\n"


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def ended(**changes: Any) -> events.AgentFinished:
    values: dict[str, Any] = {
        "end": "exited",
        "exit_code": 0,
        "duration_s": 1.0,
        "failure": None,
        "cost_usd": None,
        "tokens_in": None,
        "tokens_out": None,
        "output_bytes": 1,
        "swept": 0,
        "stuck": (),
        "tail": "",
    }
    return events.AgentFinished(story="US-001", attempt=1, **(values | changes))


def test_what_an_agent_says_comes_before_its_end(watched: Watched) -> None:
    assert watched.look() == []
    watched.append(BEGUN)
    watched.say(b"one\ntw")
    assert watched.look() == ["agent_started", "one"]
    watched.say(b"o\nthree\n")
    watched.append(ended())
    assert watched.look() == ["two", "three", "agent_finished"]
    assert watched.look() == []


def test_what_was_over_before_is_not_told_again(watched: Watched) -> None:
    watched.say(b"one\n")
    watched.append(BEGUN, ended())
    assert watched.look() == ["agent_started", "agent_finished"]


def test_of_a_long_transcript_the_last_part_is_told_from_a_lines_beginning(watched: Watched) -> None:
    watched.say(b"x" * 100 + b"\n" + b"first\n" + b"y" * ((1 << 20) - 12) + b"\nlast\n")
    watched.append(BEGUN)
    heard = watched.look()
    assert heard[0] == "agent_started"
    assert heard[-1] == "last"
    assert not [text for text in heard if text.startswith(("x", "first"))]


def test_torn_lines_garbage_and_other_versions_are_passed_over(watched: Watched) -> None:
    whole = _line(events.Warned(message="odd"), "2031-03-01T08:00:00Z")
    watched.append(b"garbage\n[]\n{}\n\xff\n", whole[:20])
    assert watched.look() == []
    watched.append(whole[20:])
    assert watched.look() == ["warning"]
    record = json.loads(whole)
    odd = ({"kind": "unheard_of"}, {"message": 7}, {"message": None}, {"story": 3}, {"at": None})
    watched.append(*(json.dumps({**record, **change}).encode() + b"\n" for change in odd))
    assert watched.look() == []


def test_a_time_that_cannot_be_read_or_is_to_come_is_now(watched: Watched) -> None:
    for at in ("never", "2999-01-01T00:00:00Z", "0001-01-01T00:00:00Z"):
        watched.append(events.Warned(message=at), at=at)
    watched.look()
    assert watched.told.ago[:2] == [0.0, 0.0]
    assert watched.told.ago[2] > 0


def test_the_end_is_the_end(watched: Watched) -> None:
    finished = events.RunFinished(
        stop="complete",
        exit=0,
        reason="",
        total=0,
        passed=0,
        failing=0,
        blocked=0,
        skipped=0,
        iterations=0,
        duration_s=0.0,
        cost_usd=None,
        branch=None,
    )
    watched.append(finished, events.Warned(message="late"))
    assert watched.onlooker.look()
    assert watched.told.heard == ["run_finished"]


def _vanishes(path: Path) -> None:
    path.unlink()


def _becomes_a_link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def _becomes_a_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("happens", [_vanishes, _becomes_a_link, _becomes_a_fifo])
def test_a_file_that_is_none_any_more_has_nothing(tmp_path: Path, happens: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    tail = Tail(path)
    assert (tail.read(), tail.skip_to_last(1)) == (b"", False)
    path.write_bytes(b"one")
    assert (tail.read(), tail.read()) == (b"one", b"")
    happens(path)
    assert tail.read() == b""


def test_a_file_that_is_replaced_is_begun_anew(tmp_path: Path) -> None:
    path, new = tmp_path / "file", tmp_path / "new"
    tail = Tail(path)
    path.write_bytes(b"one")
    assert tail.read() == b"one"
    new.write_bytes(b"longer than that")
    new.replace(path)
    assert tail.read() == b"longer than that"
    path.write_bytes(b"short")
    assert tail.read() == b"short"
