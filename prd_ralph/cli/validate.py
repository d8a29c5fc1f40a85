"""`prd-ralph validate`: everything that is wrong with prd.json, in one go, and what could never prove anything."""

from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, record_of
from prd_ralph.cli.options import AsJson, Strict
from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import plural, printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile, lint, open_without_commands
from prd_ralph.prdfile.foreign.importing import examined, facts
from prd_ralph.prdfile.foreign.reading import Reading
from prd_ralph.prdfile.foreign.told import in_words

SHORT = "Check prd.json."
EXAMPLE = "Example: prd-ralph validate tasks/prd.json --strict"


def command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The prd.json.")] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> int:
    """Check prd.json: its form, its meaning, and whether every open story can be proved.

    Exits with 2 for errors, with 1 for findings under --strict. That a file is another tool's is a finding.
    """
    project = open_project({"prd": file})
    prd_file = project.prd_file()
    try:
        document = prd_file.load(strict=strict)
    except ProblemsError as error:
        return _not_ours(prd_file, error, strict, as_json)
    findings = _findings(project, prd_file, document)
    if as_json:
        _answer(facts(document.data, prd_file.name), findings)
    else:
        _say(prd_file, document, findings)
    return ExitCode.UNFINISHED if strict and findings else ExitCode.OK


def _not_ours(prd_file: JsonPrdFile, error: ProblemsError, strict: bool, as_json: bool) -> int:
    """What import would make of a file that is not ours. One with `userStories` at its top is judged as ours."""
    data = prd_file.read()
    reading, problems = (None, error.problems) if data is None else examined(data, prd_file.name, error.problems)
    if reading and not reading.found.at_the_top:
        return _another_tools(prd_file, reading, problems, strict, as_json)
    if not as_json:
        raise ProblemsError(problems)
    told = reading.told() if reading else {}
    answer({**told, "errors": [record_of(problem) for problem in problems]})
    return ExitCode.BAD_INPUT


def _another_tools(
    prd_file: JsonPrdFile, reading: Reading, findings: tuple[Problem, ...], strict: bool, as_json: bool
) -> int:
    if as_json:
        _answer(reading, findings)
    else:
        for problem in findings:
            typer.echo(f"warning: {problem}", err=True)
        for warning in reading.warnings:
            typer.echo(f"warning: {prd_file.name} {printable(in_words(warning), 1000)}", err=True)
        claimed = sum(story.claim.passes for story in reading.stories)
        told = f"{plural(len(reading.stories), 'story')}, {claimed} claimed as done: import can read it, run cannot"
        typer.echo(f"{prd_file.name}: {reading.dialect}, {told}", err=True)
    return ExitCode.UNFINISHED if strict else ExitCode.OK


def _answer(reading: Reading, findings: tuple[Problem, ...]) -> None:
    answer({**reading.told(), "findings": [record_of(problem) for problem in findings]})


def _findings(project: Project, prd_file: JsonPrdFile, document: PrdDocument) -> tuple[Problem, ...]:
    name = prd_file.name
    return (
        *document.warnings,
        *open_without_commands(document.prd, project.extra, name),
        *lint(document.data, name),
    )


def _say(prd_file: JsonPrdFile, document: PrdDocument, findings: tuple[Problem, ...]) -> None:
    for problem in findings:
        typer.echo(f"warning: {problem}", err=True)
    stories = document.prd.stories
    passing = sum(story.passes for story in stories)
    typer.echo(f"{prd_file.name}: valid, {plural(len(stories), 'story')}, {passing} passing", err=True)
