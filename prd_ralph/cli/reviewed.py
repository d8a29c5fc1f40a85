"""What a review is about: the story as it was asked for, the change, and what the commands have said of it so far.

None of it is taken from where the agent under review, or a test that it wrote, could have put other things: what is in
git as of base comes from there, the attempt's change from its ref.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from prd_ralph.assets import asset
from prd_ralph.cli.init import REVIEW_PROMPT, TEMPLATES
from prd_ralph.cli.project import Project
from prd_ralph.cli.prompt import story_called
from prd_ralph.console import printable
from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.ledger import checked
from prd_ralph.model import AGENT_EMAIL, MARK_VARIABLE, STORY_VARIABLE, AttemptKey, Check, CheckResult, Prd, Story
from prd_ralph.names import attempt_ref, draft_name, encode_story
from prd_ralph.ports import ReviewContext
from prd_ralph.prdfile import parse
from prd_ralph.prompts import JinjaReviewPrompt
from prd_ralph.reviewing.showing import shown
from prd_ralph.state import RunFolder
from prd_ralph.workspace.candidate import Rules
from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.history import landings
from prd_ralph.workspace.staging import OWN_FOLDER
from prd_ralph.workspace.under_review import (
    Change,
    change_of_attempt,
    change_of_commit,
    change_of_work_tree,
    changed_paths,
    commit_of,
    file_at,
    patch_of,
)

_MARK = re.compile(r"(\d{8}T\d{6}Z-[0-9a-f]{4})\.([^.]+)\.(\d+)")
_NAME = (TEMPLATES / REVIEW_PROMPT).as_posix()


@dataclass(frozen=True, slots=True)
class Matter:
    """`attempt`: the one whose change it is; None: it is the work tree's. `warnings` are for the person."""

    story: Story
    change: Change
    context: ReviewContext
    prompt: JinjaReviewPrompt
    attempt: AttemptKey | None
    warnings: tuple[str, ...]


def matter_of(project: Project, git: Git, folder: Path, named: str | None, base: str | None, form: str) -> Matter:
    """Finds all of it out. `named`: the story's id (None: the one whose command this is), `base`: a commit (None: HEAD,
    or what the attempt began on). `folder` is for files of ours. Where nothing has changed since HEAD, the change is
    the story's landing.

    Raises RalphError for what is not there, ProblemsError for a prd.json or a template that cannot be used.
    """
    story_id = named or project.env.get(STORY_VARIABLE)
    if not story_id:
        raise RalphError("no story is named", "name one: prd-ralph review US-001")
    path = project.prd_file().path.relative_to(project.root).as_posix()
    attempt, kept = _kept(project, git, story_id)
    since = commit_of(git, base or "HEAD")
    trusted = kept.base if kept else since
    prd = _prd(project, file_at(git, trusted, path) if kept else None, path)
    story = story_called(prd, story_id)
    ours = _ours(path)
    if kept is not None:
        change = replace(kept, base=since) if base else kept
    else:
        rules = Rules(ours, never_stage=project.settings.never_stage)
        change = change_of_work_tree(git, since, folder / "change.index", rules)
    paths = changed_paths(git, change, ours)
    if not paths and kept is None and base is None:
        change = _landed(project, git, path, prd, story_id)
        paths = changed_paths(git, change, ours)
    checks = prd.checks_for(story, project.extra)
    results, more = _results(project, attempt, checks)
    change_shown = shown(paths, lambda changed: patch_of(git, change, changed))
    judging = tuple(check for check in checks if check.when != "land")  # no review is told of itself
    context = ReviewContext(prd, story, judging, change_shown, form, results, more, change.left_out)
    prompt, warnings = _template(project, git, trusted)
    return Matter(story, change, context, prompt, attempt, warnings)


def attempt_of(env: Mapping[str, str], story_id: str) -> AttemptKey | None:
    """The attempt that this process belongs to, as its innermost mark says, where it is one at this story."""
    found = _MARK.fullmatch(env.get(MARK_VARIABLE, "").rpartition(":")[2])
    if found is None or found[2] != encode_story(story_id):
        return None
    return AttemptKey(found[1], story_id, int(found[3]))


def _kept(project: Project, git: Git, story_id: str) -> tuple[AttemptKey | None, Change | None]:
    """The attempt whose command this is, and what it ended in; neither where it is nobody's command.

    An author may ask for a review within its own attempt: then it is the work tree that there is. Raises BlockedError
    where a command of an attempt finds none of its end state.
    """
    attempt = attempt_of(project.env, story_id)
    if attempt is None:
        return None, None
    ref = attempt_ref(attempt.run, attempt.story, attempt.number)
    kept = change_of_attempt(git, ref)
    if kept is None and project.env.get("GIT_COMMITTER_EMAIL") != AGENT_EMAIL:
        hint = 'in a verification command, "when": "land" keeps a review for what an agent has done'
        raise BlockedError(f"there is nothing to review yet: no {ref}", hint)
    return (attempt, kept) if kept else (None, None)


def _ours(prd: str) -> tuple[str, ...]:
    """What is part of no change: the PRD with its flags and notes, the memory, our own folder."""
    path = PurePosixPath(prd)
    return (prd, str(path.with_name("progress.txt")), str(path.with_name(draft_name(path.name))), OWN_FOLDER)


def _prd(project: Project, data: bytes | None, path: str) -> Prd:
    """As base has it; the file itself where it is in no commit, or where no attempt is under review."""
    return (project.prd_file().load() if data is None else parse(data, path, project.root)).prd


def _landed(project: Project, git: Git, path: str, prd: Prd, story_id: str) -> Change:
    """What the story's newest landing changed. Raises RalphError where there is none: no agent is paid for nothing."""
    found = landings(git, project.repository, path, prd.branch).records.get(story_id)
    change = change_of_commit(git, found.commit) if found else None
    if change is None:
        told = f"nothing to review: {printable(story_id)} has not landed, and nothing has changed since HEAD"
        raise RalphError(told, "--base COMMIT")
    return change


def _results(
    project: Project, attempt: AttemptKey | None, checks: tuple[Check, ...]
) -> tuple[tuple[CheckResult, ...], int]:
    """Those of commands that anybody may know, and how many others there were: a hidden one is named to no agent."""
    if attempt is None:
        return (), 0
    found = checked(RunFolder(project.state, attempt.run).events, attempt)
    known = {check.text for check in checks}
    named = tuple(result for result in found if result.check.text in known)
    return named, len(found) - len(named)


def _template(project: Project, git: Git, base: str) -> tuple[JinjaReviewPrompt, tuple[str, ...]]:
    """The person's template as `base` has it: who is under review may have edited the one that lies there."""
    committed = file_at(git, base, _NAME)
    there = project.root / _NAME
    used = "the shipped one" if committed is None else "the committed one"
    differs = os.path.lexists(there) and read_plain(there) != committed
    warnings = (f"{_NAME} is not as in {base[:12]}: {used} is used",) if differs else ()
    return JinjaReviewPrompt(_NAME, committed, asset(f"templates/{REVIEW_PROMPT}")), warnings
