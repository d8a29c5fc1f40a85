"""`prd-ralph agents`: which agents there are."""

from collections.abc import Mapping
from pathlib import Path

import typer

from prd_ralph.agents.registry import descriptions, found, presets
from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.project import look_at_project

_WIDTH = 8

SHORT = "List the agents."
EXAMPLE = "Example: prd-ralph agents --json"


def command(as_json: AsJson = False) -> None:
    """List the agents that --agent and a story's `agent` may name, and where they were found."""
    here = found(look_at_project({}).agent_env)
    agents = [{"name": name, "about": about, "path": _path(here, name)} for name, about in descriptions().items()]
    if as_json:
        answer({"v": 1, "agents": agents})
        return
    for agent in agents:
        where = f"   ({agent['path'] or 'not on PATH'})" if agent["name"] in presets() else ""
        typer.echo(f"{agent['name']:<{_WIDTH}}  {agent['about']}{where}")


def _path(here: Mapping[str, Path], name: str) -> str | None:
    return str(here[name]) if name in here else None
