"""Notes the ground before an agent starts."""

import os
from dataclasses import replace
from pathlib import Path

from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import lstat
from prd_ralph.workspace.ground import (
    IGNORED_BOUNDS,
    UNTRACKED_BOUNDS,
    Ground,
    ignored_files,
    keep_files,
    keep_meta,
    save,
    untracked_files,
)
from prd_ralph.workspace.head import reflog_size
from prd_ralph.workspace.others import keep_stash, read_refs
from prd_ralph.workspace.status import IGNORED, UNTRACKED, below, check_ignore, status
from prd_ralph.workspace.unwatched import unwatched

_INTENT_TO_ADD = ".A"
_BYTECODE = "__pycache__"


def note(
    desk: Desk, base: str, branch: str | None, mine: frozenset[str], before: Ground | None, still: bool = False
) -> Ground:
    """The ground as it is now: what is untracked, less `mine` (the story's earlier attempts').

    Which ignored files are the person's, and what git's own files say, is seen once, `before` any agent: later ones are
    what tools and agents made. (`trust` sees git's own files anew.)
    `still`: nothing has run since `before` was noted, so that git need not look again.
    """
    if still and before is not None and before.saw_ignored:
        known, ignored, paths = before.known - mine, before.ignored, before.ignored_files
    else:
        known, ignored, paths = _look(desk, mine, before)
    marked = (before.unwatched, before.absent) if before and before.saw_ignored else unwatched(desk.git)
    known |= marked[0]
    desk.indexes.take(desk.location.index, desk.base_index)
    kept = before.files if before else {}
    left = known & before.left if before else frozenset[str]()
    theirs = (path for path in known - left if _BYTECODE not in path.split("/"))  # any run of the code writes it anew
    files, large = keep_files(desk.root, untracked_files(desk.root, theirs), desk.store, kept, UNTRACKED_BOUNDS)
    more, beyond = keep_files(desk.root, paths, desk.store, kept, IGNORED_BOUNDS)
    made = before.made if before else frozenset()
    hooks = before.own_hooks if before else own_hooks(desk)
    ground = Ground(
        base=base,
        known=known,
        unwatched=marked[0],
        absent=marked[1],
        left=left,
        ignored=ignored,
        ignored_files=tuple(more),
        files=files | more,
        meta=before.meta if before else keep_meta(desk.location, hooks, desk.store, {}),
        refs={ref: value for ref, value in read_refs(desk.git, desk.location).items() if ref not in made},
        stash=keep_stash(desk.location, desk.store),
        made=made,
        memory=keep_files(desk.root, desk.memory, desk.store, before.memory if before else {}, UNTRACKED_BOUNDS)[0],
        log_size=reflog_size(desk.location),
        branch=branch,
        hooks=(str(desk.location.common_dir / "hooks"), *_hook_paths(desk))[-1] if desk.location.linked else "",
        own_hooks=hooks,
        beyond=large + beyond,
    )
    save(ground, desk.ground_file)
    if before is not None:
        _forget_memory(desk, before, ground)
    return ground


def _forget_memory(desk: Desk, before: Ground, now: Ground) -> None:
    """Each attempt makes a version of the memory files, and a night would keep hundreds of them."""
    groups = (now.files, now.meta, now.memory)
    needed = {now.stash, *(file.digest for group in groups for file in group.values())}
    for digest in {file.digest for file in before.memory.values()} - needed:
        if digest is not None:
            desk.store.forget(digest)


def trust(desk: Desk, ground: Ground) -> Ground:
    """The ground with git's own files as they are now: what the person's commands and hooks made of them may stay."""
    return replace(ground, meta=keep_meta(desk.location, ground.own_hooks, desk.store, ground.meta))


def in_commits(desk: Desk) -> tuple[str, ...]:
    """Those of prd.json and progress.txt that git does not ignore."""
    ignored = check_ignore(desk.git, desk.memory, desk.base_index)
    return tuple(path for path in desk.memory if path not in ignored)


def _look(
    desk: Desk, mine: frozenset[str], before: Ground | None
) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """What is untracked, what of the person's is ignored, and the ignored files that are kept."""
    anew = before is None or not before.saw_ignored
    entries = status(desk.git, ignored=anew)
    untracked = (entry.path for entry in entries if entry.code in (UNTRACKED, _INTENT_TO_ADD))
    known = frozenset(path for path in untracked if path not in mine and not desk.own(path))
    if before is None or anew:
        ignored = frozenset(entry.path for entry in entries if entry.code == IGNORED and not desk.own(entry.path))
        return known, ignored, tuple(ignored_files(desk.root, ignored))
    hidden = _hidden(desk, before.known - before.left - known - mine)
    return known, before.ignored | hidden, (*before.ignored_files, *untracked_files(desk.root, hidden))


def _hidden(desk: Desk, paths: frozenset[str]) -> frozenset[str]:
    """Those of the person's untracked files that are there still, and that an agent's .gitignore hides from git."""
    there = [path for path in paths if lstat(desk.root / path)]
    return frozenset(check_ignore(desk.git, there, desk.base_index)) if there else frozenset()


def own_hooks(desk: Desk) -> str:
    """The folder in the work tree that the person's hooks are run from, relative to the root; empty for none.

    husky's own lie in a folder `_` of it, and run those beside.
    """
    where = Path(os.path.normpath(desk.root / (_hook_paths(desk) or [".git/hooks"])[-1]))
    folder = where.parent if where.name == "_" else where
    inside = folder.is_relative_to(desk.root) and folder != desk.root
    path = folder.relative_to(desk.root).as_posix() if inside else ""
    return "" if below(path, [".git"]) else path


def _hook_paths(desk: Desk) -> list[str]:
    """What `core.hooksPath` is set to, the last one counts; but for our own setting, which turns them off."""
    told = desk.git("config", "-z", "--type=path", "--get-all", "core.hooksPath")
    return told.decode("utf-8", "surrogateescape").split("\0")[:-2]
