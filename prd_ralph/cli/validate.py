"""`prd-ralph validate`: everything that is wrong with prd.json, in one go, and what can prove nothing or will fail."""

from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, record_of
from prd_ralph.cli.findings import finding_record, findings, say
from prd_ralph.cli.options import AsJson, Strict
from prd_ralph.cli.project import open_project
from prd_ralph.console import plural
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import overview

SHORT = "Check prd.json."
EXAMPLE = "Example: prd-ralph validate tasks/prd.json --strict"


def command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The prd.json.")] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> int:
    """Check prd.json: its form, its meaning, and what in it can prove nothing or is likely to fail.

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
    found = findings(project, document, prd_file.name)
    if as_json:
        seen = overview(document, prd_file.name)
        answer(
            {
                "dialect": "native",
                "stories": seen.stories,
                "commands_seen": seen.commands_seen,
                "warnings": seen.warnings,
                "findings": [finding_record(problem) for problem in found],
            }
        )
    else:
        _say(prd_file.name, document, found)
    return ExitCode.UNFINISHED if strict and found else ExitCode.OK


def _say(name: str, document: PrdDocument, found: tuple[Problem, ...]) -> None:
    say(found)
    stories = document.prd.stories
    passing = sum(story.passes for story in stories)
    counted = f", {plural(len(found), 'finding')}" if found else ""
    typer.echo(f"{name}: valid, {plural(len(stories), 'story')}, {passing} passing{counted}", err=True)
