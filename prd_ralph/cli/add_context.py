"""`prd-ralph add-context`: a word of the person's for the next prompt."""

import sys
from typing import Annotated

import typer

from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import plural, printable
from prd_ralph.context import CONTEXT_LIMIT, ContextFolder
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import MARK_VARIABLE

SHORT = "Add a word to the next prompt."
EXAMPLE = "Example: prd-ralph add-context 'the staging database is down: use the fixtures'"


def command(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What to add; - reads it from stdin.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Print what waits for the next prompt.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Forget what waits.")] = False,
) -> int:
    """Add something to the next prompt, of the run that goes on here or else of the next one. It is shown once.

    At most 16 KiB in all. It waits in the state folder; nothing of it is committed.
    """
    if sum((text is not None, list_, clear)) != 1:
        raise RalphError("say what to add, or --list, or --clear", "prd-ralph add-context 'use the fixtures'")
    project = open_project({})
    waiting = context_of(project)
    if list_:
        for each in waiting.each():
            for line in each.splitlines():
                typer.echo(printable(line, 8 * CONTEXT_LIMIT))
    elif clear:
        typer.echo(f"forgot {plural(waiting.clear(), 'addition')}", err=True)
    else:
        if project.env.get(MARK_VARIABLE):
            raise RalphError("an agent cannot speak for the person", "what it learned goes to progress.txt")
        waiting.add(_given(text or ""))
        holder = project.holder
        when = "of the run that goes on" if holder else "of the next run"
        typer.echo(f"added to the next prompt {when}", err=True)
    return ExitCode.OK


def context_of(project: Project) -> ContextFolder:
    """What waits for this work tree's next prompt; while a run goes on elsewhere alone, for that one's."""
    return ContextFolder(project.state.context_path(project.at_work[0]))


def _given(text: str) -> str:
    if text != "-":
        return text
    return sys.stdin.buffer.read(CONTEXT_LIMIT + 1).decode("utf-8", "replace")
