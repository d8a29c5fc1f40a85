"""The start of a run: its branch, and one commit of the memory files that are not committed yet. And its end.

Objects are made first and refs are moved last, so that what is refused has changed nothing.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import cannot_write
from prd_ralph.ports import Opened, Opening
from prd_ralph.workspace.branches import Branch, blob, find_base, find_branch, passing
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.memory import commit_of, move_head, refresh_index, text, uncommitted
from prd_ralph.workspace.standing import Standing, standing, untracked
from prd_ralph.workspace.status import IGNORED, split_z
from prd_ralph.workspace.switching import name_head, switch_tree, write_from

_MESSAGE = "chore: record the PRD before the run"


@dataclass(frozen=True, slots=True)
class _Ground:
    """What the opening commit is made on. `branch` None: the run stays where HEAD is.

    `start`: the commit (None: the first one is to be made); `held`: the memory files that it holds.
    """

    now: Standing
    branch: Branch | None
    start: str | None
    held: frozenset[str]

    @property
    def moves(self) -> bool:
        """Whether the work tree may have to change."""
        return self.start is not None and self.start != self.now.head

    @property
    def joins(self) -> bool:
        """Whether the branch exists already, and what it holds counts."""
        return self.branch is not None and self.branch.commit is not None


def open_run(git: Git, location: Location, opening: Opening) -> Opened:
    """Puts the repository on the run's branch with the memory files committed. Preflight has been passed.

    Raises BlockedError or GitError (exit 3).
    """
    ground = _ground(git, opening)
    carried = tuple(path for path in opening.memory if _is_carried(git.root, opening, ground, path))
    commit = commit_of(git, ground.start, carried, _MESSAGE)
    notices = tuple(_notices(git, location, opening, ground))
    _move(git, location, opening, ground, carried, commit)
    branch = ground.branch.name if ground.branch else ground.now.branch
    return Opened(commit, branch, untracked(git), notices)


def close(git: Git, memory: tuple[str, ...], message: str, look: Callable[[], None] = lambda: None) -> str | None:
    """Commits the memory files where they differ from HEAD; the commit, or None. Before anything is written it looks.

    Raises as `open_run` does, and as `look` does.
    """
    now = standing(git, memory)
    paths = tuple(path for path in memory if path in uncommitted(now.entries))
    if not paths:
        return None
    look()
    commit = commit_of(git, now.head, paths, message)
    if commit != now.head:
        move_head(git, commit, now.head, message)
    refresh_index(git, paths)
    return commit if commit != now.head else None


def _ground(git: Git, opening: Opening) -> _Ground:
    now = standing(git, opening.memory, ignored=True)
    branch, start = None, now.head
    if opening.branch not in (None, now.branch):
        branch = find_branch(git, opening.branch)
        base = find_base(git, opening.base_branch) if opening.base_branch else None
        start = branch.commit or base or now.head
    held = git("ls-tree", "-z", "--name-only", start, "--", *opening.memory) if start else b""
    return _Ground(now, branch, start, frozenset(split_z(held)))


def _is_carried(root: Path, opening: Opening, ground: _Ground, path: str) -> bool:
    """Whether the file as it lies on disk goes into the opening commit.

    On a branch that exists, what it holds of prd.json counts, and what it holds of the others unless the person's is
    uncommitted. On a new one, what lies on disk counts: this is what the person started the run with.
    """
    if path == opening.prd and _has_own_prd(opening, ground):
        return False
    codes = {entry.code for entry in ground.now.entries if entry.path == path}
    if codes == {IGNORED}:
        return path in ground.held
    if not ground.moves:
        return bool(codes)
    return os.path.lexists(root / path) and (bool(codes) or not ground.joins or path not in ground.held)


def _has_own_prd(opening: Opening, ground: _Ground) -> bool:
    return ground.joins and opening.prd in ground.held


def _notices(git: Git, location: Location, opening: Opening, ground: _Ground) -> Iterator[str]:
    """What the person must know, and what is kept for them."""
    codes = {entry.code for entry in ground.now.entries if entry.path == opening.prd}
    if codes == {IGNORED} and opening.prd not in ground.held:
        yield f"{opening.prd} is ignored by git: the flag lives in the file alone, the commits carry the trailers"
    if codes and codes != {IGNORED} and (claimed := _claims(git, opening, ground)):
        yield f"{opening.prd} says that {', '.join(claimed)} pass, which no commit of it does: taken as it stands"
    if codes and _has_own_prd(opening, ground):
        kept = _keep_copy(git, location, opening.prd, str(ground.start))
        if kept and ground.branch:
            yield f"the branch {ground.branch.name} has its own {opening.prd}, which counts; yours is kept as {kept}"


def _claims(git: Git, opening: Opening, ground: _Ground) -> list[str]:
    """Stories that pass by the file on disk alone: a person's word, or that of whoever wrote to it since."""
    file = git.root / opening.prd
    now = passing(file.read_bytes() if file.is_file() else None)
    before = passing(blob(git, ground.start, opening.prd)) if ground.start else frozenset()
    return sorted(now - before)


def _keep_copy(git: Git, location: Location, path: str, commit: str) -> Path | None:
    """Saves the person's file in the state folder, unless git would store it as `commit` holds it already."""
    file = git.root / path
    if not file.is_file():
        return None
    data = file.read_bytes()
    ours = text(git("hash-object", "--stdin", "--path", path, stdin=data))
    if ours == text(git("rev-parse", f"{commit}:{path}")):
        return None
    copy = location.state / "saved" / f"{ours[:12]}-{file.name}"
    try:
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy.write_bytes(data)
    except OSError as error:
        raise cannot_write(copy, error) from error
    return copy


def _move(
    git: Git, location: Location, opening: Opening, ground: _Ground, carried: tuple[str, ...], commit: str
) -> None:
    """Work tree, refs, index, in this order: each earlier one may refuse, and only then has the next been touched."""
    replaced = _has_own_prd(opening, ground) and any(entry.path == opening.prd for entry in ground.now.entries)
    kept = (*carried, opening.prd) if replaced else carried
    if ground.moves:
        switch_tree(git, location.git_dir / "index", ground.now.head, commit, kept)
    if replaced:
        write_from(git, commit, opening.prd)
    _move_refs(git, ground, commit)
    if ground.moves:
        git("reset", "-q")
    else:
        refresh_index(git, kept)


def _move_refs(git: Git, ground: _Ground, commit: str) -> None:
    """An unborn branch gets the first commit too, as the one that the run's branch is made from."""
    now, branch = ground.now, ground.branch
    if commit != now.head and (branch is None or ground.start is None):
        move_head(git, commit, now.head, _MESSAGE)
    if branch is None:
        return
    if branch.commit != commit:
        git("update-ref", "-m", f"commit: {_MESSAGE}", branch.ref, commit, branch.commit or "")
    name_head(git, branch.name, now.branch, now.head)
