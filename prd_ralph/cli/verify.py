"""`prd-ralph verify`: the commands, run without an agent, and each flag held against what they say."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.checks import Bench
from prd_ralph.clean import clean_bench, setup_failed
from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.run_options import Check
from prd_ralph.cli.verified import Told, ended, lines, record
from prd_ralph.cli.wire import plan_of
from prd_ralph.clock import SystemClock
from prd_ralph.console import plural
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.model import CheckResult, RunPlan, Story
from prd_ralph.model import Prd as PrdModel
from prd_ralph.ports import Checkouts, Clock, PrdDocument, Processes
from prd_ralph.prdfile import JsonPrdFile, parse
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.verification import Verified, kept_for_landings, verify, was_interrupted
from prd_ralph.workspace.checkouts import GitCheckouts, clear_abandoned
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import resolve
from prd_ralph.workspace.history import landings
from prd_ralph.workspace.refs import read_current
from prd_ralph.workspace.standing import standing
from prd_ralph.workspace.texts import listed

SHORT = "Hold the flags against the commands."
EXAMPLE = "Example: prd-ralph verify US-001 US-002 · prd-ralph verify --at main --json"


@dataclass(frozen=True, slots=True)
class Tools:
    """What commands are run with; `git` is None outside of a repository."""

    processes: Processes
    clock: Clock
    git: Git | None


@dataclass(frozen=True, slots=True)
class CleanTools:
    """The same, for a checkout."""

    processes: Processes
    clock: Clock
    checkouts: Checkouts


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for: `ids` (empty: all stories), `land`: with what is for landings alone."""

    ids: tuple[str, ...] = ()
    land: bool = False
    write: bool = False


