"""`prd-ralph plan`: from a PRD in markdown to prd.json, by rules alone: no text is dropped in silence."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Annotated

import typer

from prd_ralph.cli.answer import answer, answer_bytes, show_bytes
from prd_ralph.cli.detected import record as proposal
from prd_ralph.cli.detected import told
from prd_ralph.cli.extras import AgentCommand, AgentName, Detect, Extras, Model, Phases, WriteDetected, planned
from prd_ralph.cli.findings import finding_record, say, surroundings
from prd_ralph.cli.markdown import Markdown, read_markdown
from prd_ralph.cli.options import AsJson
from prd_ralph.cli.origin import moved_to
from prd_ralph.cli.planned import (
    diff_of,
    losses,
    noticed,
    record,
    records,
    summary,
    unplaced,
    warnings,
    without_command,
)
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.replanned import lines
from prd_ralph.cli.replanned import records as decided
from prd_ralph.cli.target import Made, check, existing, fresh, merge, source_path, target_of
from prd_ralph.console import plural
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.planning.detection import Proposal
from prd_ralph.planning.replan import Choice
from prd_ralph.planning.values import Plan
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile, lint

SHORT = "Make prd.json of a PRD in markdown."
EXAMPLE = "Example: prd-ralph plan tasks/prd-login.md --merge"
STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for."""

    prd: str
    output: str | None
    merge: bool
    force: bool
    choice: Choice
    diff: bool
    strict: bool
    as_json: bool
    extras: Extras

    @property
    def printed(self) -> bool:
        return self.output == STDOUT

    @property
    def touches_nothing(self) -> bool:
        return self.diff or self.printed

    def misuse(self) -> str:
        """What contradicts itself; "" where nothing does."""
        if self.merge and self.force:
            return "--merge keeps what is there and --force does not"
        if self.choice != Choice() and not (self.merge or self.diff):
            return "--theirs and --prune say how to --merge"
        if self.printed and (self.diff or self.as_json):
            return "-o - and --diff or --json are both for stdout"
        return ""


