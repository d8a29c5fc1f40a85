"""The ledger on real files: whole, torn, full of garbage, on a full disk."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from prd_ralph import events
from prd_ralph.errors import ExitCode, RalphError, cannot_write
from prd_ralph.events import RunStarted, Warned, as_line
from prd_ralph.ledger import Ledger, read, recall
from prd_ralph.model import AttemptKey, CheckStatus, Need, Outcome, Verdict

RUN = "20310301T080000Z-4f2a"


class FixedClock:
    def monotonic(self) -> float:
        return 0.0

    def now(self) -> str:
        return "2031-03-01T08:00:00Z"


def ledger(path: Path) -> Ledger:
    return Ledger(path, RUN, FixedClock())


def test_each_event_is_a_line_and_the_record_is_returned(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "x" / "events.jsonl"
    book = ledger(path)
    first, second = book.emit(Warned(message="one\ntwo")), book.emit(Warned(message="drei", story="US-é"))
    assert first == {
        "v": 1,
        "run": RUN,
        "seq": 1,
        "at": "2031-03-01T08:00:00Z",
        "kind": "warning",
        "message": "one\ntwo",
        "story": None,
    }
    assert second["seq"] == 2
    assert path.read_bytes() == f"{as_line(first)}\n{as_line(second)}\n".encode("ascii")
    assert read(path) == ([first, second], 0)
    assert path.stat().st_mode & 0o777 == 0o600


def test_values_of_every_kind_become_json(tmp_path: Path) -> None:
    event = RunStarted(
        prd="prd.json",
        project="p",
        branch=None,
        base="abc",
        agent="a",
        open=1,
        total=2,
        limits=MappingProxyType({"run_s": 5.0}),
        untracked=("\udcff.txt",),
    )
    book = ledger(tmp_path / "e")
    book.emit(event)
    (record,), _ = read(tmp_path / "e")
    assert (record["limits"], record["untracked"]) == ({"run_s": 5.0}, ["\udcff.txt"])
    assert json.loads(as_line({"path": Path("a/b")})) == {"path": "a/b"}


def test_a_restart_goes_on_counting(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    ledger(path).emit(Warned(message="a"))
    assert ledger(path).emit(Warned(message="b"))["seq"] == 2


@pytest.mark.parametrize("cut", [1, 10, 30])
def test_a_torn_last_line_is_ended_and_left_alone(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "events.jsonl"
    book = ledger(path)
    book.emit(Warned(message="a"))
    book.emit(Warned(message="b"))
    torn = path.read_bytes()[:-cut]
    path.write_bytes(torn)
    record = ledger(path).emit(Warned(message="c"))
    assert path.read_bytes() == torn + b"\n" + as_line(record).encode() + b"\n"
    records, bad = read(path)
    assert [entry["seq"] for entry in records] == ([1, 2, 3] if cut == 1 else [1, 2])
    assert bad == (0 if cut == 1 else 1)


def test_garbage_is_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    good = b'{"seq": 7, "kind": "judged", "run": "r", "at": "t"}'
    unlike = [b'{"seq": 7}', good.replace(b'"r"', b"5"), good.replace(b"}", b', "story": {}}')]
    path.write_bytes(b"\n".join([b"\0" * 50, good, b"", b"[1]", b"3", b"\xff\xfe", *unlike, b"[" * 99999]))
    path.write_bytes(path.read_bytes() + b"\n" + good.replace(b"7", b'"x"'))
    records, bad = read(path)
    assert [record["seq"] for record in records] == [7, "x"]
    assert bad == 8
    assert ledger(path).emit(Warned(message="a"))["seq"] == 8


def test_no_event_covers_what_every_line_says() -> None:
    kinds = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.RunEvent)]
    assert len(kinds) > 10
    for kind in kinds:
        assert {field.name for field in fields(kind)}.isdisjoint({"v", "run", "seq", "at", "kind"}), kind


def test_no_file_is_no_records(tmp_path: Path) -> None:
    assert read(tmp_path / "nothing") == ([], 0)


def test_a_deleted_folder_costs_history_only(tmp_path: Path) -> None:
    path = tmp_path / "run" / "events.jsonl"
    book = ledger(path)
    book.emit(Warned(message="a"))
    path.unlink()
    path.parent.rmdir()
    book.emit(Warned(message="b"))
    assert [record["seq"] for record in read(path)[0]] == [2]


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("target"))


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _circle(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [_fifo, _link, _device, _circle, Path.mkdir])
def test_what_is_no_file_of_its_own_is_neither_read_nor_written(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "events.jsonl"
    book = ledger(path)
    (tmp_path / "target").write_bytes(b"kept")
    make(path)
    assert read(path) == ([], 1)
    assert recall(path, AttemptKey("r", "US-1", 1)) is None
    for each in (book, ledger(path)):
        with pytest.raises(RalphError, match="cannot be written") as caught:
            each.emit(Warned(message="a"))
        assert caught.value.code is ExitCode.ENVIRONMENT
    assert (tmp_path / "target").read_bytes() == b"kept"
    path.rmdir() if make is Path.mkdir else path.unlink()
    assert book.emit(Warned(message="b"))["seq"] == 1


def test_a_fifo_with_a_reader_is_no_ledger_either(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    _fifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(RalphError, match="no regular file"):
            ledger(path).emit(Warned(message="a"))
        assert os.read(reader, 10) == b""
    finally:
        os.close(reader)


FILLS_UP = """
import resource, sys
from pathlib import Path
from prd_ralph.clock import SystemClock
from prd_ralph import events
from prd_ralph.errors import RalphError
from prd_ralph.events import Warned
from prd_ralph.ledger import Ledger
book = Ledger(Path(sys.argv[1]), "r", SystemClock())
book.emit(Warned(message="whole"))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
try:
    book.emit(Warned(message="x" * 500))
