"""prd.json on disk: read without blocking, replaced in one step."""

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from prd_ralph.errors import BlockedError, ForeignChangeError, Problem, ProblemsError, RalphError
from prd_ralph.names import draft_name
from prd_ralph.ports import GuardedPrd, PrdDocument
from prd_ralph.prdfile import edit
from prd_ralph.prdfile.approval import without_approval
from prd_ralph.prdfile.extend import extended
from prd_ralph.prdfile.guard import guarded
from prd_ralph.prdfile.reading import parse
from prd_ralph.prdfile.text import SIZE_LIMIT

_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_TEMP_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def move_aside(path: Path) -> None:
    """Renames it to `NAME.aside-N`."""
    number = 1
    while os.path.lexists(path.with_name(f"{path.name}.aside-{number}")):
        number += 1
    path.rename(path.with_name(f"{path.name}.aside-{number}"))


class JsonPrdFile:
    """The `PrdFile` port on a real file.

    Links are followed once, here; later nothing is read or written through one. `name` is the path below `root`.
    `move_away` takes what stands in the way out of the work tree (by default it is renamed to `NAME.aside-N`).
    Raises RalphError when the file is outside `root`.
    """

    def __init__(self, path: Path, root: Path, move_away: Callable[[Path], object] = move_aside) -> None:
        self._root, self._path = Path(os.path.realpath(root)), Path(os.path.realpath(path))
        if not self._path.is_relative_to(self._root) or self._path == self._root:
            raise RalphError(f"{path} is not inside the project {root}", "keep prd.json in the project's folder")
        self._move_away = move_away
        self._flipped: PrdDocument | None = None
        self._last: PrdDocument | None = None
        self.name = str(self._path.relative_to(self._root))

    @property
    def path(self) -> Path:
        return self._path

    def load(self, strict: bool = False) -> PrdDocument:
        """Raises ProblemsError with all that is wrong with it; `strict` makes warnings errors.

        What `flipped` made is known already and is not judged again: whether the folder of a `cwd` has become a link
        out of the project since is for whoever starts the command.
        """
        data = self.read()
        if data is None:
            message = _absence(self._path)
            raise ProblemsError(
                [
                    Problem(
                        message,
                        "name another file, or make this one: `prd-ralph plan PRD.md`",
                        self.name,
                    )
                ]
            )
        known = self._flipped
        if known is not None and data == known.data and not (strict and known.warnings):
            self._last = known
        else:
            self._last = parse(data, self.name, self._root, strict)
        return self._last

    def read(self) -> bytes | None:
        """The bytes, at most one more than what is ever accepted; None where there is no regular file to be read."""
        if os.path.realpath(self._path.parent) != str(self._path.parent):
            return None
        try:
            descriptor = os.open(self._path, _READ_FLAGS)
        except OSError:
            return None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return None
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read(SIZE_LIMIT + 1)

    def flipped(self, data: bytes, story_id: str, passes: bool) -> bytes:
        """With the flag goes a person's word for it."""
        flipped = edit.flipped(data, story_id, passes)
        if not passes:
            return without_approval(flipped, story_id)
        if self._last is not None and data == self._last.data:
            # What was read once need not be read again for a flag.
            self._flipped = replace(self._last, data=flipped, prd=self._last.prd.with_passing(story_id))
        return flipped

    def guard(self, before: bytes, after: bytes | None, story_id: str) -> GuardedPrd:
        return guarded(before, after, story_id)

    def extended(self, data: bytes, proposals: Sequence[Mapping[str, Any]]) -> tuple[bytes, tuple[str, ...]]:
        return extended(data, proposals, self.name, self._root)

    def write(self, data: bytes, expected: bytes | None) -> None:
        """Replaces the file in one step: a temporary file beside it, fsync, compare, rename. The mode is kept.

        A link or FIFO in its place is replaced, not followed; a folder, or a link among the folders above, is
        moved away first. Raises ForeignChangeError where the file no longer holds `expected`
        (None: don't look), BlockedError where the disk refuses.
        """
        temporary = self._path.with_name(draft_name(self._path.name))
        self._compare(expected)
        try:
            self._clear_the_way()
            self._clear_of_folders(temporary)
            temporary.unlink(missing_ok=True)  # a killed run's
            try:
                _write_synced(temporary, data, _mode(self._path))
                self._compare(expected)
                self._clear_of_folders(self._path)
                temporary.replace(self._path)
            finally:
                temporary.unlink(missing_ok=True)
            _sync_folder(self._path.parent)
        except OSError as error:
            raise BlockedError(f"{self.name} can't be written: {error.strerror or error}") from error

    def _compare(self, expected: bytes | None) -> None:
        if expected is not None and self.read() != expected:
            raise ForeignChangeError(
                f"{self.name} was changed by somebody else while prd-ralph was about to write it",
                "look at the change (`git diff`), then run again",
            )

    def _clear_the_way(self) -> None:
        folder = self._root
        for part in self._path.parent.relative_to(self._root).parts:
            folder /= part
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                self._move_away(folder)
            folder.mkdir(exist_ok=True)

    def _clear_of_folders(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            self._move_away(path)


def _absence(path: Path) -> str:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "there is no such file"
    except OSError as error:
        return f"can't be read: {error.strerror}"
    return "can't be read" if stat.S_ISREG(mode) else "is a folder" if stat.S_ISDIR(mode) else "is no regular file"


def _mode(path: Path) -> int:
    """The permissions that the new file gets: the old one's, always readable and writable for its owner."""
    try:
        found = path.lstat().st_mode
    except OSError:
        return 0o666
    return stat.S_IMODE(found) & 0o777 | 0o600 if stat.S_ISREG(found) else 0o666


def _write_synced(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, _TEMP_FLAGS, mode)
    with os.fdopen(descriptor, "wb") as stream:
        if mode != 0o666:
            os.fchmod(descriptor, mode)
        stream.write(data)
        stream.flush()
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
