"""Files as they were, and putting them back: never through a symlink, a FIFO or a folder in the way."""

import contextlib
import errno
import hashlib
import itertools
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LARGE = 5 << 20
RACY_NS = 50_000_000
_LONG = 1_000
"""Of a path beyond it the attic keeps the last name: the whole would fit nowhere."""
_SMALL, _MOST_HELD = 64 << 10, 256
Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Kept:
    """A file or symlink as it was. `digest` names its bytes in the store; None: too large or unreadable.

    `stamp` is what lstat said (mode, inode, size, mtime, ctime). `young`: a later change might bear the same times.
    """

    mode: int
    digest: str | None
    stamp: Stamp
    young: bool = False


def lstat(path: Path | str) -> os.stat_result | None:
    """What lies there, links not followed; None for nothing."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def stamp(found: os.stat_result) -> Stamp:
    return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_file(found: os.stat_result | None) -> bool:
    """A regular file or a symlink: what git can hold."""
    return found is not None and (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode))


def is_folder(found: os.stat_result | None) -> bool:
    return found is not None and stat.S_ISDIR(found.st_mode)


def content(path: Path, found: os.stat_result) -> bytes | None:
    """A regular file's bytes, a symlink's target; None where it is too large, or not ours to read."""
    if stat.S_ISLNK(found.st_mode):
        return os.fsencode(path.readlink())
    return read_plain(path) if readable(path, found) else None


def read_plain(path: Path) -> bytes | None:
    """A regular file's bytes; None for anything else: no link is followed, no FIFO waited for."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:  # nothing there, a link, a socket, a folder, not ours to read
        return None


def readable(path: Path, found: os.stat_result) -> bool:
    """Whether `content` can give the bytes."""
    return stat.S_ISLNK(found.st_mode) or (found.st_size <= LARGE and os.access(path, os.R_OK))


def reached(root: Path, path: str) -> bool:
    """Whether every folder between `root` and `path` is a folder, and no link."""
    parts = path.split("/")[:-1]
    return all(is_folder(lstat(root.joinpath(*parts[: depth + 1]))) for depth in range(len(parts)))


def real_folder(path: Path) -> None:
    """Makes a folder of ours; a file, link or FIFO that has been put in its place goes."""
    if not is_folder(lstat(path)):
        path.unlink(missing_ok=True)
        path.mkdir(parents=True, exist_ok=True)


def walk(folder: Path) -> Iterator[Path]:
    """Every file, link and special file below `folder`, or `folder` itself where it is none."""
    if not is_folder(lstat(folder)):
        if lstat(folder) is not None:
            yield folder
        return
    levels = [iter(_listed(folder))]  # an agent may make it as deep as it likes
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
        elif entry.is_dir(follow_symlinks=False):
            levels.append(iter(_listed(entry.path)))
        else:
            yield Path(entry.path)


def _listed(folder: Path | str) -> list[os.DirEntry[str]]:
    """What lies in it, by name; of what is too deep to be named nothing: git cannot reach it either."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return []
        raise


def scan(folder: Path) -> list[os.DirEntry[str]]:
    """What lies in a folder; nothing where it cannot be read, or is none: git passes it over too."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


