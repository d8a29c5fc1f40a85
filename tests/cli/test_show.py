"""What `show` makes of a ledger that an agent has written to."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.project import make_project, story

SCRIPT = {"default": [{"write": "a.txt", "text": ""}]}
STEERING = "\x1b]0;title\x07\n::error::x"
ODD: tuple[Mapping[str, Any], ...] = (
    {"kind": "agent_finished", "duration_s": float("inf"), "end": [1], "exit_code": "x", "failure": {}},
    {"kind": "judged", "duration_s": float("nan"), "warnings": 5, "outcome": STEERING},
    {"kind": "tampered", "what": 5},
    {"kind": "candidate_frozen", "left_out": "abc"},
    {"kind": "check_finished", "name": STEERING, "status": STEERING, "exit_code": STEERING, "command": STEERING},
)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd["kind"])
def test_whatever_stands_in_a_ledger_is_shown_as_text(tmp_path: Path, odd: Mapping[str, Any]) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    run = project.run().of("run_started")[0]["run"]
    [ledger] = (project.root / ".git").rglob("events.jsonl")
    record = {"run": run, "at": "2026-01-01T00:00:00Z", "story": "US-001", "attempt": 9, **odd}
    with ledger.open("a") as file:
        file.write(json.dumps(record) + "\n")
    for options in ((), ("--checks",), ("--transcript",)):
        done = project("show", run, "US-001", "9", *options)
        assert done.code == 0, done.err
        assert "\x1b" not in done.out + done.err
        assert not any(line.startswith("::") for line in done.out.splitlines())


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
def test_what_is_no_transcript_is_not_followed(tmp_path: Path, make: Callable[[Path], object]) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], SCRIPT)
    project.run()
    [transcript] = (project.root / ".git").rglob("transcript.log")
    transcript.unlink()
    make(transcript)
    done = project("show", "--follow")
    assert (done.code, done.out) == (0, "")
