"""`prd-ralph validate`: everything that is wrong with prd.json, in one go."""

import json
from typing import Annotated

import typer

from prd_ralph.cli.options import AsJson, Strict
from prd_ralph.cli.project import open_project
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import open_without_commands

SHORT = "Check prd.json."
EXAMPLE = "Example: prd-ralph validate tasks/prd.json --strict"


def command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The prd.json.")] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> int:
    """Check prd.json: its form, its meaning, and whether every open story can be proved."""
    project = open_project({"prd": file})
    prd_file = project.prd_file()
    try:
        document = prd_file.load(strict=strict)
    except ProblemsError as error:
        if as_json:
            typer.echo(json.dumps({"errors": [_record(problem) for problem in error.problems]}, ensure_ascii=False))
            return ExitCode.BAD_INPUT
        raise
    warnings = (*document.warnings, *open_without_commands(document.prd, project.extra, prd_file.path.name))
    if as_json:
        typer.echo(json.dumps(_summary(document, warnings), ensure_ascii=False))
    else:
        for problem in warnings:
            typer.echo(f"warning: {problem}", err=True)
        stories = document.prd.stories
        passing = sum(story.passes for story in stories)
        typer.echo(f"{prd_file.path.name}: valid, {len(stories)} stories, {passing} passing", err=True)
    return ExitCode.UNFINISHED if strict and warnings else ExitCode.OK


def _record(problem: Problem) -> dict[str, object]:
    return {
        "line": problem.line,
        "pointer": problem.pointer,
        "story": problem.story or None,
        "message": problem.message,
        "hint": problem.hint,
    }


def _summary(document: PrdDocument, warnings: tuple[Problem, ...]) -> dict[str, object]:
    stories = [
        {
            "id": story.id,
            "title": story.title,
            "passes": story.passes,
            "priority": story.priority if story.priority != float("inf") else None,
            "dependsOn": story.depends_on,
            "held": story.skip,
            "acceptanceCriteria": story.criteria,
        }
        for story in document.prd.stories
    ]
    found = [_record(problem) for problem in warnings]
    return {"dialect": "native", "stories": stories, "commands_seen": [], "warnings": found}
