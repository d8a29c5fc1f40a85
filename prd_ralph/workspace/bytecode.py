"""Python's caches: a planted one is believed where it bears its source's time and size, so an agent's own go.

They are caches: what is moved away is made again at no loss.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from prd_ralph.workspace.files import Attic, Stamp, stamp
from prd_ralph.workspace.glance import entries, seen

Caches = Mapping[str, Mapping[str, Stamp]]
"""By folder (relative to the root), what lies in it, by name."""


def note(root: Path, folders: Iterable[str]) -> dict[str, dict[str, Stamp]]:
    """The caches as they are."""
    return {folder: _listed(root / folder) for folder in folders}


def sweep(root: Path, folders: Iterable[str], before: Caches, tracked: frozenset[str], attic: Attic) -> None:
    """Moves away what is new or changed in `folders` since `before`, but for what git tracks."""
    for folder in folders:
        now = _listed(root / folder)
        changed = [name for name, found in now.items() if before.get(folder, {}).get(name) != found]
        paths = [f"{folder}/{name}" for name in changed if f"{folder}/{name}" not in tracked]
        if folder not in before and len(paths) == len(now):
            attic.take(root, folder)
        else:
            for path in paths:
                attic.take(root, path)


def _listed(folder: Path) -> dict[str, Stamp]:
    found = ((entry.name, seen(entry.path)) for entry in entries(folder))
    return {name: stamp(here) for name, here in found if here is not None}
