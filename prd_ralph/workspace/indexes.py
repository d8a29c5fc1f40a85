"""Our indexes as we wrote them, in memory too: what an agent does to the files in the run's folder is undone."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.files import Attic, lstat, read_plain, write_new


@dataclass(frozen=True, slots=True)
class _Held:
    """`times`: a younger copy would defeat git's guard against edits within one clock tick."""

    data: bytes
    times: int


class Indexes:
    """Index files by their paths; all but a person's lie in one folder. What stands in a file's way goes to `attic`."""

    def __init__(self, attic: Attic) -> None:
        self._attic = attic
        self._held: dict[Path, _Held] = {}

    def hold(self, index: Path) -> None:
        """Remembers it as it is now: git has just written it for us, or nothing foreign has run yet.

        Raises FileNotFoundError where it is no file.
        """
        data, found = read_plain(index), lstat(index)
        if data is None or found is None:
            raise FileNotFoundError(index)
        self._held[index] = _Held(data, found.st_mtime_ns)

    def copy(self, source: Path, target: Path) -> None:
        """Makes `target` what `source` was when it was held (now, if it never was), and holds it."""
        if source not in self._held:
            self.hold(source)
        self._held[target] = self._held[source]
        self._write(target)

    def take(self, source: Path, target: Path) -> None:
        """Makes `target` what `source`, a person's, is now, and holds it."""
        self.hold(source)
        self.copy(source, target)

    def mend(self, index: Path) -> bool:
        """Makes it what was held, after foreign code has run; whether it was anything else."""
        held, found = self._held.get(index), lstat(index)
        if held is None or (found and found.st_mtime_ns == held.times and read_plain(index) == held.data):
            return False
        self._write(index)
        return True

    def equals(self, index: Path, other: Path) -> bool:
        """Whether the file `other` has the bytes that `index` was held with."""
        return read_plain(other) == self._held[index].data

    def write_into(self, index: Path, lock: Path) -> None:
        """Fills a lock file of ours with `index` as it was held."""
        held = self._held[index]
        lock.write_bytes(held.data)
        os.utime(lock, ns=(held.times, held.times))

    def _write(self, index: Path) -> None:
        held = self._held[index]
        index.parent.mkdir(parents=True, exist_ok=True)
        for path in (index, index.with_name(f"{index.name}.lock")):
            found = lstat(path)
            if found is not None and stat.S_ISREG(found.st_mode):
                path.unlink()  # never written into: it may bear another name too
            elif found is not None:
                self._attic.take(path.parent, path.name)
        write_new(index, held.data, 0o644)
        os.utime(index, ns=(held.times, held.times))
