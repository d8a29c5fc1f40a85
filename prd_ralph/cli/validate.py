"""`prd-ralph validate`: everything that is wrong with prd.json, in one go, and what could never prove anything."""

from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, record_of
from prd_ralph.cli.options import AsJson, Strict
from prd_ralph.cli.origin import moved_on
from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import plural
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile, lint, open_without_commands, overview

SHORT = "Check prd.json."
EXAMPLE = "Example: prd-ralph validate tasks/prd.json --strict"


def command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The prd.json.")] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> int:
    """Check prd.json: its form, its meaning, and whether every open story can be proved.

    Exits with 2 for errors, with 1 for findings under --strict.
    """
    project = open_project({"prd": file})
    prd_file = project.prd_file()
    try:
        document = prd_file.load(strict=strict)
    except ProblemsError as error:
        if as_json:
            answer({"errors": [record_of(problem) for problem in error.problems]})
            return ExitCode.BAD_INPUT
        raise
    findings = _findings(project, prd_file, document)
    if as_json:
        seen = overview(document, prd_file.name)
        answer(
            {
                "dialect": "native",
                "stories": seen.stories,
                "commands_seen": seen.commands_seen,
                "warnings": seen.warnings,
                "findings": [record_of(problem) for problem in findings],
            }
        )
    else:
        _say(prd_file, document, findings)
    return ExitCode.UNFINISHED if strict and findings else ExitCode.OK


def _findings(project: Project, prd_file: JsonPrdFile, document: PrdDocument) -> tuple[Problem, ...]:
    name = prd_file.name
    return (
        *document.warnings,
        *open_without_commands(document.prd, project.extra, name),
        *lint(document.data, name),
        *moved_on(document.data, name, project.root),
    )


def _say(prd_file: JsonPrdFile, document: PrdDocument, findings: tuple[Problem, ...]) -> None:
    for problem in findings:
        typer.echo(f"warning: {problem}", err=True)
    stories = document.prd.stories
    passing = sum(story.passes for story in stories)
    typer.echo(f"{prd_file.name}: valid, {plural(len(stories), 'story')}, {passing} passing", err=True)
