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
from prd_ralph.workspace.files import Stamp, content, is_file, lstat, reached, readable, stamp
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.places import Places

CURRENT = "refs/worktree/prd-ralph/current"
ATTEMPTS = "refs/prd-ralph/"
_WHO = b"prd-ralph <prd-ralph@prd-ralph.invalid>"
_BATCH = 16 << 20
Key = tuple[str, Stamp]
Blobs = dict[Key, str]
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
        "judged": current.judged,
        "unchecked": current.unchecked,
    }
    return Record(ref, json.dumps(message), (current.base,), current.tree, tuple(sorted(files)))


def write(git: Git, root: Path, records: Sequence[Record], blobs: Blobs) -> None:
    """Makes the commits and points their refs at them. `blobs` remembers what git has already been given."""
    stream = b""
    marked: list[Key] = []
    for key in _unknown(root, records, blobs):
        stream += (
            b"blob\nmark :%d\n" % (len(marked) + 1) + _data(_content(root, key)) + b"get-mark :%d\n" % (len(marked) + 1)
        )
        marked.append(key)
        if len(stream) > _BATCH:
            _import(git, stream, marked, blobs)
            stream, marked = b"", []
    names = blobs | {key: f":{number}" for number, key in enumerate(marked, 1)}
    stream += b"".join(part for record in records for part in _commit(root, record, names))
    _import(git, stream, marked, blobs)


def _import(git: Git, stream: bytes, marked: Sequence[Key], blobs: Blobs) -> None:
    answer = git("fast-import", "--quiet", "--force", "--done", "--date-format=now", stdin=stream + b"done\n")
    blobs.update(zip(marked, answer.decode("ascii").split(), strict=True))


def _unknown(root: Path, records: Sequence[Record], blobs: Blobs) -> tuple[Key, ...]:
    keys = (_key(root, path) for record in records for path in record.files)
    return tuple(dict.fromkeys(key for key in keys if key is not None and key not in blobs))


def _key(root: Path, path: str) -> Key | None:
    """A file by its name and what lstat says of it; None where there is nothing that can be recorded."""
    found = lstat(root / path) if reached(root, path) else None
    return (path, stamp(found)) if found is not None and is_file(found) and readable(root / path, found) else None


def _content(root: Path, key: Key) -> bytes:
    return content(root / key[0], os.lstat(root / key[0])) or b""


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
        flags = (bool(said.get(name)) for name in ("judged", "unchecked"))
        return Current(key, parent, tree, bool(said["ended"]), known, said["landing_tree"], *flags)
    except (ValueError, KeyError, TypeError) as error:
        raise BlockedError(
            f"{CURRENT} is not what prd-ralph wrote ({error})",
            f"look at the work tree, then remove it: git update-ref -d {CURRENT}",
        ) from error


def forget_current(git: Git, places: Places) -> None:
    """Removes the ref. A ref of one work tree is never packed, so where refs are files, this is all there is of it."""
    try:
        (places.own / CURRENT).unlink()
    except OSError:
        git("update-ref", "-d", CURRENT)


def _commit(root: Path, record: Record, names: Blobs) -> Iterator[bytes]:
    first, *others = record.parents
    yield f"commit {record.ref}\n".encode("ascii") + b"committer " + _WHO + b" now\n"
    yield _data(record.message.encode("utf-8", "surrogateescape")) + f"from {first}\n".encode("ascii")
    yield "".join(f"merge {other}\n" for other in others).encode("ascii")
    if record.tree:
        yield f'M 040000 {record.tree} ""\n'.encode("ascii")
    for path in record.files:
        key = _key(root, path)
        blob = names.get(key) if key else None
        yield _entry(key[1][0], blob, path) if key and blob else b"D " + _quoted(path) + b"\n"
    yield b"\n"


def _entry(mode: int, blob: str, path: str) -> bytes:
    kind = "120000" if stat.S_ISLNK(mode) else "100755" if mode & stat.S_IXUSR else "100644"
    return f"M {kind} {blob} ".encode("ascii") + _quoted(path) + b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"


def _quoted(path: str) -> bytes:
    """A path in C style: every byte that could end it or open an escape in octal."""
    return b'"' + b"".join(_octal(byte) for byte in os.fsencode(path)) + b'"'


def _octal(byte: int) -> bytes:
    return b"\\%03o" % byte if byte < 0x20 or byte in b'"\\' or byte > 0x7E else bytes((byte,))
