"""Bytes to a `PrdDocument`, or all that is wrong with them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile.build import prd_of
from prd_ralph.prdfile.dependencies import reference_faults
from prd_ralph.prdfile.dialect import refusal
from prd_ralph.prdfile.keys import misspelt
from prd_ralph.prdfile.meaning import faults
from prd_ralph.prdfile.positions import JsonSyntaxError, scan
from prd_ralph.prdfile.schema import violations
from prd_ralph.prdfile.source import Source
from prd_ralph.prdfile.syntax import explained
from prd_ralph.prdfile.text import Lines, decoded


def parse(data: bytes, file: str, root: Path | None = None, strict: bool = False) -> PrdDocument:
    """Reads prd.json. `file` is its name in messages; `root` the project's folder, for paths that must stay inside it.

    Whether a command's `cwd` exists is not looked at: that matters only when it runs.
    Raises ProblemsError with everything that is wrong, in the file's order; `strict` makes warnings errors.
    """
    source = read_source(data, file)
    errors = list(source.duplicate_keys())
    if other := refusal(source):
        raise ProblemsError([*errors, other])
    errors += _schema_errors(source)
    known = {error.pointer for error in errors}
    errors += [fault for fault in faults(source, root) if fault.pointer not in known]
    warnings: list[Problem] = []
    for found in (*misspelt(source), *reference_faults(source)):
        problem, is_error = found
        (errors if is_error or strict else warnings).append(problem)
    if errors:
        raise ProblemsError(sorted(errors, key=_place))
    return PrdDocument(data, prd_of(source, root), tuple(sorted(warnings, key=_place)))


def read_source(data: bytes, file: str) -> Source:
    """The JSON with its places, whatever it means. Raises ProblemsError where it is none."""
    text = decoded(data, file)
    try:
        found = scan(text.body)
    except JsonSyntaxError as error:
        raise ProblemsError([explained(text.body, error, file)]) from None
    return Source(file, text, found.root, Lines(text.body), found.duplicates)


def _schema_errors(source: Source) -> Iterator[Problem]:
    hinted = False
    for problem, foreign in violations(source):
        if foreign and not hinted:
            hinted = True
            hint = (
                f"if another tool wrote this file: `prd-ralph import {source.file or 'FILE'} -o NEW` makes ours from it"
            )
            problem = replace(problem, hint=f"{problem.hint}; {hint}" if problem.hint else hint)
        yield problem


def _place(problem: Problem) -> tuple[int, str]:
    return problem.line or 0, problem.pointer or ""
