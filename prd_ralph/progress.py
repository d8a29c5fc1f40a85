"""`progress.txt`, the memory between iterations: a head of patterns, then entries, the newest last.

Agents write to this file, so it may be of any size and encoding, or no file at all: reading takes its two ends only,
nothing here blocks, and no link is followed.
"""

import itertools
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from prd_ralph.errors import cannot_write

TAIL_LIMIT = 16 << 10
PATTERNS_LIMIT = 8 << 10
LARGE = 256 << 10
_HEAD = 64 << 10
_NEWEST = 64 << 10
_PIECE = 1 << 20
_NEW_FILE = b"# Progress\n\n## Codebase Patterns\n\n"

_SECTION = re.compile(rb"^## +codebase patterns[^\n]*(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)
_SECTION_END = re.compile(rb"^(?:##? |---)", re.MULTILINE)
_ENTRY = re.compile(rb"^## ", re.MULTILINE)


class ProgressFile:
    """The memory in the file `path`. What cannot be written or read is told to `warn` and skipped:
    memory helps an agent, but no agent may end a run by turning it into a link, a FIFO or a folder."""

    def __init__(self, path: Path, warn: Callable[[str], None], archive: Path | None = None) -> None:
        """`archive`: the folder that older entries of a large file are moved to (None: it is left large)."""
        self._path = path
        self._warn = warn
        self._archive = archive

    def append(self, entry: str) -> None:
        """Adds `entry` at the end, its first line as the heading; makes the file if need be."""
        text = b"## " + entry.encode("utf-8", "replace").strip(b"\n") + b"\n"
        try:
            with _open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT) as file:
                file.write(_gap(file) + text)
        except OSError as error:
            self._warn(f"{self._path.name}: not written: {error.strerror}")

    def recall(self) -> tuple[str, str]:
        """The newest entries (16 KiB at most, from the beginning of an entry or a line), and the `## Codebase Patterns`
        section (8 KiB at most). Both are empty where there is no file."""
        try:
            with _open(self._path, os.O_RDONLY) as file:
                return _recall(file)
        except FileNotFoundError:
            pass
        except OSError as error:
            self._warn(f"{self._path.name}: not read: {error.strerror}")
        return "", ""

    def compact(self) -> str:
        """Where the file is over 256 KiB: its patterns and its newest entries (64 KiB at most) stay, a line says where
        the older ones lie now. What was done, or "".

        Whatever ends us meanwhile, nothing is lost: older entries are on disk elsewhere first, and what is written here
        lies before the newest ones. Raises BlockedError where there is no room for them.
        """
        if self._archive is None:
            return ""
        try:
            with _open(self._path, os.O_RDWR) as file:
                return self._compact(file, self._archive) if file.seek(0, os.SEEK_END) > LARGE else ""
        except OSError:  # none there, or no file: `recall` tells of that
            return ""

    def begin_anew(self) -> None:
        """What a new PRD begins with: of the old one's memory the patterns alone, for they are the codebase's."""
        try:
            with _open(self._path, os.O_RDWR) as file:
                head = file.read(_HEAD)
                body, _ = _patterns(head, limit=_HEAD)
                file.seek(0)
                file.write(
                    _NEW_FILE.rstrip(b"\n") + b"\n" + (b"\n" + body.strip(b"\n") + b"\n" if body.strip() else b"")
                )
                file.truncate()
        except FileNotFoundError:
            pass
        except OSError as error:
            self._warn(f"{self._path.name}: not written: {error.strerror}")

    def _compact(self, file: BinaryIO, archive: Path) -> str:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_HEAD)
        patterns, begin = _patterns(head, limit=_HEAD)
        kept = head[:begin] or _NEW_FILE + patterns
        file.seek(size - _NEWEST)
        newest = _from_a_beginning(file.read(_NEWEST))
        end = size - len(newest)
        name, entries = _put_away(file, begin, end, archive)
        note = "1 older entry" if entries == 1 else f"{entries} older entries" if entries else "older lines"
        # The rule ends the patterns, and is no entry: the next time it goes with the older ones.
        line = f"---\n{note}: prd-ralph/archive/{name} in git's folder\n\n".encode("ascii")
        file.seek(0)
        file.write(kept + (b"" if kept.endswith(b"\n") else b"\n") + line + newest)
        file.truncate()
        return f"{self._path.name} was {size >> 10} KiB large: {note} moved to {archive / name}"


def _put_away(file: BinaryIO, begin: int, end: int, archive: Path) -> tuple[str, int]:
    """Copies a part of the file to a new one, onto the disk; its name, and how many entries it holds."""
    entries, line_begins = 0, True
    try:
        archive.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _vacant(archive) as older:
            file.seek(begin)
            while piece := file.read(min(_PIECE, end - file.tell())):
                older.write(piece)
                entries += len(_ENTRY.findall(piece)) - (not line_begins and piece.startswith(b"## "))
                line_begins = piece.endswith(b"\n")
            older.flush()
            os.fsync(older.fileno())
            return Path(older.name).name, entries
    except OSError as error:
        raise cannot_write(archive, error) from error


def _vacant(archive: Path) -> BinaryIO:
    """A new file, `progress-1.txt` or the next number."""
    for number in itertools.count(1):
        try:
            return (archive / f"progress-{number}.txt").open("xb")
        except FileExistsError:
            continue
    raise AssertionError("counting ends")


def _open(path: Path, flags: int) -> BinaryIO:
    """The regular file itself: no link is followed, and a FIFO does not block. Raises OSError."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(descriptor)
        raise OSError(0, "not a regular file of its own")
    return os.fdopen(descriptor, "r+b" if flags & os.O_RDWR else "rb")


def _gap(file: BinaryIO) -> bytes:
    """What belongs between the file's present end and a new entry."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return _NEW_FILE
    file.seek(-min(size, 2), os.SEEK_END)
    end = file.read()
    return b"" if end == b"\n\n" else b"\n" if end.endswith(b"\n") else b"\n\n"


def _recall(file: BinaryIO) -> tuple[str, str]:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(_HEAD)
    patterns, end = _patterns(head)
    start = max(size - TAIL_LIMIT, end)
    file.seek(start)
    tail = file.read(TAIL_LIMIT)
    return _text(_from_a_beginning(tail) if start > end else tail), _text(patterns)


def _patterns(head: bytes, limit: int = PATTERNS_LIMIT) -> tuple[bytes, int]:
    """The patterns, and where the entries begin: after them, if they stand before the first entry."""
    section = _SECTION.search(head)
    if section is None:
        return b"", 0
    after = _SECTION_END.search(head, section.end())
    end = after.start() if after else len(head)
    body = head[section.end() : end]
    if len(body) > limit:
        body = body[: body.rfind(b"\n", 0, limit) + 1 or limit]
    first = _ENTRY.search(head)
    return body, end if first and first.start() == section.start() else 0


def _from_a_beginning(tail: bytes) -> bytes:
    """`tail` from its first whole entry, or its first whole line where that would cost more than half of it."""
    entry = _ENTRY.search(tail, 1)
    if entry and entry.start() <= len(tail) // 2:
        return tail[entry.start() :]
    return tail[tail.find(b"\n") + 1 :]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip("\n")
