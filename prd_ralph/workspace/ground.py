"""The ground before an agent starts: what is the person's, and what an agent may not change, as it is now.

It is written to the run's folder too, so that a start after a kill can still put it back.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path

from prd_ralph.workspace.files import (
    LARGE,
    Kept,
    Store,
    is_file,
    is_folder,
    keep,
    lstat,
    read_plain,
    scan,
    walk,
    write_whole,
)
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.staging import generated

IGNORED_BOUNDS = (2_000, 64 << 20)
UNTRACKED_BOUNDS = (20_000, 256 << 20)
CONFIG = "prd-ralph.toml"
_SAMPLE = ".sample"
_SERVED = "info/refs"  # git's own housekeeping writes it


@dataclass(frozen=True, slots=True)
class Ground:
    """`known`: untracked and not the agent's, or `unwatched`: tracked, but a person has told git not to look
    (skip-worktree, assume-unchanged), so that their bytes are in no commit; `absent`: the same, and not on disk.
    `ignored`: what of the person's git ignores (folders end in `/`). `left`: of `known` what commands left behind,
    which is nobody's: it is neither put back nor taken up.

    `files` (by path in the work tree) and `meta` (by absolute path) are put back after an attempt, and so are `refs`
    (what each said) and the log of the stash, `stash` by its name in the store; `made` are refs of earlier attempts.
    `memory`: prd.json and progress.txt. `log_size` is the length of HEAD's reflog. `hooks` is
    `core.hooksPath` as it was, where a linked work tree's config is not put back; `own_hooks` the folder in the work
    tree that it means, if it means one. `strays`: what lies under protected
    patterns though base has it not. `saw_ignored` False: what is ignored has still to be noted. `beyond` counts the
    files that are too many or too large to be kept.
    """

    base: str
    known: frozenset[str] = frozenset()
    unwatched: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()
    ignored_files: tuple[str, ...] = ()
    files: Mapping[str, Kept] = field(default_factory=dict)
    meta: Mapping[str, Kept] = field(default_factory=dict)
    refs: Mapping[str, str] = field(default_factory=dict)
    stash: str = ""
    made: frozenset[str] = frozenset()
    memory: Mapping[str, Kept] = field(default_factory=dict)
    log_size: int = 0
    branch: str | None = None
    hooks: str = ""
    own_hooks: str = ""
    strays: frozenset[str] = frozenset()
    saw_ignored: bool = True
    beyond: int = 0

    def kept(self, ignored: bool) -> dict[str, Kept]:
        """The person's files that git ignores, or those that are merely untracked."""
        names = frozenset(self.ignored_files)
        return {path: file for path, file in self.files.items() if (path in names) is ignored}


def meta_files(location: Location, own_hooks: str) -> Iterator[Path]:
    """The files that change what git, the hooks or prd-ralph do; git's samples of hooks do nothing."""
    yield from walk(location.root / CONFIG)
    if own_hooks:
        yield from walk(location.root / own_hooks)
    for folder in {location.common_dir, location.git_dir}:
        for name in ("config", "config.worktree", "shallow", "hooks", "info", "objects/info/alternates"):
            files = walk(folder / name)
            yield from (file for file in files if file != folder / _SERVED and file.suffix != _SAMPLE)


def keep_meta(location: Location, own_hooks: str, store: Store, before: Mapping[str, Kept]) -> dict[str, Kept]:
    """Remembers git's own files as they are; those that are as `before` aren't read again."""
    kept = ((str(path), keep(path, store, before.get(str(path)))) for path in meta_files(location, own_hooks))
    return {path: file for path, file in kept if file is not None}


def keep_files(
    root: Path, paths: Iterable[str], store: Store, before: Mapping[str, Kept], bounds: tuple[int, int]
) -> tuple[dict[str, Kept], int]:
    """Remembers the files at `paths`, within `bounds` (files, bytes in all); and how many lay beyond them."""
    found: dict[str, Kept] = {}
    size = beyond = 0
    for path in paths:
        here = lstat(root / path)
        if here is None or not is_file(here):
            continue
        size += here.st_size if here.st_size <= LARGE else 0
        if len(found) >= bounds[0] or size > bounds[1]:
            beyond += 1
            continue
        beyond += here.st_size > LARGE
        file = keep(root / path, store, before.get(path))
        if file is not None:
            found[path] = file
    return found, beyond


def ignored_files(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """The files at and below `paths`; folders that tools fill are passed over."""
    return (file for path in sorted(paths) if not generated(path) for file in _below(root, path, skip=generated))


def untracked_files(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """The files at and below `paths`; of an embedded repository all but its git folder."""
    return (file for path in sorted(paths) for file in _below(root, path, skip=lambda name: name == ".git"))


def _below(root: Path, path: str, skip: Callable[[str], bool]) -> Iterator[str]:
    if not is_folder(lstat(root / path)):
        yield path
        return
    levels = [iter(_listed(root, path.rstrip("/")))]  # an agent may make it as deep as it likes
    while levels:
        here = next(levels[-1], None)
        if here is None:
            levels.pop()
            continue
        inner, entry = here
        if skip(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            levels.append(iter(_listed(root, inner)))
        else:
            yield inner


def _listed(root: Path, folder: str) -> list[tuple[str, os.DirEntry[str]]]:
    """What lies in it, by name, each with its path; nothing where that may not be seen, or is too deep to be named."""
    listed = scan(root / folder) if os.access(root / folder, os.R_OK | os.X_OK) else []
    return sorted(((f"{folder}/{entry.name}", entry) for entry in listed), key=lambda each: each[0])


def save(ground: Ground, file: Path) -> None:
    """Writes the ground as one JSON object (paths that are no UTF-8 as lone surrogates)."""
    record = {
        "base": ground.base,
        "known": sorted(ground.known),
        "unwatched": sorted(ground.unwatched),
        "absent": sorted(ground.absent),
        "left": sorted(ground.left),
        "ignored": sorted(ground.ignored),
        "ignored_files": ground.ignored_files,
        "files": {path: astuple(kept) for path, kept in ground.files.items()},
        "meta": {path: astuple(kept) for path, kept in ground.meta.items()},
        "refs": dict(ground.refs),
        "stash": ground.stash,
        "memory": {path: astuple(kept) for path, kept in ground.memory.items()},
        "log_size": ground.log_size,
        "branch": ground.branch,
        "hooks": ground.hooks,
        "own_hooks": ground.own_hooks,
        "strays": sorted(ground.strays),
    }
    write_whole(file, json.dumps(record).encode("ascii"))


def load(file: Path) -> Ground | None:
    """What `save` wrote; None where it is not there or not whole."""
    try:
        record = json.loads(read_plain(file) or b"")
        return Ground(
            base=record["base"],
            known=frozenset(record["known"]),
            unwatched=frozenset(record["unwatched"]),
            absent=frozenset(record["absent"]),
            left=frozenset(record["left"]),
            ignored=frozenset(record["ignored"]),
            ignored_files=tuple(record["ignored_files"]),
            files={path: _kept(*value) for path, value in record["files"].items()},
            meta={path: _kept(*value) for path, value in record["meta"].items()},
            refs=record["refs"],
            stash=record["stash"],
            memory={path: _kept(*value) for path, value in record["memory"].items()},
            log_size=record["log_size"],
            branch=record["branch"],
            hooks=record["hooks"],
            own_hooks=record["own_hooks"],
            strays=frozenset(record["strays"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _kept(mode: int, digest: str | None, stamp: list[int], young: bool) -> Kept:
    return Kept(mode, digest, (stamp[0], stamp[1], stamp[2], stamp[3], stamp[4]), young)
