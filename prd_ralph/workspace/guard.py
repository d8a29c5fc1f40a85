"""Puts back what an agent may not change: git's own files, prd-ralph.toml, and the person's files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from prd_ralph.workspace.files import Attic, Kept, Store, put_back, reached, same
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.ground import Ground, meta_files, replace_refs
from prd_ralph.workspace.places import Places

_TOO_LARGE = " (too large to be put back)"
_SHARED = " (shared with other work trees, left as it is)"


def guard_meta(git: Git, places: Places, ground: Ground, store: Store, attic: Attic) -> tuple[str, ...]:
    """Puts back git's files and prd-ralph.toml; names each that had been changed, added or removed.

    What a linked worktree shares with others is named alone: it may be a person's work there.
    """
    wanted = {Path(path): kept for path, kept in ground.meta.items()}
    added = [path for path in meta_files(places) if path not in wanted]
    changed = [path for path, kept in wanted.items() if not _there(places, path, kept)]
    named = []
    for path in sorted((*added, *changed)):
        area = _area(places, path)
        label = path.relative_to(area).as_posix()
        label = label if area == places.root else f".git/{label}"
        if places.linked and area == places.common:
            named.append(label + _SHARED)
            continue
        named.append(label + _mend(area, path.relative_to(area).as_posix(), wanted.get(path), store, attic))
    return (*named, *_guard_replace_refs(git, places, ground))


def guard_files(root: Path, files: Mapping[str, Kept], store: Store, attic: Attic) -> tuple[str, ...]:
    """Puts the person's files back; names each that had been changed."""
    changed = [path for path, kept in files.items() if not (reached(root, path) and same(root / path, kept))]
    return tuple(path + _mend(root, path, files[path], store, attic) for path in sorted(changed))


def _area(places: Places, path: Path) -> Path:
    return next(folder for folder in (places.own, places.common, places.root) if path.is_relative_to(folder))


def _there(places: Places, path: Path, kept: Kept) -> bool:
    area = _area(places, path)
    return reached(area, path.relative_to(area).as_posix()) and same(path, kept)


def _mend(area: Path, path: str, kept: Kept | None, store: Store, attic: Attic) -> str:
    """Makes it as it was (None: absent); what to add to its name in the report."""
    if kept is None:
        attic.take(area, path)
        return ""
    return "" if put_back(area, path, kept, store, attic) else _TOO_LARGE


def _guard_replace_refs(git: Git, places: Places, ground: Ground) -> tuple[str, ...]:
    now = replace_refs(places)
    if now == dict(ground.replaced):
        return ()
    names = sorted(name for name in now.keys() | ground.replaced.keys() if now.get(name) != ground.replaced.get(name))
    if not places.linked:
        git("update-ref", "--stdin", stdin="".join(_ref_lines(names, ground)).encode("ascii"))
    return tuple(name + (_SHARED if places.linked else "") for name in names)


def _ref_lines(names: list[str], ground: Ground) -> Iterator[str]:
    for name in names:
        oid = ground.replaced.get(name)
        yield f"update {name} {oid}\n" if oid else f"delete {name}\n"
