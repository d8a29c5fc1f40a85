"""What `plan` can do beside reading by rules: ask an agent, make phases of stories, propose commands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.cli.assist import plan_with_agent
from prd_ralph.cli.detected import detected
from prd_ralph.cli.markdown import Markdown
from prd_ralph.cli.project import Project
from prd_ralph.planning.detection import Proposal, with_commands
from prd_ralph.planning.phases import in_phases, phases_of
from prd_ralph.planning.values import Plan

AgentName = Annotated[
    str | None,
    typer.Option(
        "--agent", metavar="NAME", help="Ask this agent for the plan, where rules find no stories or too few."
    ),
]
AgentCommand = Annotated[
    str | None,
    typer.Option("--agent-command", metavar="CMD", help="The same with any command: the prompt on its stdin."),
]
Model = Annotated[str | None, typer.Option("--model", metavar="MODEL", help="The model, in the agent's own words.")]
Phases = Annotated[
    str | None, typer.Option("--phases", metavar="A,B", help="Make each story into one a phase, as build,polish.")
]
Detect = Annotated[bool, typer.Option("--detect", help="Show the commands that the project's files suggest.")]
WriteDetected = Annotated[bool, typer.Option("--write-detected", help="Write them too, for every story.")]


@dataclass(frozen=True, slots=True)
class Extras:
    """What was asked for. `agent`: the project's agent, as `--agent` or `--agent-command` has set it, is asked."""

    agent: bool = False
    phases: str | None = None
    detect: bool = False
    write_detected: bool = False

    @property
    def detects(self) -> bool:
        return self.detect or self.write_detected


def planned(
    project: Project, markdown: Markdown, extras: Extras, target: Path | None
) -> tuple[Plan, tuple[Proposal, ...]]:
    """The plan, and the commands that are proposed. `target`: what is to be written.

    Raises RalphError for what is wrong with the flags before an agent is paid, else as `plan_with_agent` does.
    """
    phases = phases_of(extras.phases) if extras.phases is not None else ()
    plan = plan_with_agent(project, markdown, target) if extras.agent else markdown.plan()
    plan = in_phases(plan, phases) if phases else plan
    proposals = detected(project.root) if extras.detects else ()
    return with_commands(plan, proposals) if extras.write_detected else plan, proposals
