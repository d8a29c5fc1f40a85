"""Looking at places that are not ours to keep in order: whatever cannot be read there is as good as absent."""

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from prd_ralph.workspace.files import LARGE, RACY_NS, Kept, Store, content, is_file, stamp

NOWHERE = (0, 0, 0, 0, 0)


def seen(path: Path | str) -> os.stat_result | None:
    """What lies there, links not followed; None for nothing, and for what we may not look at."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):  # a NUL byte in a variable is a ValueError
        return None


def is_link(path: Path | str) -> bool:
    found = seen(path)
    return found is not None and stat.S_ISLNK(found.st_mode)


def entries(folder: Path | str) -> list[os.DirEntry[str]]:
    """What lies in a folder, by name; nothing where it cannot be read, or is none."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (OSError, ValueError):
        return []


def is_real_folder(entry: os.DirEntry[str]) -> bool:
    """A folder, and no link to one."""
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def names_below(folder: Path | str) -> Iterator[str]:
    """Every file below a folder, by its whole path; Python's caches apart."""
    levels = [iter(entries(folder))]  # an agent may make it as deep as it likes
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif not is_real_folder(entry):
            yield entry.path
        elif entry.name != "__pycache__":
            levels.append(iter(entries(entry.path)))


def place_of(path: Path | str) -> Path:
    """Where it lies in truth: the folders' links followed, not its own."""
    return Path(os.path.realpath(Path(path).parent), Path(path).name)


def glance(path: Path | str, before: Kept | None = None, store: Store | None = None, whole: bool = True) -> Kept | None:
    """A file or link as it is; None for anything else. `store` takes up its bytes; without it they are only digested,
    and not even that unless `whole`. `before` saves reading it again.
    """
    found = seen(path)
    if found is None or not is_file(found):
        return None
    now = stamp(found)
    if before is not None and before.stamp == now and not before.young:
        return before
    data = content(Path(path), found) if whole and found.st_size <= LARGE else None
    digest = None if data is None else store.add(data) if store else hashlib.sha256(data).hexdigest()
    return Kept(found.st_mode, digest, now, time.time_ns() - now[4] < RACY_NS)


def alike(one: Kept | None, other: Kept | None) -> bool:
    """Whether nothing that matters has changed: the same kind and mode, and the same bytes as far as they are known.

    Of what is neither file nor link only the kind counts.
    """
    if one is None or other is None:
        return one is other
    if one.stamp == NOWHERE or other.stamp == NOWHERE:
        return stat.S_IFMT(one.mode) == stat.S_IFMT(other.mode)
    if one.mode != other.mode:
        return False
    return one.digest == other.digest if one.digest and other.digest else one.stamp == other.stamp
