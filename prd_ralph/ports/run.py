"""The rest of the world, and all of it together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from prd_ralph.events import RunEvent
from prd_ralph.model import AgentAction, AttemptKey, AttemptRecord
from prd_ralph.ports.afterwards import Push, push_nowhere
from prd_ralph.ports.agents import Agents
from prd_ralph.ports.documents import Context, Memory, NoContext, PrdFile, Prompts
from prd_ralph.ports.processes import Processes
from prd_ralph.ports.workspace import Checkouts, Workspace

Emit = Callable[[RunEvent], None]


class Clock(Protocol):
    """Time, as it may be replaced in a test."""

    def monotonic(self) -> float:
        """Seconds that never go back and stand still while the machine sleeps."""
        ...

    def now(self) -> str:
        """UTC as `2031-03-01T08:00:00Z`."""
        ...


class Timer(Clock, Protocol):
    """A clock that waiting is done by."""

    def unix(self) -> float:
        """Unix time: goes on while the machine sleeps, and may be set."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits so long; less where a signal comes."""
        ...


class Stop(Protocol):
    """The signals that the person sent: the first asks, the second insists."""

    @property
    def signal(self) -> int | None:
        """The first signal's number, or None."""
        ...


class State(Protocol):
    """The run's folder under the common git directory. Nothing in it decides a verdict."""

    @property
    def run_id(self) -> str: ...

    def attempt_folder(self, key: AttemptKey) -> Path:
        """The attempt's folder, made if need be: prompt, transcript, check outputs."""
        ...

    def stop_requested(self) -> bool:
        """Whether `prd-ralph stop` has asked for an end after this iteration."""
        ...


def _ignore(what: object) -> None:
    """Nobody listens."""


def _as_it_is(text: str) -> str:
    """Nothing is secret."""
    return text


def _no_nonce() -> str:
    """No tag is to be believed."""
    return ""


def _forgotten(key: AttemptKey) -> AttemptRecord | None:
    """Nothing is remembered."""
    return None


@dataclass(frozen=True, slots=True)
class Ports:
    """All that the application is handed.

    `agent_env` and `check_env` are what prd-ralph was started with, less what the person keeps from either.
    `stage` is told each stage of an iteration that was reached (tests put a fault there), `watch` each thing an agent
    is seen to do. `recall` tells what was found out of an attempt of an earlier run, where that is known. `mask` takes
    secrets out of a text that is going to be kept or shown. `nonce` makes a word that nobody can have guessed, for one
    attempt; "" is none. `context` is what the person added for the next prompt. `push` pushes the run's branch.
    """

    processes: Processes
    workspace: Workspace
    checkouts: Checkouts
    agents: Agents
    prd_file: PrdFile
    prompts: Prompts
    memory: Memory
    state: State
    clock: Timer
    stop: Stop
    emit: Emit
    agent_env: Mapping[str, str] = field(default_factory=dict)
    check_env: Mapping[str, str] = field(default_factory=dict)
    stage: Callable[[str], None] = _ignore
    watch: Callable[[AgentAction], None] = _ignore
    recall: Callable[[AttemptKey], AttemptRecord | None] = _forgotten
    mask: Callable[[str], str] = _as_it_is
    nonce: Callable[[], str] = _no_nonce
    context: Context = field(default_factory=NoContext)
    push: Push = push_nowhere
