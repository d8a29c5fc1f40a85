"""Where other tools leave their task files."""

import itertools
import stat
from collections.abc import Iterator
from pathlib import Path

from prd_ralph.prdfile.foreign.claimed import claims_of
from prd_ralph.prdfile.text import SIZE_LIMIT

FOLDERS = (".", "scripts/ralph", "ralph", ".ralph", "tasks", ".taskmaster/tasks", "plans", "specs", "docs", ".agent")
_MOST = 200


def task_files(folder: Path) -> tuple[Path, ...]:
    """The JSON files there that hold a list of stories; of very many files only the first are looked into."""
    return tuple(path for path in itertools.islice(_small(folder), _MOST) if claims_of(path.read_bytes()))


def _small(folder: Path) -> Iterator[Path]:
    for name in FOLDERS:
        for path in sorted((folder / name).glob("*.json")):
            found = path.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_size <= SIZE_LIMIT:
                yield path
