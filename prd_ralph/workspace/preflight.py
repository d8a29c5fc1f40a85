"""What would stop a run later, looked for before anything is changed or paid: all of it, in one go."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from prd_ralph.errors import Problem
from prd_ralph.model import ProcessEnd
from prd_ralph.ports import Opening
from prd_ralph.workspace.branches import blob, find_base, find_branch, story_ids
from prd_ralph.workspace.git import Git, GitError
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.standing import Standing, standing, untracked
from prd_ralph.workspace.status import Entry
from prd_ralph.workspace.texts import listed, one_line, said

__all__ = ["preflight", "untracked"]

_SIGNING_LIMIT_S = 60.0
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}
_WAYS_OUT = {"bisect": "git bisect reset"}


def preflight(
    git: Git,
    location: Location,
    opening: Opening,
    resuming: bool = False,
    signing_limit_s: float = _SIGNING_LIMIT_S,
) -> tuple[Problem, ...]:
    """Everything that forbids a run here; nothing is written but, where commits are signed, one loose object.

    `resuming`: the tree holds the last run's own work, so that uncommitted changes are none of ours to refuse.
    """
    try:
        now = standing(git)
    except GitError as error:
        return (_unreadable(error, git.root),)
    going_on = _operations(location.git_dir)
    return (
        *going_on,
        *(() if going_on else _head(now, opening)),
        *_dirt(now, opening.memory, resuming),
        *_committing(git, now, signing_limit_s),
        *_folders(location),
        *_branch(git, now, opening),
    )


def _unreadable(error: GitError, root: Path) -> Problem:
    if "safe.directory" in error.stderr:
        return Problem(f"{root} belongs to another user", f"git config --global --add safe.directory {root}")
    return Problem(f"git cannot read the repository: {one_line(error.stderr)}", "git status, and mend what it says")


def is_under_way(git_dir: Path) -> bool:
    """Whether a merge, a rebase or the like is going on there."""
    return bool(_operations(git_dir))


def _operations(git_dir: Path) -> tuple[Problem, ...]:
    names = dict.fromkeys(name for file, name in _OPERATIONS.items() if (git_dir / file).exists())
    if not names and (git_dir / "sequencer").exists():
        names = {"cherry-pick or revert": None}
    return tuple(
        Problem(f"a {name} is going on", _WAYS_OUT.get(name, f"git {name.split()[0]} --continue, or --abort"))
        for name in names
    )


def _head(now: Standing, opening: Opening) -> Iterator[Problem]:
    if now.branch is None and opening.branch is None:
        yield Problem("HEAD is detached", 'git switch to a branch, or name one as "branchName" in prd.json')


def _dirt(now: Standing, memory: tuple[str, ...], resuming: bool) -> Iterator[Problem]:
    """A file in conflict is no one's to commit, so it is refused whoever left it."""
    conflicts = [entry for entry in now.entries if entry.conflict]
    others = [entry for entry in now.entries if not entry.conflict and entry.path not in memory]
    if conflicts:
        yield Problem(f"in conflict: {_listed(conflicts)}", "resolve and commit, or git restore")
    staged = [entry for entry in others if entry.staged]
    changed = [entry for entry in others if entry.edited]
    if staged and not resuming:
        yield Problem(f"staged but not committed: {_listed(staged)}", "git commit, or git stash")
    if changed and not resuming:
        yield Problem(f"changed but not committed: {_listed(changed)}", "git commit, or git stash")


def _committing(git: Git, now: Standing, limit_s: float) -> Iterator[Problem]:
    for who in ("AUTHOR", "COMMITTER"):
        told = git.result("var", f"GIT_{who}_IDENT")
        if not told.ok:
            yield Problem(
                "git does not know whose commits these are to be",
                "git config user.name NAME, git config user.email ADDRESS",
            )
            return
    if git.result("config", "--type=bool", "--get", "commit.gpgsign").stdout.strip() == b"true":
        yield from _signing(git, now, limit_s)


def _signing(git: Git, now: Standing, limit_s: float) -> Iterator[Problem]:
    """A signed commit that no ref will ever hold."""
    tree = f"{now.head}^{{tree}}" if now.head else git("hash-object", "-t", "tree", "--stdin").decode().strip()
    told = git.result("commit-tree", "-S", "-m", "prd-ralph: can commits be signed?", tree, limit_s=limit_s)
    if told.end is ProcessEnd.WALL:
        yield Problem(
            f"commits are to be signed, and the signer did not answer within {limit_s:g} s",
            "unlock the key first (it may ask for its passphrase), or git config commit.gpgsign false",
        )
    elif not told.ok:
        yield Problem(
            f"commits are to be signed, and cannot be: {said(told)}",
            "mend user.signingKey or gpg.program, or git config commit.gpgsign false",
        )


def _folders(location: Location) -> Iterator[Problem]:
    lock, state = location.git_dir / "index.lock", location.state
    if lock.exists():
        yield Problem(f"{lock} exists: another git command is at work", "wait for it; if none is, remove that file")
    if os.path.lexists(state) and not state.is_dir():
        yield Problem(f"{state} is not a folder", "move it away")
    elif not os.access(state if state.is_dir() else location.common_dir, os.W_OK | os.X_OK):
        yield Problem(f"{state} cannot be written", "runs are recorded there: mend its owner or permissions")


def _branch(git: Git, now: Standing, opening: Opening) -> Iterator[Problem]:
    name = opening.branch
    if name is None or name == now.branch:
        return
    if not git.result("check-ref-format", f"refs/heads/{name}").ok or name.startswith("-"):
        yield Problem(f"git allows no branch of the name {name!r}", 'change "branchName" in prd.json')
        return
    branch = find_branch(git, name)
    if branch.rivals:
        yield Problem(
            f"the branch {name} cannot be beside {listed(branch.rivals)}",
            'rename one, or change "branchName" in prd.json',
        )
    elif branch.commit is None:
        yield from _base(git, opening.base_branch)
    else:
        if branch.worktree:
            yield Problem(
                f"the branch {name} is checked out in {branch.worktree}",
                "run there, or end that worktree (git worktree remove, git worktree prune)",
            )
        yield from _other_prd(git, branch.commit, opening)


def _base(git: Git, base: str | None) -> Iterator[Problem]:
    if base is not None and find_base(git, base) is None:
        yield Problem(f"the base branch {base} does not exist", 'git fetch, or change "baseBranch" in prd.json')


def _other_prd(git: Git, commit: str, opening: Opening) -> Iterator[Problem]:
    """On a branch that exists, its own prd.json is the one that counts: it must be about the same stories."""
    data = blob(git, commit, opening.prd)
    if data is not None and story_ids(data) != frozenset(opening.story_ids):
        yield Problem(
            f"the branch {opening.branch} holds another {opening.prd}: its stories have other ids",
            'choose another "branchName", or git switch to that branch and run what it holds',
        )


def _listed(entries: Iterable[Entry]) -> str:
    return listed(tuple(entry.path + (" (submodule)" if entry.submodule else "") for entry in entries))
