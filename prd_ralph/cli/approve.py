"""`prd-ralph approve`: a person's word for what no command can prove, by name, and marked as such from then on."""

from dataclasses import dataclass
from typing import Annotated

import typer

from prd_ralph.cli.options import Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.verified import ended, failure
from prd_ralph.cli.verify import bench_of
from prd_ralph.cli.wire import plan_of
from prd_ralph.clock import SystemClock
from prd_ralph.errors import BlockedError, ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.landing import prd_name
from prd_ralph.model import MARK_VARIABLE, Approval, CheckResult, RunPlan, Story
from prd_ralph.ports import Clock, PrdDocument, Processes
from prd_ralph.prdfile import JsonPrdFile, with_approval
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.verification import verify, was_interrupted
from prd_ralph.wording.text import one_line
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import resolve
from prd_ralph.workspace.memory import commit_of, move_head, refresh_index, uncommitted
from prd_ralph.workspace.refs import read_current
from prd_ralph.workspace.standing import Standing, standing

SHORT = "Record a person's word for a story."
EXAMPLE = "Example: prd-ralph approve US-007 --note 'looked at in Firefox and Safari'"
_NAME_LIMIT = 100


@dataclass(frozen=True, slots=True)
class _Tools:
    processes: Processes
    clock: Clock


def command(
    story_id: Annotated[str, typer.Argument(metavar="ID", help="The story.")],
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so. Default: git's user.")] = None,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What was looked at.")] = "",
    prd: Prd = None,
) -> int:
    """Say by name that a story passes whose criteria no command can prove. Its commands, if it has any, must hold.

    The word is kept in prd.json, and committed with it alone. No agent can give it.
    """
    project = open_project({"prd": prd})
    if project.env.get(MARK_VARIABLE):
        raise RalphError("an agent cannot approve a story", "a person does, outside of the run")
    prd_file = project.prd_file()
    plan = plan_of(project, prd_file)
    signals = StopSignals()
    signals.install()
    with SupervisedProcesses(signals, mask=project.mask) as processes, project.state.lock(project.worktree):
        git = Git(processes, project.root, project.env)
        document = prd_file.load()
        story = _story(document, story_id)
        if story.approved:
            typer.echo(f"{story.id}: {story.approved.by} has approved it already, {story.approved.at}", err=True)
            return ExitCode.OK
        _refuse_unlanded(git)
        approval = Approval(_name(git, by), SystemClock().now(), one_line(note, len(note) + 1))
        held = _commands_hold(project, plan, document, story, processes)
        if held:
            _record(project, prd_file, plan, git, document, story, approval)
    if signals.signal is not None:
        signals.end_by(signals.signal)
    return ExitCode.OK


def _story(document: PrdDocument, story_id: str) -> Story:
    try:
        return document.prd.story(story_id)
    except KeyError:
        known = ", ".join(each.id for each in document.prd.stories)
        raise RalphError(f"no story {story_id}", f"there are: {known}") from None


def _refuse_unlanded(git: Git) -> None:
    """Nobody can say of work that is in no commit that it is done. Raises BlockedError."""
    current = read_current(git)
    if current is not None:
        key = current.key
        raise BlockedError(
            f"the work of {key.story} attempt {key.number} lies in the tree",
            f"prd-ralph run takes it up, prd-ralph reset {key.story} sets it aside; or commit it yourself first",
        )


def _name(git: Git, by: str | None) -> str:
    """Who approves: `Name <address>` as git would write it, unless it is given. Raises RalphError without one."""
    if by is not None and not one_line(by).strip():
        raise RalphError("--by: a name is missing", "--by 'Ann Lee', or leave it out: git's user is taken then")
    told = by if by is not None else git.result("var", "GIT_AUTHOR_IDENT").stdout.decode("utf-8", "replace")
    name = told if by is not None else told.rpartition(">")[0] + ">" * (">" in told)
    if not one_line(name).strip():
        raise RalphError("who approves it? git knows no user.name and user.email", "--by NAME, or git config them")
    return one_line(name.strip(), _NAME_LIMIT)


def _commands_hold(project: Project, plan: RunPlan, document: PrdDocument, story: Story, processes: Processes) -> bool:
    """Runs all of the story's commands; False where a signal came. Raises ProblemsError where one fails."""
    tools = _Tools(processes, SystemClock())

    def report(result: CheckResult) -> None:
        typer.echo(project.mask.text(ended(result)), err=True)

    with bench_of(project, plan, tools.clock) as bench:
        found = verify(tools, plan, bench, document.prd, (story,), land=True, report=report)
    if was_interrupted(found):
        return False
    failed = [result for each in found for result in each.results if not result.passed]
    if failed:
        hint = "a person's word is for what no command can prove: mend it, or take the command out"
        told = (f"{story.id} cannot be approved: {project.mask.text(failure(result))}" for result in failed)
        raise ProblemsError([Problem(line, hint) for line in told], ExitCode.UNFINISHED)
    return True


def _record(
    project: Project,
    prd_file: JsonPrdFile,
    plan: RunPlan,
    git: Git,
    document: PrdDocument,
    story: Story,
    approval: Approval,
) -> None:
    now = standing(git)
    why = _uncommittable(project, git, now, plan.prd)
    prd_file.write(with_approval(document.data, story.id, approval), document.data)
    typer.echo(f"{story.id}: approved by {approval.by}", err=True)
    branch = document.prd.branch
    if branch not in (None, now.branch) and resolve(git, f"refs/heads/{branch}"):
        typer.echo(f"note: runs work on {branch}, where the {plan.prd} of that branch counts", err=True)
    if not why:
        message = approval_message(prd_name(plan, document.prd), story.id, approval)
        why = _commit(git, now, plan.prd, project.mask.text(message))
    if why:
        typer.echo(f"not committed, it stands in {plan.prd} alone: {why}", err=True)


def _uncommittable(project: Project, git: Git, now: Standing, path: str) -> str:
    """Why the word cannot be committed alone; empty where it can."""
    if now.head is None:
        return "there is no commit yet"
    if path in uncommitted(now.entries):
        return "the file has other changes that are not committed"
    if not git("ls-tree", "--name-only", now.head, "--", path):
        return "git ignores the file"
    if any((project.repository.git_dir / name).exists() for name in ("MERGE_HEAD", "rebase-merge", "rebase-apply")):
        return "a merge or rebase is going on"
    return ""


def approval_message(prd: str, story_id: str, approval: Approval) -> str:
    """Subject, note and trailers of the commit; read back as a landing's are."""
    name = one_line(story_id, _NAME_LIMIT)
    trailers = {"Story": story_id, "Prd": prd, "Proof": "approved", "Approved-By": approval.by}
    lines = (f"Prd-Ralph-{key}: {one_line(value, len(value) + 1)}" for key, value in trailers.items())
    note = f"{approval.note}\n\n" if approval.note else ""
    return f"chore: {name} approved by {approval.by}\n\n{note}" + "\n".join(lines)


def _commit(git: Git, now: Standing, path: str, message: str) -> str:
    """Commits the file alone; why it could not be done, or an empty text."""
    try:
        commit = commit_of(git, now.head, (path,), message)
        move_head(git, commit, now.head, message.partition("\n")[0])
        refresh_index(git, (path,))
    except RalphError as error:
        return str(error)
    return ""
