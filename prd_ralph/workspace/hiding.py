"""The work tree without what the candidate leaves out, for as long as the commands look at it.

What is away is noted first, in the run's folder: a start after a kill brings it back.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import read_plain, write_whole


@contextmanager
def hidden(desk: Desk, paths: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Moves `paths` (files, and folders that end in `/`) out of the work tree, and back at the end."""
    if paths:
        write_whole(_note(desk), json.dumps(paths).encode("ascii"))
        for path in paths:
            _move(desk.root / path, _place(desk) / path)
    try:
        yield paths
    finally:
        bring_back(desk)


def bring_back(desk: Desk) -> None:
    """Puts back what is away. Where something else lies by now, that stays, and the file stays in the run's folder."""
    try:
        paths = json.loads(read_plain(_note(desk)) or b"")
    except ValueError:
        return
    for path in paths:
        _move(_place(desk) / path, desk.root / path)
    _note(desk).unlink()


def _move(source: Path, target: Path) -> None:
    if os.path.lexists(source) and not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)


def _place(desk: Desk) -> Path:
    return desk.state / "hidden"


def _note(desk: Desk) -> Path:
    return desk.state / "hidden.json"
