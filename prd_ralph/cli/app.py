"""The commands, one file each."""

from typing import Annotated

import typer

from prd_ralph import __version__
from prd_ralph.cli import agents, config, demo, init, prompt, reset, run, show, status, stop, validate

app = typer.Typer(
    name="prd-ralph",
    help="Executes the user stories of a prd.json with a coding agent, and believes commands, not agents.",
    epilog="Start: prd-ralph demo · prd-ralph init · prd-ralph run --agent-command 'CMD'",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (run, status, validate, init, prompt, show, config, agents, stop, reset, demo):
    app.command(name=module.NAME, epilog=module.EXAMPLE)(module.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"prd-ralph {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Nothing but the version is common to all commands."""
