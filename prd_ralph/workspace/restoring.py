"""What an attempt made, brought back into the work tree as staged changes on HEAD; all of it, or nothing is touched."""

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.workspace.attempts import Kept
from prd_ralph.workspace.files import is_file, is_folder, lstat, reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.standing import standing
from prd_ralph.workspace.status import join_z, split_z
from prd_ralph.workspace.texts import listed, one_line
from prd_ralph.workspace.threeway import merge


def bring_back(git: Git, kept: Kept, memory: Iterable[str], scratch: Path) -> tuple[str, ...]:
    """The paths that came back. `memory` files (prd.json, progress.txt) stay as they are; `scratch` is a folder.

    Raises BlockedError where the tree is not clean, something untracked is in the way, or HEAD has moved on so far
    that both do not go together.
    """
    memory = frozenset(memory)
    now = standing(git)
    dirty = tuple(entry.path for entry in now.entries if entry.tracked and entry.path not in memory)
    if dirty:
        raise BlockedError(f"not committed: {listed(dirty)}", "commit or stash it, then restore again")
    if now.head is None:
        raise BlockedError("there is no commit here to bring it back onto", "commit something first")
    base = _base_of(git, kept)
    merged = merge(git, base, now.head, kept.ref, scratch)
    if merged.conflicts:
        raise BlockedError(
            f"HEAD has moved on, and both changed {listed(merged.conflicts)}",
            f"see it with `git diff {base[:10]} {kept.ref}`, or get it as a branch: --branch NAME",
        )
    target = _without(git, now.head, merged.tree, memory, scratch)
    changed = _changed(git, now.head, target)
    in_the_way = tuple(path for path in changed["A"] if _occupied(git.root, path))
    if in_the_way:
        raise BlockedError(f"untracked, and in the way: {listed(in_the_way)}", "move it away, then restore again")
    git("read-tree", "-u", "-m", now.head, target)
    return tuple(sorted(path for paths in changed.values() for path in paths))


def make_branch(git: Git, kept: Kept, name: str) -> None:
    """A branch at the attempt's commit; nothing else is touched. Raises RalphError for a name that cannot be."""
    if not git.result("check-ref-format", "--branch", name).ok:
        raise RalphError(f"{one_line(name)} is no name for a branch", "as `ralph/second-look`")
    made = git.result("update-ref", "-m", f"prd-ralph restore {kept.ref}", f"refs/heads/{name}", kept.ref, "")
    if not made.ok:
        raise BlockedError(
            f"the branch {one_line(name)} cannot be made: it is there, or one is in its way", "another name"
        )


def bring_files(root: Path, attic: Path, paths: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Copies files that were moved to `attic` (a run's `moved/`) back to where they lay, where nothing is in the way.

    Those that came back, and for each other one where it still lies. What is there more than once nobody can tell
    apart, so that it stays.
    """
    came, stayed = [], []
    for path in dict.fromkeys(paths):
        found = _in_attic(attic, path)
        if not found:
            continue
        if len(found) == 1 and not _occupied(root, path) and _copied(found[0], root / path):
            came.append(path)
        else:
            stayed.append(f"{path}: {', '.join(map(str, found))}")
    return tuple(came), tuple(stayed)


def _base_of(git: Git, kept: Kept) -> str:
    """What the attempt's changes are against: its commit's first parent."""
    found = git.result("rev-parse", "--verify", "-q", f"{kept.ref}^1^{{commit}}")
    if not found.ok:
        raise BlockedError(f"{kept.ref} is not what prd-ralph wrote", f"git cat-file -p {kept.ref}")
    return found.stdout.decode("ascii").strip()


def _without(git: Git, head: str, tree: str, memory: frozenset[str], scratch: Path) -> str:
    """`tree` with the memory files as HEAD has them."""
    ours = [path for paths in _changed(git, head, tree).values() for path in paths if path in memory]
    if not ours:
        return tree
    index = scratch / "restore.index"
    try:
        git("read-tree", tree, index=index)
        git("update-index", "--force-remove", "-z", "--stdin", stdin=join_z(ours), index=index)
        entries = git("ls-tree", "-z", head, "--", *ours)
        git("update-index", "-z", "--index-info", stdin=entries, index=index)
        return git("write-tree", index=index).decode("ascii").strip()
    finally:
        index.unlink(missing_ok=True)


def _changed(git: Git, head: str, tree: str) -> dict[str, list[str]]:
    """Paths by what happens to them: `A` comes, `D` goes, `M` (or `T`) changes."""
    fields = split_z(git("diff-tree", "-r", "-z", "--no-renames", "--name-status", head, tree))
    found: dict[str, list[str]] = {"A": []}
    for status, path in zip(fields[::2], fields[1::2], strict=True):
        found.setdefault(status, []).append(path)
    return found


def _occupied(root: Path, path: str) -> bool:
    """Whether anything lies at the place, or where a folder above it would have to be."""
    parts = PurePosixPath(path).parts
    above = (lstat(root.joinpath(*parts[:depth])) for depth in range(1, len(parts)))
    return lstat(root / path) is not None or any(found is not None and not is_folder(found) for found in above)


def _in_attic(attic: Path, path: str) -> list[Path]:
    """Where it was moved to: each move has a numbered folder of its own. What names a place outside is nowhere."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or ".git" in parts or not is_folder(lstat(attic)):
        return []
    numbered = sorted(entry for entry in attic.iterdir() if entry.name.isdecimal() and is_folder(lstat(entry)))
    return [folder / path for folder in numbered if reached(folder, path) and lstat(folder / path) is not None]


def _copied(source: Path, target: Path) -> bool:
    """Whether it could be: a FIFO, a socket or a device is none that can."""
    found = lstat(source)
    if not (is_file(found) or is_folder(found)):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_folder(found):
        shutil.copytree(source, target, symlinks=True, ignore=_specials)
    else:
        shutil.copy2(source, target, follow_symlinks=False)
    return True


def _specials(folder: str, names: list[str]) -> list[str]:
    plain = (stat.S_ISREG, stat.S_ISLNK, stat.S_ISDIR)
    modes = {name: os.lstat(Path(folder, name)).st_mode for name in names}
    return [name for name, mode in modes.items() if not any(kind(mode) for kind in plain)]
