"""Processes: a value in, a value out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prd_ralph.model import LINGER_S, ProcessResult


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """A process to be run to its end, with everything that it starts.

    `env` is the whole environment. `stdin` is given as a private copy (None: nothing to read).
    Both streams go to `log` in the order written (the result's `stderr` is then empty), unless `separate`:
    then stderr is the result's alone and, where given, `stderr_log`'s.
    Logs hold at most `log_limit` bytes, the result's tails at most `tail_limit`. Times in seconds.
    `idle_counts_cpu`: a tree that computes is not idle although it prints nothing.
    `sweep=False`: on a normal end, what was left behind may live on (git and its gpg-agent).
    `shielded`: the person's first signal is not passed on (a landing is finished first).
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: Path | bytes | None = None
    log: Path | None = None
    separate: bool = False
    stderr_log: Path | None = None
    wall_s: float | None = None
    idle_s: float | None = None
    idle_counts_cpu: bool = False
    grace_s: float = 5.0
    log_limit: int = 32 << 20
    tail_limit: int = 64 << 10
    sweep: bool = True
    shielded: bool = False


@dataclass(frozen=True, slots=True)
class Linger:
    """All is said: the process may stay for so many seconds, then it is ended, which is no failure of its own."""

    seconds: float


LINGER = Linger(LINGER_S)
"""What an agent has that has given its final result."""

OnOutput = Callable[[bytes], object]
"""Gets stdout as it comes. `True` ends the process: nothing more can come of it. A `Linger` ends it after a while,
counted from the first; any other answer to what comes later takes that back.
"""


class Processes(Protocol):
    """Starts processes, bounds them, and proves that nothing of them is left."""

    def run(self, request: ProcessRequest, on_output: OnOutput | None = None) -> ProcessResult:
        """Runs to the end; never raises for what the process does."""
        ...

    def end_marked(self, marks: frozenset[str]) -> int:
        """Ends every process whose `PRD_RALPH_ATTEMPT` names one of `marks`; how many there were."""
        ...
