"""The commands, one file each; only the one that is asked for is imported."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from prd_ralph import __version__

COMMANDS = (
    "run",
    "status",
    "report",
    "plan",
    "validate",
    "import",
    "audit",
    "init",
    "prompt",
    "review",
    "show",
    "config",
    "doctor",
    "agents",
    "stop",
    "restore",
    "clean",
    "add-context",
    "verify",
    "approve",
    "reset",
    "proposals",
    "watch",
    "demo",
)
# Where a command's name cannot be a module's.
_MODULES = {"import": "importing", "add-context": "add_context"}


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The program as far as `arguments` need it: one command, or all of them where help or a mistake is to be told."""
    return _build(arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS)


def _build(names: Iterable[str]) -> typer.Typer:
    app = typer.Typer(
        name="prd-ralph",
        help="Executes the user stories of a prd.json with a coding agent, and believes commands, not agents.",
        epilog="Start: prd-ralph demo · prd-ralph plan PRD.md · prd-ralph init · prd-ralph run --agent-command 'CMD'",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in names:
        module = import_module(f"prd_ralph.cli.{_MODULES.get(name, name)}")
        app.command(name=name, epilog=module.EXAMPLE, short_help=module.SHORT)(module.command)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"prd-ralph {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Nothing but the version is common to all commands."""
