"""For tests of what a user may not read: root reads everything."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def unprivileged(*folders: Path) -> Iterator[None]:
    """Within it this process is a user who owns `folders`, with what is in them, and has no rights of root's."""
    if os.geteuid() != 0:
        yield
        return
    above = [folder for folder in {each for path in folders for each in path.parents} if folder.stat().st_uid == 0]
    modes = {folder: stat.S_IMODE(folder.stat().st_mode) for folder in above}
    try:
        for folder, mode in modes.items():
            folder.chmod(mode | 0o011)
        _give(folders, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, 0)  # root is kept in reserve
        try:
            yield
        finally:
            os.setresuid(0, 0, 0)
    finally:
        _give(folders, 0)
        for folder, mode in modes.items():
            folder.chmod(mode)


def _give(folders: tuple[Path, ...], user: int) -> None:
    for top in folders:
        for path in (top, *top.rglob("*")):
            os.chown(path, user, -1, follow_symlinks=False)
