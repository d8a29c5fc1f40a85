"""The refs of prd-ralph: attempts' end states, and `current`, what lies in the work tree between attempts.

Names and the message's fields are REFERENCE's. Both are written without a process, and without filters.
"""

import json
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from prd_ralph import names
from prd_ralph.errors import BlockedError
from prd_ralph.model import AttemptKey
from prd_ralph.ports import Current
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Stamp, is_file, lstat, reached, read_plain, readable, stamp
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.objects import Entry, vacant

CURRENT = "refs/worktree/prd-ralph/current"
Key = tuple[str, Stamp]
Blobs = dict[Key, str]
_FORMAT = "%(tree)%00%(parent)%00%(contents)"


@dataclass(frozen=True, slots=True)
class Record:
    """A commit to be made under `ref`: on `parents`, with `tree`.

    `files` are laid over the tree as they lie on disk below `root`; what is not there (or too large) is left out.
    """

    ref: str
    message: str
    parents: tuple[str, ...]
    tree: str
    files: tuple[str, ...] = ()


def attempt_ref(key: AttemptKey) -> str:
    return names.attempt_ref(key.run, key.story, key.number)


def current_record(current: Current, files: Iterable[str]) -> Record:
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
        "away": current.away,
        "empty": current.empty,
    }
    return Record(CURRENT, json.dumps(message), (current.base,), current.tree, tuple(sorted(files)))


def write(desk: Desk, records: Sequence[Record], blobs: Blobs) -> None:
    """Makes the commits, then points their refs at them, in this order. `blobs` remembers what git has been given."""
    names = {record.ref: _made(desk, record, blobs) for record in records}
    if (desk.location.common_dir / "reftable").is_dir():
        orders = "".join(f"update {ref} {name}\n" for ref, name in names.items())
        desk.git("update-ref", "--stdin", stdin=orders.encode("ascii"))
        return
    for ref, name in names.items():
        _point(desk.location, ref, name)


def laid_over(desk: Desk, tree: str, paths: Iterable[str], blobs: Blobs) -> str:
    """`tree` with `paths` as they lie on disk; what is not there (or too large) is taken out of it."""
    return desk.objects.overlay(tree, {os.fsencode(path): _entry(desk, path, blobs) for path in paths})


def _made(desk: Desk, record: Record, blobs: Blobs) -> str:
    tree = laid_over(desk, record.tree, record.files, blobs) if record.files else record.tree
    return desk.objects.commit(tree, record.parents, record.message)


def _point(location: Location, ref: str, name: str) -> None:
    """Writes a ref's file in one step. No other process writes these: the run holds the work tree's lock."""
    path = (location.git_dir if ref == CURRENT else location.common_dir) / ref
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.lock")
    with os.fdopen(vacant(draft, 0o666), "wb") as file:
        file.write(name.encode("ascii") + b"\n")
    draft.replace(path)


def _entry(desk: Desk, path: str, blobs: Blobs) -> Entry | None:
    key = _key(desk, path)
    if key is None:
        return None
    if key not in blobs:
        link = stat.S_ISLNK(key[1][0])
        data = os.fsencode((desk.root / path).readlink()) if link else read_plain(desk.root / path)
        if data is None:
            return None
        blobs[key] = desk.objects.add("blob", data)
    mode = key[1][0]
    return (b"120000" if stat.S_ISLNK(mode) else b"100755" if mode & stat.S_IXUSR else b"100644", blobs[key])


def _key(desk: Desk, path: str) -> Key | None:
    """A file by its name and what lstat says of it; None where there is nothing that can be recorded.

    The memory is recorded whatever its size: without it a start would have to believe what lies there.
    """
    file = desk.root / path
    found = lstat(file) if reached(desk.root, path) else None
    if found is None or not is_file(found):
        return None
    recorded = os.access(file, os.R_OK) if path in desk.memory else readable(file, found)
    return (path, stamp(found)) if recorded else None


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
        flags = (bool(said.get(name)) for name in ("judged", "unchecked", "away", "empty"))
        return Current(key, parent, tree, bool(said["ended"]), known, said["landing_tree"], *flags)
    except (ValueError, KeyError, TypeError) as error:
        raise BlockedError(
            f"{CURRENT} is not what prd-ralph wrote ({error})",
            f"look at the work tree, then remove it: git update-ref -d {CURRENT}",
        ) from error


def recorded(git: Git, current: Current, path: str) -> bytes | None:
    """A file as `current` holds it, or else as base does; None where neither has it."""
    answers = (git.result("cat-file", "blob", f"{tree}:{path}") for tree in (current.tree, current.base))
    return next((answer.stdout for answer in answers if answer.ok), None)


def forget_current(git: Git, location: Location) -> None:
    """Removes the ref. A ref of one work tree is never packed, so where refs are files, this is all there is of it."""
    try:
        (location.git_dir / CURRENT).unlink()
    except OSError:
        git("update-ref", "-d", CURRENT)
