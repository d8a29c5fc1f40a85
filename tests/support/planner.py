"""A planner for the tests of its parts: `python -m tests.support.planner PRD.md [OPTION…]` writes prd.json."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.cli import boundary
from prd_ralph.cli.assist import Wanted
from prd_ralph.cli.extras import AgentCommand, AgentName, Detect, Extras, Model, Phases, WriteDetected, planned
from prd_ralph.cli.project import open_project
from prd_ralph.errors import ExitCode
from prd_ralph.planning.output import prd_json
from prd_ralph.planning.plan import plan_file
from prd_ralph.planning.reading import digest


def plan(
    prd: Annotated[str, typer.Argument()],
    agent: AgentName = None,
    agent_command: AgentCommand = None,
    model: Model = None,
    phases: Phases = None,
    detect: Detect = False,
    write_detected: WriteDetected = False,
) -> int:
    project = open_project({"agent": agent, "agent_command": agent_command, "model": model})
    path, target = project.here / prd, project.here / "prd.json"
    data = path.read_bytes()
    extras = Extras(bool(agent or agent_command), phases, detect, write_detected)
    wanted = Wanted(((prd, data),), digest(data), lambda: plan_file(prd, data, bare=extras.agent), (path, target))
    made, _ = planned(project, wanted, extras)
    for notice in made.warnings:
        typer.echo(f"warning: {notice.place}: {notice.message}", err=True)
    target.write_text(json.dumps(prd_json(made, prd), indent=2) + "\n")
    return ExitCode.OK


def app_for(arguments: object) -> typer.Typer:
    app = typer.Typer(add_completion=False)
    app.command()(plan)
    return app


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    boundary.app_for = app_for  # type: ignore[attr-defined]
    sys.exit(boundary.guarded(sys.argv[1:]))
