"""What a command's name stands for: the programs in PATH's folders before the agent and after it."""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from prd_ralph.workspace.files import Kept, Store, stamp
from prd_ralph.workspace.glance import alike, entries, glance, is_link, seen

MANY = 5_000
"""A folder with more entries is looked at as a whole."""
_FEW = 200
_ROOM = 8 << 20
_SYSTEM = frozenset({"/bin", "/sbin", "/usr/bin", "/usr/sbin"})
_WHOLE = "."
_SHELLS = frozenset({"sh", "bash", "dash", "env"})
"""What runs the commands themselves; no package brings it."""
MINDED = _SHELLS | {"git"}
"""What is put back whatever the commands say."""

Programs = Mapping[str, Kept]
"""By absolute path: the entries of PATH's folders, and the files that links of theirs lead to."""


@dataclass(frozen=True, slots=True)
class Folder:
    """One of PATH's. `venv`: a virtual environment's, where packages put their scripts."""

    path: str
    venv: bool = False


class Kind(Enum):
    """What has become of an entry: `HIDING` is new and stands before another of its name."""

    NEW = auto()
    HIDING = auto()
    CHANGED = auto()
    GONE = auto()


@dataclass(frozen=True, slots=True)
class Change:
    """`other`: the program that a new entry hides. `tolerated`: may be a package's doing, so that it is only named."""

    path: str
    kind: Kind
    tolerated: bool
    other: str = ""

    @property
    def why(self) -> str:
        """In a person's words."""
        if self.path.endswith(f"/{_WHOLE}"):
            return "what PATH finds there was changed, and is too much to tell what"
        match self.kind:
            case Kind.NEW:
                return "a new program on PATH"
            case Kind.HIDING:
                return f"new on PATH, before {self.other}"
            case Kind.CHANGED:
                return "a program on PATH that was changed"
            case Kind.GONE:
                return "a program on PATH that was removed"


def folders_of(env: Mapping[str, str], area: Path) -> tuple[Folder, ...]:
    """Where PATH's folders lie in truth, in its order, each once, but for those in `area` and relative ones."""
    found: dict[str, Folder] = {}
    for path in env.get("PATH", os.defpath).split(os.pathsep):
        real = os.path.realpath(path) if path.startswith("/") else ""
        if real and not Path(real).is_relative_to(area):
            found.setdefault(real, Folder(real, seen(Path(real).parent / "pyvenv.cfg") is not None))
    return tuple(found.values())


def ways(env: Mapping[str, str]) -> Iterator[Path]:
    """The links on the way to PATH's folders: where one is put, its folder is another."""
    for path in map(Path, env.get("PATH", "").split(os.pathsep)):
        yield from (step for step in (path, *path.parents) if step.is_absolute() and is_link(step))


def folders_inside(env: Mapping[str, str], area: Path) -> frozenset[str]:
    """The others: relative to `area`, with `/`."""
    paths = (Path(os.path.realpath(area / path)) for path in env.get("PATH", os.defpath).split(os.pathsep))
    inside = (path.relative_to(area).as_posix() for path in paths if path == area or area in path.parents)
    return frozenset("" if path == "." else path for path in inside)  # an empty entry means where one stands


def look(folders: Iterable[Folder], before: Programs, store: Store | None = None) -> dict[str, Kept]:
    """The programs as they are; `before` saves reading them again.

    Of small folders that a person, and so an agent, may write to, their bytes are known too, up to a bound.
    """
    found: dict[str, Kept] = {}
    room = _ROOM
    for folder in folders:
        listed = [entry for entry in entries(folder.path) if _is_program(entry)]
        here = seen(f"{folder.path}/{_WHOLE}")
        if here is not None and _is_too_much(folder, len(listed), before):
            found[f"{folder.path}/{_WHOLE}"] = Kept(here.st_mode, None, stamp(here))
            continue
        few = len(listed) <= _FEW and folder.path not in _SYSTEM and os.access(folder.path, os.W_OK)
        for path in (path for entry in listed for path in _with_target(entry, few)):
            size = getattr(seen(path), "st_size", 0) if few else 0
            kept = glance(path, before.get(path), store, whole=few and size <= room)
            if kept is not None:
                room -= size if kept.digest else 0
                found[path] = kept
    there = ((path, glance(path, kept)) for path, kept in before.items() if path not in found)
    return found | {path: kept for path, kept in there if kept is not None}


def _is_too_much(folder: Folder, count: int, before: Programs) -> bool:
    """Whether it is looked at as a whole; what it was at first, it stays."""
    return f"{folder.path}/{_WHOLE}" in before if before else count > MANY


def changes(folders: tuple[Folder, ...], before: Programs, now: Programs) -> Iterator[Change]:
    """What a command may mean other than before; what stands behind another program of its name never counts."""
    order = {folder.path: position for position, folder in enumerate(folders)}
    first = _resolved(order, before)
    for path in sorted(before.keys() | now.keys()):
        was, here = before.get(path), now.get(path)
        if alike(was, here):
            continue
        parent, _, name = path.rpartition("/")
        position = order.get(parent)
        venv = position is not None and folders[position].venv
        if was is not None:
            if position is None or first.get(name) == path or name == _WHOLE:
                yield Change(path, Kind.CHANGED if here else Kind.GONE, venv or name == _WHOLE)
        elif name not in first:
            if position is not None:  # else what a changed link leads to, and that is named already
                yield Change(path, Kind.NEW, tolerated=True)
        elif position is not None and position < order[first[name].rpartition("/")[0]]:
            yield Change(path, Kind.HIDING, venv and name not in _SHELLS, first[name])


def names_of(folders: Iterable[Folder], before: Programs, path: str) -> frozenset[str]:
    """What a program is run as: its own name, or of what links lead to their names."""
    places = frozenset(folder.path for folder in folders)
    parent, _, name = path.rpartition("/")
    if parent in places:
        return frozenset({name})
    links = (other for other in before if other.rpartition("/")[0] in places and is_link(other))
    return frozenset(link.rpartition("/")[2] for link in links if os.path.realpath(link) == path)


def _resolved(order: Mapping[str, int], programs: Programs) -> dict[str, str]:
    """What each name means: the first folder's entry."""
    found: dict[str, str] = {}
    for path in programs:
        parent, _, name = path.rpartition("/")
        other = found.get(name)
        if parent in order and (other is None or order[parent] < order[other.rpartition("/")[0]]):
            found[name] = path
    return found


def _is_program(entry: os.DirEntry[str]) -> bool:
    """A file or a link; what may not be run today may be tomorrow."""
    try:
        return entry.is_symlink() or entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def _with_target(entry: os.DirEntry[str], few: bool) -> Iterator[str]:
    """Its path; of a link in a small folder also where that leads to."""
    yield entry.path
    if few and entry.is_symlink():
        target = os.path.realpath(entry.path)
        found = seen(target)
        if found is not None and stat.S_ISREG(found.st_mode):
            yield target
