"""`prd-ralph run`: the loop, from the command line."""

from typing import Annotated, Any

import typer

from prd_ralph.cli.dry_run import dry_run as look_only
from prd_ralph.cli.options import AsJson, Prd, Strict
from prd_ralph.cli.project import look_at_project
from prd_ralph.cli.session import Show, session

SHORT = "Work on the stories until they pass."
EXAMPLE = "Example: prd-ralph run --agent-command 'my-agent --yes' --max-attempts 2 --max-time 8h"


def command(
    prd: Prd = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="The agent: see prd-ralph agents.")] = None,
    agent_command: Annotated[
        str | None, typer.Option(metavar="CMD", help="Any command as the agent; the prompt is on its stdin.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="The model, in the agent's own words.")] = None,
    check: Annotated[
        list[str] | None, typer.Option(metavar="CMD", help="A command that must exit 0 for every story. Repeatable.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this story. Repeatable.")] = None,
    skip: Annotated[list[str] | None, typer.Option(metavar="ID", help="Not this story. Repeatable.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop after one iteration.")] = False,
    max_attempts: Annotated[str | None, typer.Option(metavar="N", help="Attempts a story. Default: 3.")] = None,
    max_iterations: Annotated[
        str | None, typer.Option(metavar="N", help="Agent starts. Default: open stories × attempts + 20.")
    ] = None,
    max_time: Annotated[str | None, typer.Option(metavar="DUR", help="For the whole run. Default: 24h.")] = None,
    timeout: Annotated[str | None, typer.Option(metavar="DUR", help="For one attempt. Default: 1h.")] = None,
    idle_timeout: Annotated[
        str | None, typer.Option(metavar="DUR", help="Without a sign of life; 0: off. Default: 30m.")
    ] = None,
    check_timeout: Annotated[str | None, typer.Option(metavar="DUR", help="For one command. Default: 15m.")] = None,
    strict: Strict = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="No more commands once one has failed.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; start and change nothing.")
    ] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the summary.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also what the agent is seen to do.")] = False,
) -> int:
    """Run an agent on one story after another until their verification commands pass.

    DUR is 90, 90s, 15m, 2h or 1h30m.
    """
    flags: dict[str, Any] = {
        "prd": prd,
        "agent": agent,
        "agent_command": agent_command,
        "model": model,
        "check": check,
        "only": only,
        "skip": skip,
        "once": once,
        "max_attempts": max_attempts,
        "max_iterations": max_iterations,
        "max_time": max_time,
        "timeout": timeout,
        "idle_timeout": idle_timeout,
        "check_timeout": check_timeout,
        "strict": strict,
        "fail_fast": fail_fast,
    }
    if dry_run:
        return look_only(look_at_project(flags), as_json)
    return session(lambda: look_at_project(flags), Show(as_json=as_json, quiet=quiet, verbose=verbose))