def command(
    prd: Annotated[str, typer.Argument(metavar="PRD.md", help="The PRD, a folder of story files, or `-` for stdin.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The prd.json to write; `-` for stdout.")
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Take into the prd.json that is there what changed in the PRD.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write it anew: every flag in it is false again.")] = False,
    theirs: Annotated[
        bool, typer.Option("--theirs", help="Where both the PRD and prd.json changed, take the PRD's.")
    ] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Drop the stories that the PRD has dropped.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change, and write nothing.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse text without a place; 1 on doubts.")] = False,
    phases: Phases = None,
    detect: Detect = False,
    write_detected: WriteDetected = False,
    agent: AgentName = None,
    agent_command: AgentCommand = None,
    model: Model = None,
    as_json: AsJson = False,
) -> int:
    """Turn the stories of a PRD into prd.json. Text that no rule has a place for is listed with its line.

    With --agent it is asked of an agent, which can change nothing: what it lost of the PRD or added to it is listed.

    Exits with 2 where no plan can be made, and with 1 where a merge leaves a conflict to you or --strict finds doubts.
    """
    extras = Extras(bool(agent or agent_command), phases, detect, write_detected)
    wish = Wish(prd, output, merge, force, Choice(theirs, prune), diff, strict, as_json, extras)
    try:
        return _run(wish, {"agent": agent, "agent_command": agent_command, "model": model})
    except RalphError as error:
        if not as_json:
            raise
        answer({"errors": [record(problem) for problem in error.problems]})
        return error.code


@dataclass(frozen=True, slots=True)
class Job:
    """The way from one to the other: what was read, what was planned of it, and where it goes (None: to stdout)."""

    wish: Wish
    project: Project
    markdown: Markdown
    plan: Plan
    target: JsonPrdFile | None
    proposals: tuple[Proposal, ...]

    @property
    def name(self) -> str:
        return self.target.name if self.target else "prd.json"

    def made(self, before: bytes | None) -> tuple[Made, PrdDocument]:
        """What is to be there instead of `before`, and what our own reader makes of it."""
        root, path = self.project.root, source_path(self.project, self.markdown)
        if before is None or not before.strip() or self.wish.force:
            made = fresh(self.plan, path)
        else:
            made = merge(before, self.name, root, self.plan, path, self.wish.choice)
        return made, check(made, self.name, root, self.plan, self.markdown)


def _run(wish: Wish, flags: Mapping[str, object]) -> int:
    if fault := wish.misuse():
        raise RalphError(fault, "choose one: prd-ralph plan --help")
    project = open_project({"prd": None if wish.printed else wish.output, **flags})
    markdown = read_markdown(wish.prd, project.here)
    target = target_of(project, markdown) if wish.merge or not wish.printed else None
    with _lock(wish, project):
        before = existing(target) if target else None
        job = _planned(wish, project, markdown, target, before)
        made, document = job.made(before)
        if target and not wish.touches_nothing and made.data != before:
            target.write(made.data, before)
    doubts = lint(document, job.name, surroundings(project, document, job.name))
    _answer(job, before, made, document, doubts)
    return ExitCode.UNFINISHED if made.replan.conflicts or (wish.strict and doubts) else ExitCode.OK


def _planned(wish: Wish, project: Project, markdown: Markdown, target: JsonPrdFile | None, before: bytes | None) -> Job:
    """The job with its plan. What would be refused for all that is refused before an agent is paid."""
    if wish.extras.agent:
        _refuse_to_replace(wish, target, before)
    plan, proposals = planned(project, markdown, wish.extras, target.path if target else None)
    if wish.strict and (lost := losses(markdown, plan)):
        raise ProblemsError(lost)
    _refuse_to_replace(wish, target, before)
    return Job(wish, project, markdown, plan, target, proposals)


def _lock(wish: Wish, project: Project) -> AbstractContextManager[object]:
    """Who writes prd.json holds the lock: not while a run goes on."""
    return nullcontext() if wish.touches_nothing or not project.location else project.state.lock(project.worktree)


def _refuse_to_replace(wish: Wish, target: JsonPrdFile | None, before: bytes | None) -> None:
    if target and before and before.strip() and not (wish.merge or wish.force or wish.diff):
        raise RalphError(
            f"{target.name} exists already",
            "--merge takes into it what changed in the PRD, --diff shows that first, --force writes it anew",
        )


def _answer(job: Job, before: bytes | None, made: Made, document: PrdDocument, doubts: tuple[Problem, ...]) -> None:
    wish, markdown, plan = job.wish, job.markdown, job.plan
    changed = made.data != before
    bare = without_command(markdown, made.places or plan.places, document, job.project.extra, job.name)
    diff = diff_of(job.name, before, made.data) if wish.diff else ""
    if wish.as_json:
        written = job.name if changed and not wish.diff else None
        shown: dict[str, object] = {"diff": diff} if wish.diff else {}
        if wish.extras.detects:
            shown["detected"] = [proposal(each) for each in job.proposals]
        answer(
            {
                "written": written,
                **records(markdown, plan, document, bare),
                "decisions": decided(made.replan, markdown),
                "findings": [finding_record(problem) for problem in doubts],
                **shown,
            }
        )
        return
    problems = (*unplaced(markdown, plan), *noticed(markdown, plan, bare))
    moved = moved_to(before, made.data, job.name) if made.replan.decisions else ()
    for line in (*warnings(problems), *moved, *lines(made.replan, markdown, job.name)):
        typer.echo(line, err=True)
    say(doubts)
    for line in told(job.proposals, written=wish.extras.write_detected) if wish.extras.detects else ():
        typer.echo(line, err=True)
    if wish.diff:
        show_bytes(diff.encode("utf-8", "surrogateescape"))
    elif wish.printed:
        answer_bytes(made.data)
    typer.echo(
        _last(job, summary(document, bare), changed=changed, conflicts=len(tuple(made.replan.conflicts))), err=True
    )


def _last(job: Job, told: str, *, changed: bool, conflicts: int) -> str:
    """`wrote prd.json: 5 stories, 2 without commands`"""
    if job.wish.printed:
        return told
    if conflicts:
        told = f"{told}, {plural(conflicts, 'conflict')} left to you"
    done = "would write" if job.wish.diff else "wrote"
    return f"{done} {job.name}: {told}" if changed else f"{job.name}: nothing to change: {told}"
