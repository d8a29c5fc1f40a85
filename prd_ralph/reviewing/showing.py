"""What of a change is shown to a reviewer: the tests first, and no more than it can read."""

import re
from collections.abc import Callable, Iterable

from prd_ralph.ports import FilePatch, ShownChange
from prd_ralph.testfiles import is_test

TOTAL_LIMIT = 200 << 10
FILE_LIMIT = 48 << 10
FILES_LIMIT = 400
_HUNK = re.compile(r"^@@ ", re.MULTILINE)


def shown(paths: Iterable[str], patch_of: Callable[[str], str]) -> ShownChange:
    """The patches of `paths`, tests first, up to 200 KB in all and 48 KB a file (in characters).

    `patch_of` is asked for those alone that there may be room for. What is cut, binary or left out is named.
    """
    order = sorted(paths, key=lambda path: (not is_test(path), path))
    patches: list[FilePatch] = []
    cut: list[str] = []
    room = TOTAL_LIMIT
    for path in order[:FILES_LIMIT]:
        if room <= 0:
            break
        whole = patch_of(path)
        text = _readable(whole)[: min(FILE_LIMIT, room)]
        room -= len(text)
        patches.append(FilePatch(path, text))
        if text != whole:
            cut.append(path)
    return ShownChange(tuple(patches), tuple(cut), tuple(order[len(patches) :]))


def _readable(patch: str) -> str:
    """Of a file with NULs in it only what git says of it: it is no text."""
    if "\0" not in patch:
        return patch
    head = _HUNK.split(patch, 1)[0]
    return f"{head}(binary)\n"
