"""What is done after a landing."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pushed:
    """How a command after a landing ended. `error`: why it failed, "" where it did not. Time in seconds."""

    command: str
    exit_code: int | None
    duration_s: float
    error: str = ""


Push = Callable[[str, float], Pushed]
"""Pushes a commit, as the run's branch, within so many seconds; never raises for what git says."""


def push_nowhere(commit: str, limit_s: float) -> Pushed:
    """Where nothing is to be pushed."""
    return Pushed("git push", None, 0.0, "nothing says where to push")