def command(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="The stories. Default: all.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="With the commands that are for landings alone.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Set the flags by what was proved, both ways.")] = False,
    at: Annotated[
        str | None, typer.Option("--at", metavar="COMMIT", help="Judge a commit, in a fresh checkout of it.")
    ] = None,
    check: Check = None,
    prd: Prd = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="A command fails, too, whose output makes its pass suspect.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Run the stories' commands, each distinct one once, and hold every flag against what they say. No agent starts.

    Exits with 1 where a flag is true though a command fails, or though there is no command to prove it; also where
    --write has just taken such a flag back.
    """
    if write and at:
        raise RalphError("--write sets the flags of the work tree, --at looks at a commit", "leave one of them out")
    project = open_project({"prd": prd, "check": check, "strict": strict})
    signals = StopSignals()
    signals.install()
    try:
        told = _verified(project, signals, Wish(tuple(ids or ()), everything, write), at)
    except RalphError:
        if signals.signal is None:
            raise
        signals.end_by(signals.signal)
    if signals.signal is not None:
        signals.end_by(signals.signal)
    if as_json:
        answer(record(told))
    else:
        for line in lines(told):
            typer.echo(line)
    return ExitCode.OK if all(each.finding.holds for each in told.found) else ExitCode.UNFINISHED


def _verified(project: Project, signals: StopSignals, wish: Wish, at: str | None) -> Told:
    prd_file = project.prd_file()
    plan = plan_of(project, prd_file)
    with SupervisedProcesses(signals, mask=project.mask) as processes, _lock(project, wish):
        git = Git(processes, project.root, project.env) if project.location else None
        tools = Tools(processes, SystemClock(), git)
        if at is None:
            return _in_the_tree(project, prd_file, plan, tools, wish)
        return _at(project, prd_file, plan, tools, wish, at)


def _lock(project: Project, wish: Wish) -> AbstractContextManager[object]:
    return project.state.lock(project.worktree) if wish.write else nullcontext()


def _in_the_tree(project: Project, prd_file: JsonPrdFile, plan: RunPlan, tools: Tools, wish: Wish) -> Told:
    document = prd_file.load()
    stories = _chosen(document.prd, wish.ids)
    before = _edited(tools.git)
    _tell_of_the_tree(project, tools.git, before - {plan.prd}, wish)
    with bench_of(project, plan, tools.clock) as bench:
        found = verify(tools, plan, bench, document.prd, stories, land=wish.land, report=_report(project))
    _tell_of_landings(plan, document.prd, stories, wish)
    changed = tuple(sorted(_edited(tools.git) - before))
    if prd_file.read() != document.data:
        changed = tuple(dict.fromkeys((*changed, plan.prd)))
    if changed:
        typer.echo(f"warning: the commands have changed {listed(changed)}", err=True)
    written = _write(prd_file, document, found) if wish.write and not was_interrupted(found) else {}
    told = Told(plan.prd, found, changed=changed, written=written, mask=project.mask.text)
    return _with_receipts(project, tools.git, document.prd, told)


def _at(project: Project, prd_file: JsonPrdFile, plan: RunPlan, tools: Tools, wish: Wish, at: str) -> Told:
    """Of a commit: its prd.json, its commands, its `setup`, in a fresh checkout of it."""
    location = project.repository
    git = tools.git or Git(tools.processes, project.root, project.env)
    commit = resolve(git, at)
    if not commit:
        raise RalphError(f"--at {at}: no such commit", "git log --oneline shows which there are")
    blob = git.result("cat-file", "blob", f"{commit}:{plan.prd}")
    if not blob.ok:
        raise RalphError(f"the commit {at} has no {plan.prd}", "name it as it was called then: --prd FILE")
    document = parse(blob.stdout, f"{at}:{plan.prd}")
    stories = _chosen(document.prd, wish.ids)
    clear_abandoned(location)
    clean = CleanTools(tools.processes, tools.clock, GitCheckouts(git, location))
    plan = replace(plan, verify_in="clean")
    with (
        bench_of(project, plan, tools.clock) as bench,
        clean_bench(clean, plan, bench, commit, document.prd.setup) as there,
    ):
        if there.broken:
            raise setup_failed(there.broken)
        found = verify(clean, plan, there.bench, document.prd, stories, land=wish.land, report=_report(project))
        for note in there.notes:
            typer.echo(f"warning: {note}", err=True)
    _tell_of_landings(plan, document.prd, stories, wish)
    told = Told(plan.prd, found, at=commit, mask=project.mask.text)
    return _with_receipts(project, git, document.prd, told)


def _chosen(prd: PrdModel, ids: tuple[str, ...]) -> tuple[Story, ...]:
    known = {story.id: story for story in prd.stories}
    unknown = [story_id for story_id in ids if story_id not in known]
    if unknown:
        raise RalphError(f"no story {', '.join(unknown)}", f"there are: {', '.join(known)}")
    return tuple(known[story_id] for story_id in ids) if ids else prd.stories


def _edited(git: Git | None) -> frozenset[str]:
    """Tracked files that are not as HEAD has them."""
    return frozenset(entry.path for entry in standing(git).entries if entry.tracked) if git else frozenset()


def _tell_of_the_tree(project: Project, git: Git | None, edited: frozenset[str], wish: Wish) -> None:
    """What else than HEAD the commands are going to see. Raises BlockedError where no flag may follow from that."""
    if git is None:
        return
    current = read_current(git)
    if current is not None:
        key = current.key
        told = f"the work of {key.story} attempt {key.number} lies in the tree"
        if wish.write:
            raise BlockedError(told, f"prd-ralph run takes it up, prd-ralph reset {key.story} sets it aside")
        typer.echo(f"warning: {told}, and the commands see it", err=True)
    elif edited:
        typer.echo(f"warning: the commands see what is not committed: {listed(tuple(sorted(edited)))}", err=True)


@contextmanager
def bench_of(project: Project, plan: RunPlan, clock: Clock) -> Iterator[Bench]:
    """Where commands run that are no part of a run: in the work tree, their output kept as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="prd-ralph-verify-") as folder:
        mark = f"verify.{os.urandom(8).hex()}"
        ends = clock.monotonic() + plan.limits.run_s
        yield Bench("", mark, Path(folder), project.root, project.check_env, ends)


def _report(project: Project) -> Callable[[CheckResult], None]:
    return lambda result: typer.echo(project.mask.text(ended(result)), err=True)


def _write(prd_file: JsonPrdFile, document: PrdDocument, found: tuple[Verified, ...]) -> dict[str, bool]:
    """Sets the flags, and only these; what each has become. Raises ForeignChangeError for a file that changed."""
    written = {each.story.id: each.flag for each in found if each.flag is not None}
    data = document.data
    for story_id, passes in written.items():
        data = prd_file.flipped(data, story_id, passes)
    if data != document.data:
        prd_file.write(data, document.data)
        for story_id, passes in written.items():
            typer.echo(f"{story_id}: passes is {'true' if passes else 'false again'}", err=True)
        typer.echo(not_committed(prd_file), err=True)
    return written


def not_committed(prd_file: JsonPrdFile) -> str:
    """What is said once a command has changed prd.json: to commit it is the person's."""
    return f"{prd_file.name} is changed, not committed"


def _tell_of_landings(plan: RunPlan, prd: PrdModel, stories: tuple[Story, ...], wish: Wish) -> None:
    left = 0 if wish.land else len(kept_for_landings(plan, prd, stories))
    if left:
        typer.echo(f"not run: {plural(left, 'command')} kept for landings; --all runs them", err=True)


def _with_receipts(project: Project, git: Git | None, prd: PrdModel, told: Told) -> Told:
    """With what the landings' trailers say, as information: no flag follows from it."""
    if git is None:
        return told
    known = landings(git, project.repository, told.prd, prd.branch, told.at or "HEAD")
    return replace(told, receipts=known.records)
