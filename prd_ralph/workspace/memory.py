"""Commits of the memory files alone: prd.json, its PRD, progress.txt.

Made from a temporary index and by plumbing, so that nothing else is ever staged, no hook runs, and a commit that is
refused changes nothing; HEAD moves by compare-and-swap.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import IGNORED, Entry, join_z
from prd_ralph.workspace.texts import said


@contextmanager
def scratch_index() -> Iterator[Path]:
    """A path for an index of ours, and for its lock beside it."""
    with TemporaryDirectory(prefix="prd-ralph-") as folder:
        yield Path(folder) / "index"


def uncommitted(entries: tuple[Entry, ...]) -> frozenset[str]:
    """Paths that `git status` tells of, less the ignored ones."""
    return frozenset(entry.path for entry in entries if entry.code != IGNORED)


def commit_of(git: Git, parent: str | None, paths: tuple[str, ...], message: str) -> str:
    """A commit on `parent` with `paths` as they lie on disk (absent ones removed); no ref is moved.

    `parent` itself where nothing differs. Raises GitError, and BlockedError where the environment refuses the commit.
    """
    if parent and not paths:
        return parent
    with scratch_index() as index:
        git("read-tree", parent or "--empty", index=index)
        if paths:
            git("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=join_z(paths), index=index)
        tree = text(git("write-tree", index=index))
    if parent and text(git("rev-parse", f"{parent}^{{tree}}")) == tree:
        return parent
    signed = text(git("config", "--type=bool", "--get", "commit.gpgsign", statuses=(0, 1))) == "true"
    options = (*(("-S",) if signed else ()), *(("-p", parent) if parent else ()))
    told = git.result("commit-tree", *options, "-F", "-", tree, stdin=f"{message}\n".encode())
    if not told.ok:
        raise BlockedError(f"git refuses the commit of {', '.join(paths)}: {said(told)}", "git commit shows the same")
    return text(told.stdout)


def move_head(git: Git, commit: str, expected: str | None, message: str) -> None:
    """HEAD, or the branch that it names, goes on to `commit`. Raises GitError where it is not `expected` any more."""
    reason = f"commit: {message}" if expected else f"commit (initial): {message}"
    git("update-ref", "-m", reason, "HEAD", commit, expected or "")


def refresh_index(git: Git, paths: tuple[str, ...]) -> None:
    """The person's index holds `paths` as HEAD does; whatever else is staged stays so."""
    if paths:
        git("reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=join_z(paths))


def text(data: bytes) -> str:
    """One word of git's."""
    return os.fsdecode(data).strip()
