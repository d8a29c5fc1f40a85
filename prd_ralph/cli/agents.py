"""`prd-ralph agents`: which agents there are."""

import typer

from prd_ralph.agents.registry import descriptions
from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson

SHORT = "List the agents."
EXAMPLE = "Example: prd-ralph agents --json"


def command(as_json: AsJson = False) -> None:
    """List the agents that --agent and a story's `agent` may name."""
    found = descriptions()
    if as_json:
        answer({"v": 1, "agents": [{"name": name, "about": about} for name, about in found.items()]})
        return
    width = max(len(name) for name in found)
    for name, about in found.items():
        typer.echo(f"{name:<{width}}  {about}")
