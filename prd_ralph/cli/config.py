"""`prd-ralph config`: every setting, and where its value came from."""

import json

import typer

from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.project import open_project

SHORT = "Print every setting and its source."
EXAMPLE = "Example: PRD_RALPH_TIMEOUT=20m prd-ralph config"


def command(as_json: AsJson = False) -> None:
    """Print every setting and where its value came from."""
    rows = open_project({}).settings.rows()
    if as_json:
        values = {row.name: {"value": row.value, "source": row.source} for row in rows}
        answer({"v": 1, "settings": values})
        return
    width = max(len(row.name) for row in rows)
    for row in rows:
        typer.echo(f"{row.name:<{width}}  {json.dumps(row.written, ensure_ascii=False)}  ({row.source})")
