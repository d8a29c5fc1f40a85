"""The person's start-up files as they were when the run's first agent started, and putting them back.

An agent may plant there what every command reads; a person may edit them meanwhile. So what lies there now is kept.
"""

import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.workspace.files import LARGE, Attic, Kept, Store, is_folder, put_back, reached
from prd_ralph.workspace.glance import NOWHERE, alike, glance, is_link, place_of, seen

_TOP = Path("/")
_ROOM = 16 << 20
Nodes = Mapping[str, Kept | None]
"""By the true place, absolute: a file or link as it was, or None where nothing lay there."""


@dataclass(frozen=True, slots=True)
class Mended:
    """`tampered` was put back, each with where its other version lies; `suspects` could not be: place and why."""

    tampered: tuple[str, ...] = ()
    suspects: Mapping[str, str] = field(default_factory=dict)


def note(paths: Iterable[Path], store: Store, area: Path) -> dict[str, Kept | None]:
    """Remembers what lies at `paths`, at links on the way there and behind them, but for what is in `area`.

    Of at most 16 MiB the bytes are kept, what is beyond is only known by its times.
    """
    room = _ROOM
    found: dict[str, Kept | None] = {}
    for place in (str(place) for path in paths for place in (*_way(path), *_behind(path))):
        if place not in found and not Path(place).is_relative_to(area):
            here = seen(place)
            size = here.st_size if here else 0
            found[place] = node(place, store, whole=size <= room)
            room -= size if size <= min(room, LARGE) else 0
    return found


def inside(paths: Iterable[Path], area: Path) -> frozenset[str]:
    """Of the same places those in `area`: relative to it, with `/`."""
    places = (place for path in paths for place in (*_way(path), *_behind(path)))
    return frozenset(place.relative_to(area).as_posix() for place in places if area in place.parents)


def node(place: Path | str, store: Store | None = None, whole: bool = True) -> Kept | None:
    """What lies there; of a folder or a FIFO only that it is one."""
    kept = glance(place, store=store, whole=whole)
    if kept is not None:
        return kept
    found = seen(place)
    return Kept(stat.S_IFMT(found.st_mode), None, NOWHERE) if found else None


def mend(nodes: Nodes, look: Callable[[], Iterable[Path]], mender: "Mender", area: Path) -> Mended:
    """Makes them as they were. What `look` finds beside them once that is done is new, and moved away.

    So it may look only where all that lay there has been noted.
    """
    for place in sorted(nodes, key=lambda place: (place.count("/"), place)):
        kept = nodes[place]
        if not _is_as_it_was(place, kept):
            mender.mend(place, kept)
    for path in look():
        for step in _way(path):
            if str(step) not in nodes and not step.is_relative_to(area) and seen(step) is not None:
                mender.mend(str(step), None)
                break
    return mender.mended


class Mender:
    """Puts places back one by one, and says what came of it. `home` shortens what is named."""

    def __init__(self, store: Store, attic: Attic, home: str) -> None:
        self._store = store
        self._attic = attic
        self._home = home
        self._tampered: list[str] = []
        self._suspects: dict[str, str] = {}

    @property
    def mended(self) -> Mended:
        return Mended(tuple(self._tampered), self._suspects)

    def suspect(self, place: str, why: str) -> None:
        self._suspects[self._shown(place)] = why

    def mend(self, place: str, kept: Kept | None, why: str = "") -> None:
        """Makes it what `kept` says (None: absent); what lies there now goes to the attic."""
        if kept is not None and stat.S_ISDIR(kept.mode) and _link_to(place) is not None:
            kept, why = None, "a link in the place of a folder"  # what lay in it is put back file by file, where known
        if kept is not None and (kept.digest is None or self._store.read(kept.digest) is None):
            self.suspect(place, "removed" if seen(place) is None else "changed, and could not be put back")
            return
        try:
            moved = self._take(place) if kept is None else self._replace(place, kept)
        except OSError as error:  # a read-only file system, a folder that is not ours
            self.suspect(place, f"changed, and could not be put back: {error.strerror}")
            return
        notes = "; ".join(filter(None, (why, f"what lay there is kept: {moved}" if moved else "")))
        self._tampered.append(f"{self._shown(place)} ({notes})" if notes else self._shown(place))

    def _replace(self, place: str, kept: Kept) -> Path | None:
        """Puts `kept` there; first it is written beside it, so that a full disk leaves what lies there."""
        parent, name = Path(place).parent, Path(place).name
        if _link_before(place) is not None or not is_folder(seen(parent)):
            moved = self._take(place)
            put_back(_TOP, place.lstrip("/"), kept, self._store, self._attic)
            return moved
        with tempfile.TemporaryDirectory(prefix=".prd-ralph-", dir=parent) as drafts:
            put_back(Path(drafts), name, kept, self._store, self._attic)
            moved = self._take(place)
            Path(drafts, name).rename(place)
        return moved

    def _take(self, place: str) -> Path | None:
        """Moves away a link that leads there, and what lies there; where the last of it is now."""
        moved = None
        if (link := _link_before(place)) is not None:
            moved = self._attic.take(_TOP, link.lstrip("/"))
        return self._attic.take(_TOP, place.lstrip("/")) if seen(place) is not None else moved

    def _shown(self, place: str) -> str:
        return shown(place, self._home)


def shown(place: str, home: str) -> str:
    """The path as a person writes it."""
    home = home.rstrip("/")
    return f"~{place[len(home) :]}" if home and place.startswith(f"{home}/") else place


def _is_as_it_was(place: str, kept: Kept | None) -> bool:
    """What is reached by a new link is another thing, unless nothing lies there either."""
    now = node(place)
    return alike(kept, now) and (now is None or reached(_TOP, place.lstrip("/")))


def _link_before(place: str) -> str | None:
    """The first of the folders on the way that is none, be it a link or a file."""
    for above in reversed(Path(place).parents):
        found = seen(above)
        if found is not None and not is_folder(found):
            return str(above)
    return None


def _link_to(place: str) -> str | None:
    """The same, or the place itself where it is none."""
    return _link_before(place) or (place if is_link(place) else None)


def _way(path: Path) -> Iterator[Path]:
    """The links on the way to `path`, and where it lies in truth."""
    yield from (place_of(above) for above in reversed(path.parents) if is_link(above))
    yield place_of(path)


def _behind(path: Path) -> Iterator[Path]:
    """What it leads to, where it is a link."""
    if is_link(path):
        yield Path(os.path.realpath(path))
