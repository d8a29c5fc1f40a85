"""`prd-ralph report`: what is known of the PRD and its runs, in the format that somebody wants it in."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.cli.answer import answer_bytes
from prd_ralph.cli.gathered import gather
from prd_ralph.cli.options import Prd
from prd_ralph.cli.policy import FailUnder, Policy, Require
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.reported import FORMATS, encoded
from prd_ralph.clock import SystemClock
from prd_ralph.errors import ExitCode, ProblemsError, RalphError, cannot_write
from prd_ralph.facts import Report
from prd_ralph.process import StopSignals, SupervisedProcesses

SHORT = "Report stories and runs, for people and CI."
EXAMPLE = "Example: prd-ralph report --format markdown -o report.md · prd-ralph report --format junit -o junit.xml"

Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")]


def command(
    format_name: Format = "markdown",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there. Default: stdout.")
    ] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="ID", help="This run alone. Default: all.")] = None,
    prd: Prd = None,
    fail_under: FailUnder = None,
    require: Require = None,
) -> int:
    """Report the stories as recorded, and the runs that brought them there: each attempt, its commands, time and money.

    A prd.json that is missing or invalid is reported as that, in every format, and exits with 2.
    """
    policy = Policy.of(fail_under, require)
    if format_name not in FORMATS:
        raise RalphError(f"--format {format_name}: there is no such format", f"one of {', '.join(FORMATS)}")
    project = open_project({"prd": prd})
    report, broken = reported(project, run)
    refused = policy.refused(report)
    data = encoded(report, format_name, output)
    if output is None:
        answer_bytes(data)
    else:
        _write(Path(output), data)
    if broken is not None:
        raise broken
    return policy.end(refused)


def reported(project: Project, run: str | None = None) -> tuple[Report, RalphError | None]:
    """The report; where prd.json is missing or invalid one that says so, and the error."""
    with SupervisedProcesses(StopSignals()) as processes:
        if project.location is not None:
            processes.warm_up(sweep=False)
        try:
            return _of_run(gather(project, processes, project.prd_file()), run), None
        except ProblemsError as error:
            broken: RalphError = error
        except RalphError as error:
            if error.code is not ExitCode.BAD_INPUT:
                raise
            broken = error
    name = project.settings.prd or "prd.json"
    return Report(prd=str(name), made=SystemClock().now(), problems=broken.problems), broken


def _of_run(report: Report, run: str | None) -> Report:
    if run is None:
        return report
    chosen = tuple(each for each in report.runs if each.id == run)
    if not chosen:
        there = ", ".join(each.id for each in report.runs[-10:]) or "none"
        raise RalphError(f"--run {run}: no such run of {report.prd}", f"there are: {there}")
    return replace(report, runs=chosen)


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise cannot_write(path, error) from error
    typer.echo(f"wrote {path}", err=True)
