"""FIFOs, sockets and devices where git would read a file: it would wait for them, until its limit."""

import stat
from collections.abc import Iterator
from pathlib import Path

from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Store, scan
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.guard import guard_memory
from prd_ralph.workspace.staging import generated

_READ = frozenset({".gitignore", ".gitattributes", ".gitmodules", ".mailmap"})
_OWN = ("index", "logs/HEAD")
_COMMON = ("packed-refs", "refs", "logs/refs")


def clear_specials(desk: Desk, passed_over: frozenset[str]) -> Iterator[str]:
    """Moves them away and names them. `passed_over` are ignored folders (ending in `/`), where git does not look."""
    for path in list(_in_work_tree(desk.root, passed_over)):
        desk.attic.take(desk.root, path)
        yield f"{path} was no file: moved away"
    for folder, names in ((desk.location.git_dir, _OWN), (desk.location.common_dir, _COMMON)):
        for path in [path for name in names for path in _in_git_folder(folder, name)]:
            desk.attic.take(folder, path)
            yield f".git/{path} was no file: moved away"


def clear_way_for_git(desk: Desk, ground: Ground, store: Store) -> Iterator[str]:
    """The same, and what stands where the memory was is put back."""
    yield from clear_specials(desk, ground.ignored)
    yield from guard_memory(desk.root, ground.memory, store, desk.attic)


def _in_work_tree(root: Path, passed_over: frozenset[str]) -> Iterator[str]:
    """Of a folder that tools fill the top alone: it is large, and mostly ignored."""
    folders = [""]
    while folders:
        above = folders.pop()
        for entry in scan(root / above):
            if entry.name in _READ and _is_special(entry.path):
                yield above + entry.name
            elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                path = f"{above}{entry.name}/"
                if generated(entry.name):
                    yield from (path + name for name in _READ if _is_special(f"{entry.path}/{name}"))
                elif path not in passed_over:
                    folders.append(path)


def _in_git_folder(folder: Path, path: str) -> Iterator[str]:
    if _is_special(folder / path):
        yield path
    elif path != "refs/prd-ralph":  # it only ever grows
        for entry in scan(folder / path):
            if not entry.is_file():
                yield from _in_git_folder(folder, f"{path}/{entry.name}")


def _is_special(path: Path | str) -> bool:
    """Links are followed, as some of git's versions do."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