class Store:
    """Bytes by their SHA-256, in a folder that an agent could reach: so what is read is looked at, and small ones are
    in `held` too.
    """

    def __init__(self, folder: Path, held: dict[str, bytes] | None = None) -> None:
        self._folder = folder
        self._held = {} if held is None else held

    def add(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        file = self._folder / digest
        if read_plain(file) != data:
            real_folder(self._folder)
            write_whole(file, data)
        if len(data) <= _SMALL and len(self._held) < _MOST_HELD:
            self._held[digest] = data
        return digest

    def forget(self, digest: str) -> None:
        """The bytes are needed no more."""
        self._held.pop(digest, None)
        if digest in self:
            (self._folder / digest).unlink()

    def __contains__(self, digest: str) -> bool:
        return is_file(lstat(self._folder / digest))

    def read(self, digest: str) -> bytes | None:
        """None where the bytes are gone, or are others by now."""
        if digest in self._held:
            return self._held[digest]
        data = read_plain(self._folder / digest)
        return data if data is not None and hashlib.sha256(data).hexdigest() == digest else None


class Attic:
    """Where files go that stand in the way, or that no ref holds: moved, never deleted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def take(self, root: Path, path: str) -> Path | None:
        """Moves `root/path` (file, link, folder, FIFO) here; where it is now, or None if it could not be kept."""
        path = path.rstrip("/")
        target = self._vacant(path if len(path) <= _LONG else path.rpartition("/")[2])
        source = root / path
        try:
            source.rename(target)
        except OSError:  # another file system: it takes files and links alone
            for special in [file for file in walk(source) if not is_file(lstat(file))]:
                special.unlink()
            if lstat(source) is None:
                return None
            shutil.move(source, target)
        return target

    def _vacant(self, path: str) -> Path:
        real_folder(self._folder)
        for number in itertools.count():
            target = self._folder / str(number) / path
            with contextlib.suppress(FileExistsError, NotADirectoryError):
                target.parent.mkdir(parents=True, exist_ok=True)
                if lstat(target) is None:
                    return target
        raise AssertionError("counting ends")


def keep(path: Path, store: Store, before: Kept | None = None) -> Kept | None:
    """Remembers the file or link at `path`; None where there is none. `before` saves reading it again."""
    found = lstat(path)
    if found is None or not is_file(found):
        return None
    now = stamp(found)
    if before is not None and before.stamp == now and not before.young and (before.digest or "") in store:
        return before
    data = content(path, found)
    return Kept(found.st_mode, None if data is None else store.add(data), now, time.time_ns() - now[4] < RACY_NS)


def same(path: Path, kept: Kept) -> bool:
    """Whether the file at `path` still has the bytes and the mode of `kept`."""
    found = lstat(path)
    if found is None or found.st_mode != kept.mode:
        return False
    if kept.stamp == stamp(found) and not (kept.young and kept.digest):
        return True
    data = content(path, found)
    return data is not None and hashlib.sha256(data).hexdigest() == kept.digest


def clear_way(root: Path, path: str, attic: Attic, *, overwrite: bool = False) -> None:
    """Makes `root/path` a vacant place in real folders; what stands in the way goes to the attic.

    With `overwrite` a file or link may stay there: git will replace it.
    """
    parts = path.split("/")
    for depth in range(1, len(parts)):
        folder = "/".join(parts[:depth])
        found = lstat(root / folder)
        if found is not None and not is_folder(found):
            attic.take(root, folder)
            found = None
        if found is None:
            (root / folder).mkdir()
    there = lstat(root / path)
    if there is not None and not (overwrite and is_file(there)):
        attic.take(root, path)


def write_new(path: Path, data: bytes, mode: int = 0o600) -> None:
    """A file that was not there. Raises FileExistsError where anything is, be it a link."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), stat.S_IMODE(mode))


def write_whole(path: Path, data: bytes) -> None:
    """A file in one step, through a draft whose name nobody knows before: no trap can lie there."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    Path(draft).replace(path)


def make(root: Path, path: str, mode: int, data: bytes, attic: Attic) -> None:
    """Makes `root/path` a file or link of this `mode` with these bytes; what lies there now goes to the attic."""
    clear_way(root, path, attic)
    if stat.S_ISLNK(mode):
        (root / path).symlink_to(os.fsdecode(data))
    else:
        write_new(root / path, data, mode)


def put_back(root: Path, path: str, kept: Kept, store: Store, attic: Attic) -> bool:
    """Makes `root/path` what it was; what lies there now goes to the attic. False where the bytes are not known."""
    data = store.read(kept.digest) if kept.digest else None
    if data is None:
        return False
    make(root, path, kept.mode, data, attic)
    if not stat.S_ISLNK(kept.mode):
        os.utime(root / path, ns=(kept.stamp[3], kept.stamp[3]))
    return True
