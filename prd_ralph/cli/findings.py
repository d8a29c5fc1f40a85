"""What is doubtful in a prd.json that is valid: for `validate`, and for whoever has just written one."""

from collections.abc import Iterable
from dataclasses import replace

import typer

from prd_ralph.cli.answer import record_of
from prd_ralph.cli.checkup.commands import is_missing
from prd_ralph.cli.origin import moved_on
from prd_ralph.cli.project import Project
from prd_ralph.errors import Problem, RalphError
from prd_ralph.model import Check
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import Surroundings, lint, open_without_commands
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.history import landed_before


def findings(project: Project, document: PrdDocument, name: str) -> tuple[Problem, ...]:
    """Oddities of the format, what nothing could prove, what lint finds, and whether the PRD has moved on since.

    Programs are looked for and git's history is read; no command of the file is run.
    """
    return (
        *document.warnings,
        *open_without_commands(document.prd, project.extra, name),
        *lint(document, name, surroundings(project, document, name)),
        *moved_on(document.data, name, project.root),
    )


def surroundings(project: Project, document: PrdDocument, name: str) -> Surroundings:
    """What lint has to know of the machine and the history."""
    env = project.check_env

    def missing(word: str, check: Check) -> bool:
        return is_missing(word, check, project.root, env)

    bash = Check(("bash",))
    return Surroundings(project.extra, missing, _landed(project, document, name), not missing("bash", bash))


def say(found: Iterable[Problem]) -> None:
    """One warning each on standard error, with the rule's name where one found it."""
    for problem in found:
        told = replace(problem, message=f"{problem.message} [{problem.rule}]") if problem.rule else problem
        typer.echo(f"warning: {told}", err=True)


def finding_record(problem: Problem) -> dict[str, object]:
    """A finding as `validate --json` tells it; `rule` is null for oddities of the format."""
    return {"rule": problem.rule or None, **record_of(problem)}


def _landed(project: Project, document: PrdDocument, name: str) -> dict[str, str]:
    """Nothing where there is no history to be had: a file can be looked at outside of a repository, without git."""
    if project.location is None:
        return {}
    try:
        with SupervisedProcesses(StopSignals()) as processes:
            return landed_before(Git(processes, project.root, project.env), name, document.prd.branch)
    except RalphError:
        return {}
