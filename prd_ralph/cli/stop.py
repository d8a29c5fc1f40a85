"""`prd-ralph stop`: asks the run that is going on to end after its iteration."""

import typer

from prd_ralph.cli.project import open_project
from prd_ralph.errors import ExitCode

SHORT = "Ask a run to end."
EXAMPLE = "Example: prd-ralph stop"


def command() -> int:
    """Ask the run that is going on to end after its current iteration."""
    project = open_project({})
    holder = project.holder
    if holder is None:
        typer.echo("no run is going on here", err=True)
        return ExitCode.UNFINISHED
    project.state.request_stop()
    typer.echo(f"asked the run ({holder}) to end after its current iteration", err=True)
    return ExitCode.OK
