"""`prd-ralph audit`: what anybody's task file claims, and what of it can be proved; the repository is only read."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from prd_ralph.auditing.truth import about_commands, about_flag, commands_of, state_of
from prd_ralph.auditing.values import Audit, Finding, StoryAudit, Tried
from prd_ralph.cli import run_options
from prd_ralph.cli.answer import answer
from prd_ralph.cli.audited import Subject, subject_of
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.past import Past, past_of
from prd_ralph.cli.truth_table import record, show
from prd_ralph.cli.trying import Outcome, Work, try_out
from prd_ralph.console import Output, plural
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.model import Check
from prd_ralph.ports import Processes
from prd_ralph.prdfile import checks_of
from prd_ralph.prdfile.source import pointer_of
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from prd_ralph.workspace.standing import Standing, standing

_SHOWN = 5
SHORT = "See what of a task file's claims can be proved."
EXAMPLE = "Example: prd-ralph audit ../their-project --check 'npm ci && npm test'"


def command(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A folder with a task file of any tool, or the file.")],
    adopt_commands: Annotated[
        bool, typer.Option("--adopt-commands", help="Run the commands that the file itself names.")
    ] = False,
    check: run_options.Check = None,
    check_timeout: run_options.CheckTimeout = None,
    max_time: Annotated[
        str | None, typer.Option(metavar="DUR", help="For all commands together. Default: 24h.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for suspicions too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Tell what a task file claims, what of it its commands prove, and what is odd about how its flags were set.

    No command is run without --adopt-commands or --check; they are shown before. They run in a scratch clone, and the
    repository stays as it is. Exits with 1 unless every claimed story is proved, with --strict also for suspicions.
    """
    signals = StopSignals()
    signals.install()
    try:
        subject = subject_of(path, {"check_timeout": check_timeout, "max_time": max_time})
        given = checks_of(check or (), "--check", subject.project.root)
        with SupervisedProcesses(signals, mask=subject.project.mask) as processes:
            audit = _audit(subject, given, adopt_commands, processes)
    except RalphError:
        if signals.signal is None:
            raise
        signals.end_by(signals.signal)
    if signals.signal is not None:
        signals.end_by(signals.signal)
    mask = subject.project.mask.text
    if as_json:
        answer(record(audit, mask))
    else:
        show(audit, Output(sys.stdout, subject.project.env), mask)
    return ExitCode.OK if audit.holds(strict) else ExitCode.UNFINISHED


def _audit(subject: Subject, given: tuple[Check, ...], adopt: bool, processes: Processes) -> Audit:
    project, runs = subject.project, adopt or bool(given)
    at, past = None, Past()
    if project.location is not None:
        git = Git(processes, project.root, {**project.env, "GIT_NO_LAZY_FETCH": "1"})
        at = standing(git)
        past = past_of(git, project.location, at.head, subject.name) if at.head else Past()
    commit = at.head if at else None
    if runs and commit is None:
        _refuse(subject)
    work = _work(subject, (*given, *(project.extra if adopt else ())), adopt or not runs)
    out = Outcome({story.id: tuple(map(Tried, checks)) for story, checks in work})
    mine = [(story, checks) for story, checks in work if checks and not story.skip]
    if runs and commit and mine:
        setup = subject.prd.setup if adopt else ()
        tried = try_out(subject, mine, setup, commit, processes, Output(sys.stderr, project.env))
        out = Outcome({**out.tried, **tried.tried}, tried.findings)
    rows = tuple(_rows(subject, past, out, runs, adopt))
    findings = (*past.findings, *out.findings, *_about_repository(subject, at), *_about_commands(subject, runs, adopt))
    return Audit(subject.name, subject.made.reading.dialect, commit, rows, findings)


def _refuse(subject: Subject) -> None:
    root = subject.project.repository.root  # raises where there is none
    raise BlockedError(f"no command is run: {root} has no commit yet", "git commit, then audit what is in it")


def _why_none(subject: Subject) -> str:
    try:
        discover(subject.project.here)
    except BlockedError as error:
        return str(error)
    return "the repository has just been made"


def _work(subject: Subject, given: tuple[Check, ...], adopted: bool) -> Work:
    return [(story, commands_of(subject.prd, story, given, adopted)) for story in subject.prd.stories]


def _rows(subject: Subject, past: Past, out: Outcome, runs: bool, adopt: bool) -> Iterator[StoryAudit]:
    keys = subject.known_by
    for story in subject.prd.stories:
        key, commands = keys[story.id], out.tried[story.id]
        findings = tuple(about_commands(story, commands, adopt))
        if story.passes and past.is_known:
            findings += tuple(about_flag(key, past.flags, past.odd))
        set_by = past.flags.settings.get(key) if story.passes else None
        yield StoryAudit(story, state_of(story, commands, runs), commands, set_by, findings)


def _about_repository(subject: Subject, at: Standing | None) -> Iterator[Finding]:
    """What was not looked at."""
    if at is None:
        yield Finding("no_repository", f"nothing is known of the file's history: {_why_none(subject)}")
        return
    if at.head is None:
        yield Finding("untracked", "the repository has no commit yet: nothing is known of the file's history")
    if any(entry.path == subject.name and entry.tracked for entry in at.entries):
        yield Finding("uncommitted", f"{subject.name} on disk is not as committed: what lies on disk was audited")
    changed = [entry for entry in at.entries if entry.path != subject.name]
    if changed:
        told = plural(len(changed), "uncommitted path")
        yield Finding("dirty", f"{told} in the work tree: what HEAD holds was audited")


def _about_commands(subject: Subject, runs: bool, adopt: bool) -> Iterator[Finding]:
    """What was not run."""
    left = [pointer_of(each.path) for each in subject.made.candidates if not each.fits] if adopt else []
    if left:
        more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        yield Finding("not_adopted", f"not plainly commands, left alone: {', '.join(left[:_SHOWN])}{more}")
    if not runs:
        yield Finding("nothing_run", "no command was run: --adopt-commands runs the file's own, --check CMD yours")