except RalphError as error:
    print(error, int(error.code))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
book.emit(Warned(message="after"))
"""


def test_a_line_cut_by_a_full_disk_spoils_no_later_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    done = subprocess.run([sys.executable, "-c", FILLS_UP, path], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("disk full: ")
    assert done.stdout.rstrip().endswith(" 3")
    records, bad = read(path)
    assert [(record["seq"], record["message"]) for record in records] == [(1, "whole"), (2, "after")]
    assert bad == 1


def test_another_failure_to_write_is_not_called_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    book = ledger(tmp_path / "run" / "events.jsonl")
    (tmp_path / "run").symlink_to(tmp_path / "file")
    with pytest.raises(RalphError, match="cannot be written") as caught:
        book.emit(Warned(message="a"))
    assert "disk full" not in str(caught.value)
    assert "disk full" in str(cannot_write("x", OSError(errno.EDQUOT, "quota")))


def test_what_was_found_out_of_an_attempt_is_recalled(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    of: dict[str, Any] = {"story": "US-1", "attempt": 2}
    for event in (
        events.CandidateFrozen(**of, tree="0", files=("old.py",)),
        events.CheckFinished(**of, **_check("make lint", "passed", 0)),
        events.CandidateFrozen(**of, tree="1", files=("a.py",)),
        events.CheckFinished(**of, **_check("make test", "failed", 2, "boom")),
        events.CheckFinished(story="US-2", attempt=2, **_check("make other", "failed", 1)),
        events.Judged(**of, outcome="failed", reason="tampered", charged=True, duration_s=1.0, warnings=("w",)),
    ):
        Ledger(path, "r1", FixedClock()).emit(event)
    found = recall(path, AttemptKey("r1", "US-1", 2))
    assert found is not None
    assert found.verdict == Verdict(Outcome.FAILED, "tampered", ("w",))
    assert [(each.check.text, each.status, each.exit_code, each.excerpt) for each in found.checks] == [
        ("make test", CheckStatus.FAILED, 2, "boom")
    ]
    assert found.files == ("a.py",)
    assert found.need is None


def test_what_an_agent_wanted_of_a_person_is_recalled(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for number, (what, text) in enumerate((("question", "Should I?"), ("stuck", "no key"), ("odd", "x")), 1):
        of: dict[str, Any] = {"story": "US-1", "attempt": number}
        for event in (
            events.CandidateFrozen(**of, tree="0", files=()),
            events.Asked(**of, what=what, text=text),
            events.Judged(**of, outcome="failed", reason="", charged=True, duration_s=1.0),
        ):
            Ledger(path, "r1", FixedClock()).emit(event)
    found = [recall(path, AttemptKey("r1", "US-1", number)) for number in (1, 2, 3)]
    assert [each.need if each else each for each in found] == [
        Need("question", "Should I?"),
        Need("stuck", "no key"),
        None,
    ]


ODD = '{"v":1,"run":"r1","seq":1,"at":"","kind":"judged","story":"US-1","attempt":2,"outcome":"odd"}'


@pytest.mark.parametrize("line", ["", ODD])
def test_a_ledger_that_tells_of_no_verdict_recalls_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(f"{line}\n")
    assert recall(path, AttemptKey("r1", "US-1", 2)) is None


def _check(command: str, status: str, code: int, excerpt: str = "") -> dict[str, Any]:
    return {
        "name": command,
        "command": command,
        "own": True,
        "status": status,
        "exit_code": code,
        "duration_s": 0.1,
        "suspect": "",
        "excerpt": excerpt,
    }
