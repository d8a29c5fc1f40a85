"""Puts back what an agent may not change: git's own files, prd-ralph.toml, and the person's files."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from prd_ralph.workspace.files import Attic, Kept, Store, lstat, put_back, reached, same
from prd_ralph.workspace.ground import Ground, meta_files
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.texts import SHARED

_NAMED = 10
_TOO_LARGE = " (too large to be put back)"
_LOST = " (not put back: the copy was deleted)"


def guard_meta(location: Location, ground: Ground, store: Store, attic: Attic) -> tuple[str, ...]:
    """Puts back git's files and prd-ralph.toml; names each that had been changed, added or removed.

    What a linked worktree shares with others is named alone: it may be a person's work there.
    """
    wanted = {Path(path): kept for path, kept in ground.meta.items()}
    added = [path for path in meta_files(location, ground.own_hooks) if path not in wanted]
    changed = [path for path, kept in wanted.items() if not _there(location, path, kept)]
    named = []
    for path in sorted((*added, *changed)):
        area = _area(location, path)
        label = path.relative_to(area).as_posix()
        label = label if area == location.root else f".git/{label}"
        if location.linked and area == location.common_dir:
            named.append(label + SHARED)
            continue
        named.append(label + _mend(area, path.relative_to(area).as_posix(), wanted.get(path), store, attic))
    return tuple(named)


def guard_files(
    root: Path,
    files: Mapping[str, Kept],
    store: Store,
    attic: Attic,
    spare: Callable[[str, Kept], bytes | None] = lambda path, kept: None,
) -> tuple[str, ...]:
    """Puts the person's files back; names each that had been changed. `spare`: bytes that the store may have lost."""
    changed = [path for path, kept in files.items() if not (reached(root, path) and same(root / path, kept))]
    for path in changed:
        kept = files[path]
        if kept.digest and store.read(kept.digest) is None:
            store.add(spare(path, kept) or b"")
    return tuple(path + _mend(root, path, files[path], store, attic) for path in sorted(changed))


def told_ignored(names: tuple[str, ...]) -> Iterator[str]:
    """What is said of the person's files that git ignores: tools change such files too, so that it blames nobody."""
    if names:
        more = " …" if len(names) > _NAMED else ""
        yield f"put back as it was, though git ignores it: {', '.join(names[:_NAMED])}{more}"


def guard_memory(root: Path, memory: Mapping[str, Kept], store: Store, attic: Attic) -> Iterator[str]:
    """Puts prd.json and progress.txt back where something else stands in their place, and their permissions; names
    them. Their text is another matter: an agent may write into progress.txt.
    """
    for path, kept in memory.items():
        found = lstat(root / path) if reached(root, path) else None
        if found is None or stat.S_IFMT(found.st_mode) != stat.S_IFMT(kept.mode) or _is_linked(found, kept):
            if found is not None:
                attic.take(root, path)
            back = put_back(root, path, kept, store, attic)
            yield f"{path} was no file of its own any more: {'put back' if back else 'moved away'}"
        elif found.st_mode != kept.mode:
            (root / path).chmod(stat.S_IMODE(kept.mode))
            yield f"{path} had other permissions: put back"


def _is_linked(found: os.stat_result, kept: Kept) -> bool:
    """Another file than before, that bears other names too: what is written into it would be written elsewhere."""
    return found.st_nlink > 1 and found.st_ino != kept.stamp[1]


def _area(location: Location, path: Path) -> Path:
    areas = (location.git_dir, location.common_dir, location.root)
    return next(area for area in areas if path.is_relative_to(area))


def _there(location: Location, path: Path, kept: Kept) -> bool:
    area = _area(location, path)
    return reached(area, path.relative_to(area).as_posix()) and same(path, kept)


def _mend(area: Path, path: str, kept: Kept | None, store: Store, attic: Attic) -> str:
    """Makes it as it was (None: absent); what to add to its name in the report."""
    if kept is None:
        attic.take(area, path)
        return ""
    if put_back(area, path, kept, store, attic):
        return ""
    return _LOST if kept.digest else _TOO_LARGE
