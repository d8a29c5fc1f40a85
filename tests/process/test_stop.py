"""The person's signals: the first asks, the second insists; a landing is finished first."""

import threading
from collections.abc import Callable
from pathlib import Path

from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.process import StopSignals, SupervisedProcesses

from .conftest import Run, inhabitants, pid_in, request

STUBBORN = "trap '' TERM INT; echo up; while :; do sleep 0.05; done"


def signalled(stop: StopSignals, *numbers: int) -> Callable[[bytes], None]:
    """Sends signals with the first output."""

    def hear(_chunk: bytes) -> None:
        while stop.count < len(numbers):
            stop.record(numbers[stop.count])

    return hear


def test_the_first_signal_ends_it_gently(sh: Run, stop: StopSignals) -> None:
    result = sh(
        "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done",
        separate=True,
        on_output=signalled(stop, 2),
    )
    assert (result.end, result.exit_code, result.stdout) == (ProcessEnd.STOPPED, 0, b"up\nbye\n")
    assert not result.ok
    assert (stop.signal, stop.count) == (2, 1)


def test_the_second_signal_ends_a_long_grace(sh: Run, stop: StopSignals, place: Path) -> None:
    result = sh(STUBBORN, grace_s=600, on_output=signalled(stop, 2, 2))
    assert (result.end, result.exit_code) == (ProcessEnd.STOPPED, -9)
    assert inhabitants(place) == []


def test_the_second_signal_ends_what_is_left_behind_at_once(sh: Run, stop: StopSignals, place: Path) -> None:
    result = sh(f"({STUBBORN}) & echo $! > pid; exit 0", on_output=signalled(stop, 15, 15))
    assert result.swept >= 1
    assert inhabitants(place) == []


def test_who_reads_the_output_can_have_seen_enough(sh: Run, place: Path) -> None:
    """Once is enough: what it says while it ends is heard, and changes nothing."""
    heard: list[bytes] = []

    def hear(chunk: bytes) -> bool:
        heard.append(chunk)
        return b"enough" in chunk

    wait = "while :; do sleep 0.01; done"
    line = f"trap 'echo enough; exit 3' TERM; (sleep 600) & echo one; sleep 0.1; echo enough; {wait}"
    result = sh(line, separate=True, on_output=hear)
    assert (result.end, result.exit_code) == (ProcessEnd.CUT, 3)
    assert b"".join(heard) == b"one\nenough\nenough\n"
    assert inhabitants(place) == []


def test_a_signal_while_a_limit_ends_it_does_not_change_why(sh: Run, stop: StopSignals) -> None:
    line = "trap 'echo told; sleep 0.1; exit 7' TERM; while :; do sleep 0.01; done"
    result = sh(line, wall_s=0.6, separate=True, on_output=signalled(stop, 2))
    assert (result.end, result.exit_code, stop.count) == (ProcessEnd.WALL, 7, 1)


def test_after_a_signal_nothing_is_started(sh: Run, stop: StopSignals, place: Path) -> None:
    stop.record(15)
    assert sh("touch started").end is ProcessEnd.STOPPED
    assert not (place / "started").exists()


def test_the_first_signal_is_kept_from_a_shielded_process(sh: Run, stop: StopSignals) -> None:
    result = sh("echo up; sleep 0.3; echo landed", shielded=True, on_output=signalled(stop, 2))
    assert (result.end, result.exit_code, result.stdout) == (ProcessEnd.EXITED, 0, b"up\nlanded\n")
    assert sh("echo landed", shielded=True).ok


def test_the_second_signal_ends_a_shielded_process(sh: Run, stop: StopSignals, place: Path) -> None:
    result = sh(STUBBORN, shielded=True, on_output=signalled(stop, 2, 2))
    assert (result.end, result.exit_code) == (ProcessEnd.STOPPED, -9)
    assert sh("touch started", shielded=True).end is ProcessEnd.STOPPED
    assert not (place / "started").exists()


def test_one_signal_ends_the_processes_of_all_threads(
    processes: SupervisedProcesses, stop: StopSignals, place: Path
) -> None:
    ends: list[ProcessResult] = []

    def work(name: str) -> None:
        ends.append(processes.run(request("bash", "-c", f"echo $$ > {name}; exec sleep 600", cwd=place)))

    threads = [threading.Thread(target=work, args=(f"pid{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for number in range(3):
        pid_in(place / f"pid{number}")
    stop.record(2)
    for thread in threads:
        thread.join(20)
    assert [result.end for result in ends] == [ProcessEnd.STOPPED] * 3
