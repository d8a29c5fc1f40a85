"""Changes the branch while the memory files stay on disk as they are.

`git switch` refuses where one of them is changed. So the two trees that git is to go between are made equal in them,
and it never looks at these files: there is no moment at which prd.json is away.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.memory import scratch_index, text
from prd_ralph.workspace.status import join_z, split_z
from prd_ralph.workspace.texts import listed, said

_ABSENT = (b"0", b"", b"0" * 40)  # as `update-index --index-info` takes a removal


def switch_tree(git: Git, index: Path, head: str | None, commit: str, kept: tuple[str, ...]) -> None:
    """Takes the work tree from `head` to `commit`, all but `kept`; HEAD and the person's `index` are left alone.

    Raises BlockedError, with nothing changed, where an untracked file or an uncommitted change is in the way.
    """
    held = _entries(git, commit, kept)
    with scratch_index() as ours:
        git("read-tree", head or "--empty", index=ours)
        before = _with_entries(git, ours, held)
        if index.exists():
            shutil.copy2(index, ours)
        _with_entries(git, ours, held)
        blocking = tuple(_in_the_way(git, before, commit))
        if blocking:
            raise BlockedError(f"untracked, and in the way of {commit[:12]}: {listed(blocking)}", "move them away")
        told = git.result("read-tree", "--no-recurse-submodules", "-m", "-u", before, commit, index=ours)
    if not told.ok:
        raise BlockedError(
            f"the work tree cannot go to {commit[:12]}: {said(told)}", "move these files away, or commit"
        )


def write_from(git: Git, commit: str, path: str) -> None:
    """Writes the file as `commit` holds it over the one on disk."""
    with scratch_index() as ours:
        git("read-tree", commit, index=ours)
        git("checkout-index", "-f", "-q", "-z", "--stdin", stdin=join_z([path]), index=ours)


def name_head(git: Git, branch: str, before: str | None, head: str | None) -> None:
    """HEAD is on `branch`; the reflog says it as git does, so that `git switch -` leads back."""
    git("symbolic-ref", "-m", f"checkout: moving from {before or head} to {branch}", "HEAD", f"refs/heads/{branch}")


def _in_the_way(git: Git, before: str, after: str) -> Iterator[str]:
    """What lies untracked where the switch would put a file. git itself takes ignored files for worthless."""
    changes = split_z(git("diff-tree", "-r", "--no-renames", "--name-status", "-z", before, after))
    gone = {path for status, path in zip(changes[::2], changes[1::2], strict=True) if status == "D"}
    for status, path in zip(changes[::2], changes[1::2], strict=True):
        if status == "A":
            yield from (found for found in _occupants(git.root, path) if found not in gone)


def _occupants(root: Path, path: str) -> Iterator[str]:
    """The file that lies at `path` or above it, or those that lie below it."""
    for place in (path, *map(str, PurePosixPath(path).parents)):
        here = root / place
        if os.path.lexists(here) and (here.is_symlink() or not here.is_dir()):
            yield place
    if (root / path).is_dir() and not (root / path).is_symlink():
        yield from (str(file.relative_to(root)) for file in (root / path).rglob("*") if not file.is_dir())


def _entries(git: Git, commit: str, paths: tuple[str, ...]) -> bytes:
    """Lines for `update-index --index-info`: each path as `commit` holds it, or its removal."""
    told = git("ls-tree", "-z", commit, "--", *paths) if paths else b""
    rows = (row.split(b"\t", 1) for row in told.split(b"\0") if row)
    found = {path: tuple(facts.split()) for facts, path in rows}
    lines = []
    for path in map(os.fsencode, paths):
        mode, _, blob = found.get(path, _ABSENT)
        lines.append(mode + b" " + blob + b"\t" + path + b"\0")
    return b"".join(lines)


def _with_entries(git: Git, index: Path, lines: bytes) -> str:
    """The tree of `index` with these entries in it."""
    git("update-index", "-z", "--index-info", stdin=lines, index=index)
    return text(git("write-tree", index=index))
