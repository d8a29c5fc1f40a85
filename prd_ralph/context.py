"""What the person adds for the next prompt: a file an addition, so that one can be made while another is taken."""

import os
import secrets
import time
from pathlib import Path

from prd_ralph.errors import RalphError, cannot_write

CONTEXT_LIMIT = 16 << 10
"""Bytes of UTF-8, all additions together."""


class ContextFolder:
    """The additions in the folder `path`, by the time that they were made at."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shown: tuple[Path, ...] = ()
        self._skipped: tuple[Path, ...] = ()

    def add(self, text: str) -> None:
        """Raises RalphError for too much of it or for nothing, BlockedError where it cannot be written."""
        data = text.strip().encode("utf-8", "replace")
        if not data:
            raise RalphError("there is nothing to add", "say it: prd-ralph add-context 'the API key is in vault'")
        if len(data) + sum(len(each) + 2 for each in self._bytes()) > CONTEXT_LIMIT:
            raise RalphError(
                f"more than {CONTEXT_LIMIT >> 10} KiB for one prompt",
                "put it into a file of the repository and name that, or --clear what waits",
            )
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = f"{time.time_ns():020}-{secrets.token_hex(2)}.txt"
            draft = self._path / f"{name}.tmp"
            draft.write_bytes(data)
            draft.replace(self._path / name)
        except OSError as error:
            raise cannot_write(self._path, error) from error

    def clear(self) -> int:
        """Ends all that waits; how many there were."""
        self._shown = self._files()
        count = len(self._shown)
        self.take()
        return count

    def hand_to(self, other: "ContextFolder") -> None:
        """All that waits is `other`'s from now on. Raises BlockedError where it cannot be written."""
        try:
            for file in self._files():
                other._path.mkdir(mode=0o700, parents=True, exist_ok=True)
                file.replace(other._path / file.name)
        except OSError as error:
            raise cannot_write(other._path, error) from error

    def each(self) -> tuple[str, ...]:
        """What waits, the oldest first."""
        return tuple(data.decode("utf-8", "replace") for data in self._bytes())

    def read(self) -> str:
        """All that waits, with a blank line between additions; at most `CONTEXT_LIMIT` of it."""
        self._shown = self._files()
        return b"\n\n".join(map(_head, self._shown))[:CONTEXT_LIMIT].decode("utf-8", "replace")

    def take(self) -> None:
        """Ends what was there when it was read last."""
        try:
            for file in self._shown:
                file.unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._shown = ()

    def skip(self) -> bool:
        """What was read last could not be shown; whether that is news."""
        news, self._skipped = self._skipped != self._shown, self._shown
        return news

    def _files(self) -> tuple[Path, ...]:
        """Plain files alone: nothing else was put here by us."""
        try:
            with os.scandir(self._path) as found:
                names = [each.name for each in found if each.name.endswith(".txt") and _is_plain(each)]
        except OSError:
            return ()
        return tuple(self._path / name for name in sorted(names))

    def _bytes(self) -> list[bytes]:
        return [_head(file) for file in self._files()]


def _head(file: Path) -> bytes:
    """What one addition holds; nothing where it is gone by now."""
    try:
        with file.open("rb") as opened:
            return opened.read(CONTEXT_LIMIT)
    except OSError:
        return b""


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False)
