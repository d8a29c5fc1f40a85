"""Former PRDs and their memory: what the last run here worked on, and what was put away when another one came."""

import itertools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import cannot_write
from prd_ralph.names import encode_story

_BRANCHES = "branches.json"


@dataclass(frozen=True, slots=True)
class Archive:
    """In `folder`, one of the state folder's; `place` names the work tree and the prd.json that runs work on."""

    folder: Path
    place: str

    def branches(self) -> tuple[str, ...]:
        """The `branchName` of every run so far, each once, the last run's last; none where that is not recorded."""
        try:
            said = json.loads((self._last / _BRANCHES).read_bytes())
        except (OSError, ValueError):
            return ()
        return tuple(map(str, said)) if isinstance(said, list) else ()

    def remember(self, branch: str, files: Mapping[str, bytes]) -> None:
        """What the run at hand works on: `files` by their names. Raises BlockedError where it cannot be written."""
        branches = [*(each for each in self.branches() if each != branch), branch]
        _write(self._last, {**files, _BRANCHES: json.dumps(branches).encode("ascii")})

    def last(self, name: str) -> bytes | None:
        """The file of this name as the last run left it; None where there was none."""
        try:
            return (self._last / name).read_bytes()
        except OSError:
            return None

    def put_away(self, branch: str, day: str, files: Mapping[str, bytes]) -> Path:
        """A folder of their own for `files`: `2031-03-01-task-priority`, of a branch `ralph/task-priority`.

        Raises BlockedError where it cannot be written.
        """
        name = f"{day}-{encode_story(branch.removeprefix('ralph/').replace('/', '-'))}"
        for number in itertools.count(1):
            target = self.folder / (name if number == 1 else f"{name}-{number}")
            if not target.exists():
                _write(target, files)
                return target
        raise AssertionError("counting ends")

    @property
    def _last(self) -> Path:
        return self.folder / f"last-{encode_story(self.place)}"


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, data in files.items():
            draft = folder / f"{name}.tmp"
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # it is cut away elsewhere next
            draft.replace(folder / name)
    except OSError as error:
        raise cannot_write(folder, error) from error
