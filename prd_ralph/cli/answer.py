"""What a command answers: data on stdout, for scripts (JSON) or for people (lines)."""

import json
import sys
from collections.abc import Mapping

import typer

from prd_ralph.console import printable
from prd_ralph.errors import Problem


def answer(value: Mapping[str, object]) -> None:
    """One JSON object on one line, in ASCII, whatever the locale."""
    typer.echo(json.dumps(value, allow_nan=False))


def answer_bytes(data: bytes) -> None:
    """The very bytes, whatever the locale."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def show_bytes(data: bytes) -> None:
    """The very bytes on a pipe; on a terminal without what could take it over."""
    if not sys.stdout.isatty():
        answer_bytes(data)
        return
    for line in data.decode("utf-8", "replace").splitlines():
        typer.echo(printable(line, 8 * len(line) + 1))


def record_of(problem: Problem) -> dict[str, object]:
    """A problem as `validate --json` tells it; `story` is null outside of stories."""
    return {
        "line": problem.line,
        "pointer": problem.pointer,
        "story": problem.story or None,
        "message": problem.message,
        "hint": problem.hint,
    }
