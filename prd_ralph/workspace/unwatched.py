"""Tracked files that a person has told git not to look at (git-update-index(1): skip-worktree, assume-unchanged).

What they hold is in no commit, and git would show no change of an agent's: they are guarded like untracked files.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from prd_ralph.workspace.files import Attic, is_file, lstat, reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import join_z, split_z


def unwatched(git: Git) -> tuple[frozenset[str], frozenset[str]]:
    """Those that lie on disk, and those that do not; what a sparse checkout leaves out is neither, git sees to it."""
    marked = marks(git)
    there = frozenset(path for path in marked if is_file(lstat(git.root / path)) and reached(git.root, path))
    gone = marked.keys() - there
    sparse = bool(gone) and is_sparse(git)
    return there, frozenset(path for path in gone if not (sparse and marked[path] == "S"))


def marks(git: Git, index: Path | None = None) -> dict[str, str]:
    """Paths with such a bit, each with git's letter: `S` skip-worktree, a small one assume-unchanged."""
    listed = split_z(git("ls-files", "-v", "-z", index=index))
    return {line[2:]: line[0] for line in listed if line[0] == "S" or line[0].islower()}


def is_sparse(git: Git) -> bool:
    return git("config", "--type=bool", "--get", "core.sparseCheckout", statuses=(0, 1)).strip() == b"true"


def mark_again(git: Git, index: Path, wanted: frozenset[str]) -> None:
    """Of an index that an agent may have edited: `wanted` (where they are tracked) are not looked at, all else is."""
    marked, sparse = marks(git, index), is_sparse(git)
    bare = [path for path, letter in marked.items() if path not in wanted and not (sparse and letter == "S")]
    _update(git, index, "--no-assume-unchanged", bare)
    if not sparse:
        _update(git, index, "--no-skip-worktree", bare)
    tracked = split_z(git("ls-files", "-z", index=index)) if wanted else ()
    _update(git, index, "--skip-worktree", [path for path in tracked if path in wanted and path not in marked])


def _update(git: Git, index: Path, option: str, paths: Iterable[str]) -> None:
    if listed := join_z(paths):
        git("update-index", option, "-z", "--stdin", stdin=listed, index=index)


def guard_absent(root: Path, paths: Iterable[str], attic: Attic) -> Iterator[str]:
    """Moves away what has appeared where git does not look; names it."""
    for path in sorted(paths):
        if reached(root, path) and lstat(root / path) is not None:
            attic.take(root, path)
            yield path
