"""`prd-ralph validate`: everything that is wrong with prd.json, in one go, and what can prove nothing or will fail."""

from collections.abc import Iterable
from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, record_of
from prd_ralph.cli.findings import finding_record, findings, say
from prd_ralph.cli.options import AsJson, Strict
from prd_ralph.cli.project import open_project
from prd_ralph.console import plural, printable
from prd_ralph.errors import ExitCode, Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile
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
    """Check prd.json: its form, its meaning, and what in it can prove nothing or is likely to fail.

    Exits with 2 for errors, with 1 for findings under --strict. That a file is another tool's is a finding.
    """
    project = open_project({"prd": file})
    prd_file = project.prd_file()
    try:
        document = prd_file.load(strict=strict)
    except ProblemsError as error:
        return _not_ours(prd_file, error, strict, as_json)
    found = findings(project, document, prd_file.name)
    if as_json:
        _answer(facts(document.data, prd_file.name), found)
    else:
        _say(prd_file.name, document, found)
    return ExitCode.UNFINISHED if strict and found else ExitCode.OK


def _not_ours(prd_file: JsonPrdFile, error: ProblemsError, strict: bool, as_json: bool) -> int:
    """What import would make of a file that is not ours. One with `userStories` at its top is judged as ours."""
    data = prd_file.read()
    reading, problems = (None, error.problems) if data is None else examined(data, prd_file.name, error.problems)
    if reading and not reading.found.at_the_top:
        return _another_tools(prd_file.name, reading, problems, strict, as_json)
    if not as_json:
        raise ProblemsError(problems)
    told = reading.told() if reading else {}
    answer({**told, "errors": [record_of(problem) for problem in problems]})
    return ExitCode.BAD_INPUT


def _another_tools(name: str, reading: Reading, found: Iterable[Problem], strict: bool, as_json: bool) -> int:
    if as_json:
        _answer(reading, found)
    else:
        say(found)
        for warning in reading.warnings:
            typer.echo(f"warning: {name} {printable(in_words(warning), 1000)}", err=True)
        claimed = sum(story.claim.passes for story in reading.stories)
        told = f"{plural(len(reading.stories), 'story')}, {claimed} claimed as done: import can read it, run cannot"
        typer.echo(f"{name}: {reading.dialect}, {told}", err=True)
    return ExitCode.UNFINISHED if strict else ExitCode.OK


def _answer(reading: Reading, found: Iterable[Problem]) -> None:
    answer({**reading.told(), "findings": [finding_record(problem) for problem in found]})


def _say(name: str, document: PrdDocument, found: tuple[Problem, ...]) -> None:
    say(found)
    stories = document.prd.stories
    passing = sum(story.passes for story in stories)
    approved = sum(story.approved is not None for story in stories)
    word = f" ({approved} approved by a person)" if approved else ""
    counted = f", {plural(len(found), 'finding')}" if found else ""
    typer.echo(f"{name}: valid, {plural(len(stories), 'story')}, {passing} passing{word}{counted}", err=True)
