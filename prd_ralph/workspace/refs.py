"""The refs of prd-ralph: attempts' end states, and `current`, what lies in the work tree between attempts.

Names and the message's fields are REFERENCE's; both are written by one `git fast-import` (its input format:
git-fast-import(1)), which makes blobs, trees, commits and refs in one process, without filters.
"""

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prd_ralph.errors import BlockedError
from prd_ralph.model import AttemptKey
from prd_ralph.names import encode_story
from prd_ralph.ports import Current
from prd_ralph.workspace.files import content, is_file, lstat, reached
from prd_ralph.workspace.git import Git

CURRENT = "refs/worktree/prd-ralph/current"
ATTEMPTS = "refs/prd-ralph/"
_WHO = b"prd-ralph <prd-ralph@prd-ralph.invalid>"
_FORMAT = "%(tree)%00%(parent)%00%(contents)"


@dataclass(frozen=True, slots=True)
class Record:
    """A commit to be made under `ref`: on `parents`, with `tree` (empty: the first parent's).

    `files` are laid over the tree as they lie on disk below `root`; what is not there (or too large) is left out.
    """

    ref: str
    message: str
    parents: tuple[str, ...]
    tree: str = ""
    files: tuple[str, ...] = ()


def attempt_ref(key: AttemptKey) -> str:
    return f"{ATTEMPTS}{key.run}/{encode_story(key.story)}/{key.number}"


def attempts(git: Git) -> dict[str, int]:
    """The largest attempt number of each story, over all runs, by the story's encoded id."""
    largest: dict[str, int] = {}
    for name in git("for-each-ref", "--format=%(refname)", ATTEMPTS).decode("utf-8", "replace").splitlines():
        _, _, rest = name.removeprefix(ATTEMPTS).partition("/")
        story, _, number = rest.partition("/")
        if number.isascii() and number.isdigit():
            largest[story] = max(largest.get(story, 0), int(number))
    return largest


def current_record(current: Current, files: Iterable[str], ref: str = CURRENT) -> Record:
    """`current` as it is to be written; `files` are the person's untracked ones, prd.json and progress.txt."""
    message: dict[str, Any] = {
        "run": current.key.run,
        "story": current.key.story,
        "attempt": current.key.number,
        "ended": current.ended,
        "known_untracked": current.known_untracked,
        "landing_tree": current.landing_tree,
    }
    return Record(ref, json.dumps(message), (current.base,), current.tree, tuple(sorted(files)))


def write(git: Git, root: Path, records: Sequence[Record]) -> None:
    """Makes the commits and points their refs at them."""
    stream = b"feature done\n" + b"".join(part for record in records for part in _commit(root, record)) + b"done\n"
    git("fast-import", "--quiet", "--force", "--date-format=now", stdin=stream)


def read_current(git: Git) -> Current | None:
    """What the last run left in this work tree. Raises BlockedError where the ref is none of ours."""
    answer = git("for-each-ref", f"--format={_FORMAT}", CURRENT)
    if not answer.strip():
        return None
    tree, parent, message = answer.decode("ascii", "replace").split("\0", 2)
    try:
        said = json.loads(message)
        key = AttemptKey(str(said["run"]), str(said["story"]), int(said["attempt"]))
        known = tuple(str(path) for path in said["known_untracked"])
        return Current(key, parent, tree, bool(said["ended"]), known, said["landing_tree"])
    except (ValueError, KeyError, TypeError) as error:
        raise BlockedError(
            f"{CURRENT} is not what prd-ralph wrote ({error})",
            f"look at the work tree, then remove it: git update-ref -d {CURRENT}",
        ) from error


def forget_current(git: Git) -> None:
    git("update-ref", "-d", CURRENT)


def _commit(root: Path, record: Record) -> Iterator[bytes]:
    first, *others = record.parents
    yield f"commit {record.ref}\n".encode("ascii") + b"committer " + _WHO + b" now\n"
    yield _data(record.message.encode("utf-8", "surrogateescape")) + f"from {first}\n".encode("ascii")
    yield "".join(f"merge {other}\n" for other in others).encode("ascii")
    if record.tree:
        yield f'M 040000 {record.tree} ""\n'.encode("ascii")
    for path in record.files:
        yield _file(root, path)
    yield b"\n"


def _file(root: Path, path: str) -> bytes:
    found = lstat(root / path) if reached(root, path) else None
    data = content(root / path, found) if found is not None and is_file(found) else None
    if found is None or data is None:
        return b"D " + _quoted(path) + b"\n"
    mode = b"120000" if stat.S_ISLNK(found.st_mode) else b"100755" if found.st_mode & stat.S_IXUSR else b"100644"
    return b"M " + mode + b" inline " + _quoted(path) + b"\n" + _data(data)


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"


def _quoted(path: str) -> bytes:
    """A path in C style: every byte that could end it or open an escape in octal."""
    return b'"' + b"".join(_octal(byte) for byte in os.fsencode(path)) + b'"'


def _octal(byte: int) -> bytes:
    return b"\\%03o" % byte if byte < 0x20 or byte in b'"\\' or byte > 0x7E else bytes((byte,))
