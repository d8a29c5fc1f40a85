"""`prd-ralph run --dry-run`: what would be done, with nothing started but git, and nothing changed."""

from heapq import heappop, heappush

import typer

from prd_ralph.cli.answer import answer
from prd_ralph.cli.budget import spending_caps
from prd_ralph.cli.notices import notices
from prd_ralph.cli.preparation import Findings, Prepared, ground, look, open_stories
from prd_ralph.cli.project import Project
from prd_ralph.console import duration, printable
from prd_ralph.errors import ExitCode
from prd_ralph.model import Prd, RunPlan, Story, StoryState
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.rules import iteration_cap, standings
from prd_ralph.wording.phrases import joined, limit
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.refs import read_current


def dry_run(project: Project, as_json: bool) -> int:
    """Prints the plan of the run. Raises ProblemsError with all that would refuse it."""
    with SupervisedProcesses(StopSignals()) as processes:
        prd_file, plan = ground(project, processes)
        findings = Findings()
        current = read_current(Git(processes, project.root, project.env))
        prepared = findings.unless_found(look(project, prd_file, plan, processes, findings, current))
    prd = prepared.document.prd
    agent = _agent(project, prepared)
    for notice in notices(prepared.document, plan, prd_file.name):
        typer.echo(f"warning: {printable(notice, 1000)}", err=True)
    cap = iteration_cap(len(open_stories(prd, plan.selection)), plan.limits)
    order = [(story, [check.text for check in prd.checks_for(story, plan.extra)]) for story in in_order(prd, plan)]
    if as_json:
        stories = [{"id": story.id, "title": story.title, "commands": commands} for story, commands in order]
        autonomy = prepared.chosen.autonomy
        found = {"agent": agent, "autonomy": autonomy, "branch": prd.branch, "max_iterations": cap, "stories": stories}
        answer({"v": 1, **found, "spending": spending_caps(plan)})
        return ExitCode.OK
    typer.echo(f"agent {printable(agent, 1000)}, branch {prd.branch or 'as it is'}, at most {cap} iterations")
    for name, flags in prepared.chosen.autonomy.items():
        typer.echo(f"{printable(name)} may act without asking: {printable(flags)}")
    for who, env in (("the agent", project.agent_env), ("the commands", project.check_env)):
        if kept := sorted(project.env.keys() - env.keys()):
            typer.echo(f"kept from {who}: {printable(', '.join(kept), 1000)}")
    typer.echo(f"{plan.limits.attempts} attempts a story, {duration(plan.limits.attempt_s)} each")
    if caps := spending_caps(plan):
        typer.echo(f"spending: {joined(*(limit(name, value) for name, value in caps.items()))}")
    if current is not None:
        typer.echo(f"the work of {current.key.story} attempt {current.key.number} lies in the tree and is taken up")
    for number, (story, commands) in enumerate(order, 1):
        typer.echo(f"{number}. {printable(story.id)} {printable(story.title)}")
        for command in commands:
            typer.echo(f"   $ {printable(command)}")
    return ExitCode.OK


def _agent(project: Project, prepared: Prepared) -> str:
    """The agents, with the whole command line where one is the person's own."""
    agents, line = prepared.chosen.agents, project.settings.agent_command
    told = (f"command {line}" if name == "command" else agent.label for name, agent in agents.items())
    return ", ".join(told) or "none"


def in_order(prd: Prd, plan: RunPlan) -> list[Story]:
    """The open stories in the order in which they would be done if each passed at once."""
    where = standings(prd, plan.selection, {}, 1)
    passing = {story.id for story in prd.stories if story.passes}
    waits: dict[int, set[str]] = {}
    dependents: dict[str, list[int]] = {}
    ready: list[tuple[float, int]] = []
    for index, story in enumerate(prd.stories):
        if where[story.id].state is StoryState.READY:
            heappush(ready, (story.priority, index))
        elif where[story.id].state is StoryState.BLOCKED:
            waits[index] = set(story.depends_on) - passing
            for other in waits[index]:
                dependents.setdefault(other, []).append(index)
    done: list[Story] = []
    while ready:
        story = prd.stories[heappop(ready)[1]]
        done.append(story)
        for index in dependents.get(story.id, ()):
            waits[index].discard(story.id)
            if not waits[index]:
                heappush(ready, (prd.stories[index].priority, index))
    return done
