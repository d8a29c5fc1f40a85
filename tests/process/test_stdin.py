"""What a process reads: a copy of its own."""

import sys
from pathlib import Path

import pytest

from .conftest import Run

PROMPT = ("Ünïcode ☃ `touch pwned` $(touch pwned)\n" * 50_000).encode() + b"\xff\x00end"
ECHO = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, open('copy', 'wb'))"


def test_without_input_there_is_nothing_to_read(run: Run) -> None:
    result = run("cat")
    assert (result.exit_code, result.stdout) == (0, b"")


@pytest.mark.parametrize("form", ["bytes", "file"])
def test_two_megabytes_arrive_byte_for_byte(python: Run, place: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / "prompt"
    file.write_bytes(PROMPT)
    assert len(PROMPT) > 2 << 20
    assert python(ECHO, stdin=PROMPT if form == "bytes" else file).ok
    assert (place / "copy").read_bytes() == PROMPT


@pytest.mark.skipif(sys.platform != "linux", reason="writes by /proc")
def test_a_child_that_writes_to_its_input_does_not_reach_the_original(sh: Run, tmp_path: Path) -> None:
    file = tmp_path / "prompt"
    file.write_bytes(b"the prompt")
    file.chmod(0o600)
    sh("echo changed > /proc/self/fd/0; echo changed > /dev/stdin; truncate -s 0 /proc/self/fd/0", stdin=file)
    assert file.read_bytes() == b"the prompt"


def test_who_does_not_read_is_not_waited_for(run: Run) -> None:
    assert run("true", stdin=PROMPT).ok
