"""`prd-ralph config`: every setting, and where its value came from."""

import json
from dataclasses import replace

import typer

from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.project import open_project
from prd_ralph.config import Setting
from prd_ralph.masking import Mask
from prd_ralph.notify import shown

SHORT = "Print every setting and its source."
EXAMPLE = "Example: PRD_RALPH_TIMEOUT=20m prd-ralph config"


def command(as_json: AsJson = False) -> None:
    """Print every setting and where its value came from."""
    project = open_project({})
    mask = project.mask
    rows = tuple(_without_secrets(row, mask) for row in project.settings.rows())
    if as_json:
        values = {row.name: {"value": row.value, "source": row.source} for row in rows}
        answer({"v": 1, "settings": values})
        return
    width = max(len(row.name) for row in rows)
    for row in rows:
        typer.echo(f"{row.name:<{width}}  {json.dumps(row.written, ensure_ascii=False)}  ({row.source})")


def _without_secrets(row: Setting, mask: Mask) -> Setting:
    """Whom notices go to is nobody's business: such URLs hold tokens."""
    match row.name, row.value:
        case "notify", tuple(urls):
            safe: object = tuple(shown(str(url)) for url in urls)
        case "notify_command", str(line):
            safe = mask.text(line)
        case _:
            return row
    return replace(row, value=safe, written=safe)
