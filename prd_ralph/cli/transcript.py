"""A transcript for a person: what the agent said and did, rendered from its stream, or the very bytes of it."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from prd_ralph.agents.lines import LineSplitter
from prd_ralph.agents.transcript import Reader, reader
from prd_ralph.cli.answer import answer_bytes, show_bytes
from prd_ralph.cli.following import growing
from prd_ralph.console import Output
from prd_ralph.console.actions import action_lines
from prd_ralph.model import AgentAction

TRANSCRIPT = "transcript.log"
Record = Mapping[str, Any]


def agent_of(records: Iterable[Record]) -> str:
    """The agent that an attempt was made with, as its records tell; "" where they do not."""
    return next((str(record.get("agent")) for record in records if record["kind"] == "agent_started"), "")


def has_ended(records: Iterable[Record]) -> bool:
    """Whether the attempt's agent prints no more."""
    return any(record["kind"] in ("agent_finished", "judged") for record in records)


def show_transcript(
    place: Path, agent: Callable[[], str], raw: bool, is_over: Callable[[], bool] | None = None
) -> None:
    """Prints the transcript in `place`, an attempt's folder. `is_over`: follow it until then.

    `agent` is asked once something is there: an attempt that is followed may be about to start its agent.
    """
    path = place / TRANSCRIPT
    if is_over is None and not path.is_file():
        typer.echo(f"not recorded, or deleted since: {path.name}", err=True)
        return
    out: Reader | None = None
    for chunk in growing(path, is_over or (lambda: True)):
        out = out or (_raw() if raw else reader(agent(), _shown(Output(sys.stdout, os.environ))))
        out.feed(chunk)
    if out is not None:
        out.close()
    errors = path.with_name(f"{TRANSCRIPT}.stderr")
    if errors.is_file() and (said := errors.read_bytes()):
        show_bytes(said)


class _Bytes(Reader):
    """The very bytes, as they come."""

    def feed(self, data: bytes) -> None:
        answer_bytes(data)

    def close(self) -> None:
        """Nothing is held back."""


def _raw() -> Reader:
    """On a terminal whole lines, without what could take it over."""
    return LineSplitter(lambda line: show_bytes(line + b"\n")) if sys.stdout.isatty() else _Bytes()


def _shown(output: Output) -> Callable[[AgentAction], None]:
    """Prints what was done; in the log of a CI job it is no command to its runner."""

    def show(action: AgentAction) -> None:
        for line in action_lines(action):
            output.line(line)

    return show
