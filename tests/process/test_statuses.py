"""A red command must stay red, whatever was inherited."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from prd_ralph.model import ProcessEnd

from .conftest import Run

TOOL = """
import os, sys
from pathlib import Path
from prd_ralph.ports import ProcessRequest
from prd_ralph.process import StopSignals, SupervisedProcesses
with SupervisedProcesses(StopSignals()) as processes:
    result = processes.run(ProcessRequest(tuple(sys.argv[1:]), Path.cwd(), dict(os.environ), wall_s=20))
print(result.exit_code, result.stdout.decode().strip())
"""
DISPOSITIONS = "grep -E 'Sig(Blk|Ign)' /proc/self/status"


def tool(line: str, *arguments: str, cwd: Path) -> str:
    """What a prd-ralph started by the shell line `line` (its `"$@"`) makes of a command."""
    command = ["bash", "-c", line, "bash", sys.executable, "-c", TOOL, *arguments]
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("code", [0, 1, 2, 127, 255])
def test_exit_codes_are_told_as_they_are(sh: Run, code: int) -> None:
    result = sh(f"exit {code}")
    assert (result.end, result.exit_code, result.ok) == (ProcessEnd.EXITED, code, code == 0)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_signal_is_a_negative_code(sh: Run, number: int) -> None:
    result = sh(f"ulimit -c 0; kill -{number} $$")
    assert (result.end, result.exit_code, result.ok) == (ProcessEnd.EXITED, -number, False)


def test_one_supervisor_serves_many_requests_one_after_another(sh: Run) -> None:
    seen = [sh("echo $PPID") for _ in range(3)]
    assert len({result.stdout for result in seen}) == 1
    assert sh("echo $PPID", sweep=False).stdout != seen[0].stdout


def test_an_ignored_sigchld_that_was_inherited_does_not_make_red_green(place: Path) -> None:
    said = tool(
        f"exec {sys.executable} -c 'import os, signal, sys; "
        'signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])\' "$@"',
        sys.executable,
        "-c",
        "import subprocess, sys; sys.exit(subprocess.run(['false']).returncode)",
        cwd=place,
    )
    assert said.strip() == "1"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_blocked_and_ignored_signals_are_not_inherited(place: Path) -> None:
    said = tool(
        f"trap '' HUP INT TERM USR1 PIPE; exec {sys.executable} -c 'import os, signal, sys; "
        'signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); os.execv(sys.argv[1], sys.argv[1:])\' "$@"',
        "bash",
        "-c",
        DISPOSITIONS,
        cwd=place,
    )
    code, *fields = said.split()
    assert code == "0"
    # 32 and 33 are the C library's own, and ignored by its posix_spawn.
    assert {int(value, 16) & 0x7FFFFFFF for value in fields[1::2]} == {0}


def test_the_process_has_a_session_of_its_own_and_no_terminal(sh: Run) -> None:
    result = sh("ps -o sid= -p $$; echo $$; (: < /dev/tty) 2> /dev/null || echo no tty")
    session, pid, tty = result.stdout.decode().split(maxsplit=2)
    assert session == pid
    assert tty.strip() == "no tty"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_prd_ralph_was_started_with_is_not_open_to_the_process(place: Path) -> None:
    said = tool(
        'exec 7< /dev/null; exec "$@"', "bash", "-c", "[ -e /proc/$$/fd/1 ] && [ ! -e /proc/$$/fd/7 ]", cwd=place
    )
    assert said.strip() == "0"


def test_environment_and_arguments_that_are_no_utf8_arrive_as_they_are(python: Run) -> None:
    odd = os.fsdecode(b"caf\xe9")
    result = python(
        "import os, sys; os.write(1, os.fsencode(sys.argv[1]) + b' ' + os.environb[b'NAM\\xe9'])",
        odd,
        env={os.fsdecode(b"NAM\xe9"): os.fsdecode(b"v\xff=\xe2\x98\x83"), "LC_ALL": "C"},
    )
    assert result.stdout == b"caf\xe9 v\xff=\xe2\x98\x83"


def test_the_environment_is_the_one_given_and_nothing_else(run: Run) -> None:
    assert run("/usr/bin/env", env={"ONE": "1"}).stdout == b"ONE=1\n"


def test_a_relative_folder_is_the_one_seen_from_here(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.parent)
    assert run("pwd", cwd=Path(place.name)).stdout.decode().strip() == str(place.resolve())
