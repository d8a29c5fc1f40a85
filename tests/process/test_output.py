"""What a process prints, however much: all of it counted, the ends of it kept."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.masking import Mask
from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.ports import OnOutput
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.process.output import CappedLog, Tail

from .conftest import INTERPRETER, Run, request

SECRET = "tok-1234-abcd"

FLOOD = """
import os, resource, sys
from pathlib import Path
from prd_ralph.masking import Mask
from prd_ralph.ports import OnOutput, ProcessRequest
from prd_ralph.ports import OnOutput
from prd_ralph.process import StopSignals, SupervisedProcesses
with SupervisedProcesses(StopSignals(), mask=Mask.of(os.environ)) as processes:
    def run(line):
        request = ProcessRequest(("bash", "-c", line), Path.cwd(), dict(os.environ), log=Path("log"), wall_s=60)
        return processes.run(request), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = run("echo")[1]
    result, after = run("head -c 200000000 /dev/zero")
print(result.end.value, result.stdout_bytes, len(result.stdout), (after - before) // 1024)
"""


def test_both_streams_are_one_in_the_order_written(sh: Run, tmp_path: Path) -> None:
    result = sh("for n in 1 2 3; do echo out $n; echo err $n >&2; done", log=tmp_path / "log")
    said = b"".join(b"out %d\nerr %d\n" % (n, n) for n in (1, 2, 3))
    assert (result.stdout, result.stderr, result.stdout_bytes) == (said, b"", len(said))
    assert (tmp_path / "log").read_bytes() == said


def test_separate_streams_stay_apart(sh: Run, tmp_path: Path) -> None:
    heard: list[bytes] = []
    result = sh(
        "echo out; echo err >&2",
        separate=True,
        log=tmp_path / "out",
        stderr_log=tmp_path / "err",
        on_output=heard.append,
    )
    assert (result.stdout, result.stderr, result.stdout_bytes) == (b"out\n", b"err\n", 4)
    assert ((tmp_path / "out").read_bytes(), (tmp_path / "err").read_bytes()) == (b"out\n", b"err\n")
    assert b"".join(heard) == b"out\n"


def test_the_log_is_the_owners_alone(sh: Run, tmp_path: Path) -> None:
    sh("echo", log=tmp_path / "log")
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_log_past_its_cap_holds_both_ends_and_says_what_is_left_out(sh: Run, tmp_path: Path) -> None:
    sh("echo first; head -c 100000 /dev/zero | tr '\\0' x; echo last", log=tmp_path / "log", log_limit=4000)
    data = (tmp_path / "log").read_bytes()
    assert data.startswith(b"first\nxxx")
    assert data.endswith(b"xxxlast\n")
    assert len(data) <= 4000
    left_out = int(data.split("… ".encode())[1].split()[0])
    assert left_out == 100_011 - (len(data) - len(f"\n… {left_out} bytes left out …\n".encode()))


def test_a_flood_in_one_line_does_not_grow_memory(place: Path) -> None:
    command = [sys.executable, "-c", FLOOD]
    said = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout
    end, written, kept, grown = said.split()
    assert (end, int(written), int(kept)) == ("exited", 200_000_000, 64 << 10)
    assert int(grown) < 16
    assert (place / "log").stat().st_size <= 32 << 20


def test_closing_its_output_is_not_its_end(sh: Run) -> None:
    result = sh("echo hi; exec >&- 2>&-; sleep 0.3; exit 4")
    assert (result.end, result.exit_code, result.stdout) == (ProcessEnd.EXITED, 4, b"hi\n")


@pytest.mark.skipif(sys.platform != "linux", reason="opens a pipe by /proc")
def test_a_writer_out_of_reach_does_not_hold_up_the_end(sh: Run) -> None:
    held: list[int] = []

    def hold(chunk: bytes) -> None:
        if not held:
            held.append(os.open(f"/proc/{int(chunk)}/fd/1", os.O_WRONLY))

    result = sh("echo $$; sleep 0.3", on_output=hold, wall_s=60)
    os.close(held[0])
    assert (result.end, result.exit_code) == (ProcessEnd.EXITED, 0)
    assert result.duration_s < 15


@pytest.mark.skipif(sys.platform != "linux", reason="opens a pipe by /proc")
def test_what_a_writer_out_of_reach_says_soon_after_the_end_is_heard(sh: Run) -> None:
    def speak(pipe: int) -> None:
        os.write(pipe, b"late\n")
        os.close(pipe)

    def hold(chunk: bytes) -> None:
        if chunk != b"late\n":
            threading.Timer(0.5, speak, [os.open(f"/proc/{int(chunk)}/fd/1", os.O_WRONLY)]).start()

    result = sh("echo $$; sleep 0.1", on_output=hold)
    assert result.stdout.endswith(b"\nlate\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_log_and_not_the_process(sh: Run) -> None:
    result = sh("head -c 1000000 /dev/zero", log=Path("/dev/full"))
    assert (result.end, result.exit_code, result.stdout_bytes) == (ProcessEnd.EXITED, 0, 1_000_000)
    assert result.disk_full
    assert result.error == "cannot write /dev/full: No space left on device"


def test_a_log_that_cannot_be_written_is_said_and_is_no_full_disk(sh: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for log in (tmp_path / "absent" / "log", tmp_path / "link"):
        result = sh("echo hi", log=log)
        assert (result.ok, result.stdout, result.disk_full) == (True, b"hi\n", False)
        assert result.error.startswith(f"cannot write {log}: ")
    assert (tmp_path / "elsewhere").read_text() == "kept"


def test_a_consumer_that_raises_ends_the_process(sh: Run, place: Path) -> None:
    def choke(_chunk: bytes) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        sh("echo hi; setsid sleep 600 & sleep 600", on_output=choke)
    assert sh("echo again").stdout == b"again\n"


@pytest.fixture
def masked(stop: StopSignals, place: Path) -> Iterator[Run]:
    """Runs a shell line, by a port for which a value is secret."""
    with SupervisedProcesses(stop, INTERPRETER, Mask.of({"A_TOKEN": SECRET})) as port:

        def run(line: str, on_output: OnOutput | None = None, **options: Any) -> ProcessResult:
            return port.run(request("bash", "-c", line, cwd=place, **options), on_output)

        yield run


def test_what_is_logged_is_masked_for_all_who_read_it(masked: Run, place: Path) -> None:
    heard: list[bytes] = []
    line = f"printf tok-12; printf '%s ' 34-abcd; printf {SECRET}; echo {SECRET} >&2"
    for separate in (True, False):
        result = masked(line, heard.append, log=place / "log", stderr_log=place / "err", separate=separate)
        assert SECRET.encode() not in result.stdout + result.stderr + (place / "log").read_bytes()
        assert result.stdout.startswith(b"*** ***")
        assert result.stdout_bytes == 2 * len(SECRET) + 1 + (0 if separate else len(SECRET) + 1)
    assert (place / "err").read_bytes() == b"***\n"
    assert b"".join(heard) == b"*** ****** ******\n"


def test_what_is_not_logged_is_data_and_stays_as_it_is(masked: Run) -> None:
    assert masked(f"echo {SECRET}").stdout == f"{SECRET}\n".encode()


def test_a_line_is_heard_before_the_next_one_begins(masked: Run, place: Path) -> None:
    """The process goes on only when its first line was heard."""
    os.mkfifo(place / "fifo")

    def answer(chunk: bytes) -> None:
        if chunk == b"first ***\n":
            (place / "fifo").write_bytes(b"go\n")

    result = masked(f"echo first {SECRET}; printf unfinished; cat fifo", answer, log=place / "log", wall_s=20)
    assert (result.end, result.stdout) == (ProcessEnd.EXITED, b"first ***\nunfinishedgo\n")


def test_what_a_consumer_did_not_want_to_hear_is_logged_masked(masked: Run, place: Path) -> None:
    def choke(_chunk: bytes) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        masked(f"printf 'hi\n{SECRET}'; sleep 600", choke, log=place / "log")
    assert (place / "log").read_bytes() in (b"hi\n", b"hi\n***")


@given(st.lists(st.binary(max_size=40)), st.integers(0, 50))
def test_a_tail_is_the_end_of_all(chunks: list[bytes], limit: int) -> None:
    tail = Tail(limit)
    for chunk in chunks:
        tail.add(chunk)
    everything = b"".join(chunks)
    assert tail.read() == everything[max(0, len(everything) - limit) :]
    assert tail.total == len(everything)


@given(chunks=st.lists(st.binary(max_size=300), max_size=12), limit=st.integers(200, 2000))
def test_a_log_is_all_or_its_two_ends(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes], limit: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "log"
    log = CappedLog(path, limit)
    for chunk in chunks:
        log.add(chunk)
    log.close()
    everything, data = b"".join(chunks), path.read_bytes()
    assert len(data) <= limit
    if data != everything:
        head, _, tail = data.partition("\n… ".encode())
        assert everything.startswith(head)
        assert everything.endswith(tail.partition(" bytes left out …\n".encode())[2])
