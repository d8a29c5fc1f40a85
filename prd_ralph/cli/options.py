"""Options that several commands share, and how what was given reaches the settings."""

from typing import Annotated

import typer

Prd = Annotated[
    str | None, typer.Option("--prd", metavar="FILE", help="The prd.json. Default: looked for from here up.")
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for scripts.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse what is only worth a warning.")]
"""Of `validate`; other commands say in their own words what they refuse."""
