"""Work trees of prd-ralph's own, beside the repository: `<repo>-prd-ralph/ralph-1`, `ralph-2`, …; used again and again.

One is free when no run holds its lock, nothing uncommitted lies in it, and no commit that only its HEAD holds. One
whose folder is gone is made anew; one that a person has locked (`git worktree lock`) is left alone, as is one that was
moved elsewhere, and whatever has another name: it is none of ours.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location, discover
from prd_ralph.workspace.preflight import is_under_way
from prd_ralph.workspace.standing import standing
from prd_ralph.workspace.texts import said

_BRANCH = "refs/heads/"
_NAME = re.compile(r"ralph-[0-9]+")
_HELD_BY = ("refs/heads", "refs/tags", "refs/remotes")
_TEMPLATES = ".prd-ralph/"


@dataclass(frozen=True, slots=True)
class Tree:
    """A linked work tree, as git lists it. `branch` None: detached."""

    path: Path
    branch: str | None
    locked: bool

    @property
    def gone(self) -> bool:
        """Whether its folder was deleted."""
        return not (self.path / ".git").is_file()


@dataclass(frozen=True, slots=True)
class Place:
    """The work tree that a run gets. `on_branch`: it has the run's branch checked out already."""

    location: Location
    on_branch: bool = False
    notes: tuple[str, ...] = ()


def pool_folder(location: Location) -> Path:
    """Where the repository's pool lies: beside its main work tree."""
    main = location.common_dir.parent if location.common_dir.name == ".git" else location.root
    return main.with_name(f"{main.name}-prd-ralph")


def take(
    git_in: Callable[[Path], Git], location: Location, branch: str | None, is_free: Callable[[str], bool]
) -> Place:
    """A free work tree of the pool, or a new one: on `branch` where one has it, else at the HEAD of `location`.

    `git_in` is git in a folder; `is_free` says of a work tree's name whether no run holds its lock. Raises BlockedError
    where none can be made, or a run is on the branch already.
    """
    git = git_in(location.root)
    head = git.result("rev-parse", "--verify", "-q", "HEAD^{commit}").stdout.decode("ascii").strip()
    if not head:
        raise BlockedError("--worktree begins at a commit, and there is none yet", "git commit first")
    pool = tuple(tree for tree in trees(git) if _is_ours(tree, location))
    notes = [f"{tree.path} is locked (git worktree lock): left alone" for tree in pool if tree.locked]
    usable = sorted((tree for tree in pool if not tree.locked), key=lambda tree: tree.branch != branch)
    for tree in usable:
        on_branch = branch is not None and tree.branch == branch
        if tree.gone:
            notes.append(f"{tree.path} was deleted: made anew")
            return Place(_add(git, tree.path, head), notes=tuple(notes))
        found = discover(tree.path)
        if not is_free(found.git_dir.name):
            if on_branch:
                raise BlockedError(f"a run is at work on {branch}, in {tree.path}", "prd-ralph status shows it")
            continue
        if on_branch or _is_clean(git_in(found.root), found):
            if not on_branch:
                _go_to(git_in(found.root), head)
            return Place(found, on_branch, tuple(notes))
    return Place(_add(git, next(_names(location, pool)), head), notes=tuple(notes))


def trees(git: Git) -> Iterator[Tree]:
    """The repository's linked work trees."""
    told = os.fsdecode(git("worktree", "list", "--porcelain"))
    for block in told.strip().split("\n\n")[1:]:
        facts = dict(line.partition(" ")[::2] for line in block.splitlines())
        branch = facts.get("branch", "").removeprefix(_BRANCH) or None
        yield Tree(Path(facts["worktree"]), branch, "locked" in facts)


def _is_ours(tree: Tree, location: Location) -> bool:
    return tree.path.parent == pool_folder(location) and _NAME.fullmatch(tree.path.name) is not None


def _is_clean(git: Git, found: Location) -> bool:
    """Whether a run may take it from where it is: no attempt lies in it, nothing uncommitted, and nothing is lost.

    Templates that git does not have stay where they are.
    """
    lying = [entry for entry in standing(git).entries if entry.tracked or not entry.path.startswith(_TEMPLATES)]
    if lying or is_under_way(found.git_dir) or git.result("rev-parse", "-q", "--verify", _CURRENT).ok:
        return False
    return bool(git("for-each-ref", "--count=1", "--contains", "HEAD", *_HELD_BY, literal=False))


_CURRENT = "refs/worktree/prd-ralph/current"


def _go_to(git: Git, commit: str) -> None:
    told = git.result("checkout", "-q", "--detach", commit)
    if not told.ok:
        raise BlockedError(f"{git.root} cannot go to {commit[:12]}: {said(told)}", f"git worktree remove {git.root}")


def _add(git: Git, path: Path, commit: str) -> Location:
    """`-f` takes over what git still has of one that was deleted."""
    told = git.result("worktree", "add", "-q", "-f", "--detach", str(path), commit, literal=False)
    if not told.ok:
        raise BlockedError(
            f"no work tree can be made at {path}: {said(told)}", "make room there, or git worktree prune"
        )
    return discover(path)


def _names(location: Location, pool: tuple[Tree, ...]) -> Iterator[Path]:
    """Those that are not taken, in order."""
    known = {tree.path for tree in pool}
    paths = (pool_folder(location) / f"ralph-{number}" for number in count(1))
    return (path for path in paths if path not in known and not os.path.lexists(path))
