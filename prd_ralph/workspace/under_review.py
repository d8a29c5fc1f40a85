"""A change that is under review: between which trees it lies, each file's part of it, and whether the tree holds still.

Read by git with an index of ours, hooks off. Nothing is written but, where the work tree itself is under review, loose
objects that no ref will ever hold.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.workspace.candidate import Rules, freeze
from prd_ralph.workspace.files import lstat, stamp
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import below, split_z, status

# `--text`: a .gitattributes of the change's own could call its tests binary.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--text", "--ignore-submodules=none")
_CONTEXT = "-U8"


@dataclass(frozen=True, slots=True)
class Change:
    """From `base`, a commit, to `tree`. `left_out`: files of the work tree that no commit takes up, and why."""

    base: str
    tree: str
    left_out: tuple[str, ...] = ()


def change_of_attempt(git: Git, ref: str) -> Change | None:
    """What the attempt kept under `ref` made of its base; None where nothing is kept there.

    Raises BlockedError where HEAD is neither that base nor a checkout on top of it: a command has moved it.
    """
    kept = git.result("rev-parse", f"{ref}^{{tree}}", f"{ref}^1")
    if not kept.ok:
        return None
    tree, base = kept.stdout.decode("ascii").split()
    if base not in (commit_of(git, "HEAD"), _commit(git, "HEAD^")):  # commands may run in a checkout made on top of it
        raise BlockedError(
            f"HEAD is not on {base[:12]}, where the attempt under review began: a command has moved it",
            "see what your verification commands do to git, then run again",
        )
    return Change(base, tree)


def change_of_work_tree(git: Git, base: str, index: Path, rules: Rules) -> Change:
    """What the work tree, new files included, makes of the commit `base`. `index`: a file that is to be made for it."""
    git("read-tree", base, index=index)
    frozen = freeze(git, index, _tree(git, base), rules)
    return Change(base, frozen.candidate.tree, frozen.candidate.left_out)


def change_of_commit(git: Git, commit: str) -> Change | None:
    """What a commit changed of its first parent; None where it has none."""
    base = _commit(git, f"{commit}^")
    return Change(base, _tree(git, commit)) if base else None


def commit_of(git: Git, name: str) -> str:
    """The commit that a person named. Raises RalphError where there is none of that name."""
    found = _commit(git, name)
    if found is None:
        hint = "commit something first" if name == "HEAD" else "git log shows what there is"
        raise RalphError(f"there is no commit {name}", hint)
    return found


def changed_paths(git: Git, change: Change, ours: tuple[str, ...]) -> tuple[str, ...]:
    """Every path that differs, less `ours` (files and folders)."""
    listed = split_z(git("diff-tree", "-r", "-z", "--name-only", *_PLAIN, change.base, change.tree))
    return tuple(path for path in listed if not below(path, ours))


def patch_of(git: Git, change: Change, path: str) -> str:
    """That file's part of the change, as `git diff` writes it; what is no UTF-8 is replaced."""
    told = git("diff-tree", "-r", "-p", _CONTEXT, *_PLAIN, change.base, change.tree, "--", path)
    return told.decode("utf-8", "replace")


def file_at(git: Git, commit: str, path: str) -> bytes | None:
    """A file as a commit has it; None where it has no file there."""
    found = git.result("cat-file", "blob", f"{commit}:{path}")
    return found.stdout if found.ok else None


def footprint(git: Git, index: Path) -> Mapping[str, object]:
    """What a look at the work tree shows: HEAD, and of each file that is not as in HEAD how, and its stamp.

    Two that are equal say that nobody has changed anything that git does not ignore. `index`: a file that the first of
    them makes, and the next one goes on with.
    """
    head = commit_of(git, "HEAD")
    if not index.exists():
        git("read-tree", head, index=index)
    seen: dict[str, object] = {"HEAD": head}
    for entry in status(git, index):
        found = lstat(os.path.join(git.root, entry.path))  # noqa: PTH118 - a path may end in `/`
        seen[entry.path] = (entry.code, found and stamp(found))
    return seen


def _commit(git: Git, name: str) -> str | None:
    found = git.result("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.stdout.decode("ascii").strip() if found.ok else None


def _tree(git: Git, commit: str) -> str:
    return git("rev-parse", "--verify", f"{commit}^{{tree}}").decode("ascii").strip()
