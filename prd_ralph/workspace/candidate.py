"""The candidate: the work tree as a tree object, made with an index of ours that no agent's bits reach.

git's own `add -A` is no use here: it dies as a whole on an embedded repository and on a file that became a folder.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.ports import Candidate
from prd_ralph.workspace.files import is_file, is_folder, lstat, reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.staging import generated, generated_folder, why_not
from prd_ralph.workspace.status import UNTRACKED, Entry, below, check_ignore, join_z, split_z, status

_NAMED = 20
_SUBMODULES = ".gitmodules"


@dataclass(frozen=True, slots=True)
class Rules:
    """What stays out. `ours`: prd.json, progress.txt, our own folder and draft; `theirs`: what of the person's is
    untracked or ignored. `forced` are files that the agent staged or committed although git ignores them.
    """

    ours: tuple[str, ...]
    theirs: frozenset[str] = frozenset()
    never_stage: tuple[str, ...] = ()
    forced: frozenset[str] = frozenset()

    def outside(self, path: str) -> bool:
        return path in self.theirs or below(path, self.ours)

    def holds_theirs(self, folder: str) -> bool:
        """Whether a person's file lies below."""
        return folder.endswith("/") and any(path.startswith(folder) for path in self.theirs)


@dataclass(slots=True)
class _Sorted:
    """What becomes of each path; `left_out` by path, with the reason."""

    added: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    unlandable: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Frozen:
    """The candidate; `left_out`: paths that are the attempt's, yet no part of it.

    `new`: those that base hasn't, and links whose end no commit takes up.
    """

    candidate: Candidate
    left_out: frozenset[str]
    new: tuple[str, ...]


def freeze(git: Git, index: Path, base_tree: str, rules: Rules) -> Frozen:
    """Makes `index` (a copy of base's) the candidate's."""
    entries = status(git, index)
    if any(entry.path == _SUBMODULES for entry in entries):  # it can say that a submodule is not to be looked at
        entries = status(git, index, False, "--ignore-submodules=none")
    found = _sort(git.root, entries, rules)
    ignored = _newly_ignored(git, index, entries, rules)
    stage(git, index, found.removed, found.added)
    tree = git("write-tree", index=index).decode("ascii").strip() if found.removed or found.added else base_tree
    paths = () if tree == base_tree else tuple(sorted(found.added | found.removed))
    reasons = dict(sorted((found.left_out | ignored).items()))
    tracked = {entry.path for entry in entries if entry.tracked}
    return Frozen(
        Candidate(
            tree, paths, tuple(f"{path}: {why}" for path, why in reasons.items()), tuple(sorted(found.unlandable))
        ),
        frozenset(found.left_out),
        (
            *(path for path in reasons if path not in tracked and not rules.holds_theirs(path)),
            *(path for path in sorted(found.added) if _leads_out(git.root, path)),
        ),
    )


def stage(git: Git, index: Path, removed: Iterable[str], added: Iterable[str]) -> None:
    """Takes paths out of and into an index: two calls, removals first (a link may stand where a folder was)."""
    if gone := join_z(sorted(removed)):
        git("update-index", "--force-remove", "-z", "--stdin", stdin=gone, index=index)
    if new := join_z(sorted(added)):
        git("update-index", "--add", "--replace", "-z", "--stdin", stdin=new, index=index)


def _sort(root: Path, entries: Iterable[Entry], rules: Rules) -> _Sorted:
    found = _Sorted()
    for entry in entries:
        if rules.outside(entry.path):
            continue
        if entry.code == UNTRACKED:
            _sort_new(root, entry.path, rules, found)
        elif entry.edited:
            _sort_changed(root, entry, found)
    for path in sorted(rules.forced):
        if not rules.outside(path) and reached(root, path):
            _sort_forced(root, path, rules, found)
    return found


def _sort_forced(root: Path, path: str, rules: Rules, found: _Sorted) -> None:
    folder = generated_folder(path) or next(
        (each for each in rules.theirs if each[-1] == "/" and below(path, [each[:-1]])), ""
    )
    if folder:
        found.left_out[folder] = "ignored by git"
    else:
        _sort_new(root, path, rules, found)


def _sort_new(root: Path, path: str, rules: Rules, found: _Sorted) -> None:
    here = lstat(root / path)
    if here is None or not (is_file(here) or path.endswith("/")):
        return
    why = why_not(path, here.st_size, rules.never_stage)
    if not why and not _readable(root / path):
        why = "cannot be read"
    if why:
        found.left_out[path] = why
    else:
        found.added.add(path)


def _sort_changed(root: Path, entry: Entry, found: _Sorted) -> None:
    here = lstat(root / entry.path)
    if entry.code[1] == "M" and is_folder(here):
        found.left_out[entry.path] = "a submodule"
        found.unlandable |= {entry.path} if entry.content else set()
    elif entry.code[1] == "D" or not is_file(here):
        found.removed.add(entry.path)
    elif not _readable(root / entry.path):
        found.left_out[entry.path] = "cannot be read"
        found.unlandable.add(entry.path)
    else:
        found.added.add(entry.path)


def _leads_out(root: Path, path: str) -> bool:
    """Whether it is a link to something outside of the work tree, or in git's own folder."""
    link = root / path
    if not link.is_symlink():
        return False
    try:
        end, top = link.resolve(), root.resolve()
    except (OSError, RuntimeError):  # it leads nowhere but to itself
        return False
    return not end.is_relative_to(top) or end.is_relative_to(top / ".git")


def _readable(path: Path) -> bool:
    return path.is_symlink() or os.access(path, os.R_OK)


def _newly_ignored(git: Git, index: Path, entries: Iterable[Entry], rules: Rules) -> dict[str, str]:
    """Files that only a .gitignore of this attempt hides: the checks see them, a commit would not."""
    sources = {entry.path for entry in entries if entry.path.rsplit("/", 1)[-1] == ".gitignore"}
    if not sources:
        return {}
    listed = git("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z", index=index)
    hidden = [path for path in split_z(listed) if not rules.outside(path) and not generated(path)]
    sourced = check_ignore(git, hidden, index) if hidden else {}
    named = [path for path, source in sourced.items() if source in sources]
    return dict.fromkeys(named[:_NAMED], "ignored by a .gitignore that this attempt changed")
