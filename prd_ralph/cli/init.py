"""`prd-ralph init`: a commented prd-ralph.toml, and on request the templates for editing."""

import os
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.assets import asset
from prd_ralph.cli.project import open_project
from prd_ralph.config import FILE_NAME, render_default_toml
from prd_ralph.errors import RalphError, cannot_write

SHORT = "Write prd-ralph.toml."
EXAMPLE = "Example: prd-ralph init --templates"
TEMPLATES = Path(".prd-ralph/templates")
PROMPT = "prompt.md.j2"


def command(
    templates: Annotated[
        bool, typer.Option("--templates", help=f"Copy the prompt template to {TEMPLATES} for editing.")
    ] = False,
) -> None:
    """Write prd-ralph.toml, with every setting explained. Nothing that exists is overwritten."""
    root = open_project({}).root
    wanted = {root / FILE_NAME: render_default_toml().encode()}
    if templates:
        wanted[root / TEMPLATES / PROMPT] = asset(f"templates/{PROMPT}").read_bytes()
    there = [path for path in wanted if os.path.lexists(path)]
    if len(there) == len(wanted):
        raise RalphError(f"{there[0]} exists already", "edit it, or move it away first")
    for path in [path for path in wanted if path not in there]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted[path])
        except OSError as error:
            raise cannot_write(path, error) from error
        typer.echo(f"wrote {path.relative_to(root)}", err=True)
