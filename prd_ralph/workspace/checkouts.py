"""Fresh checkouts of a tree, as linked work trees outside of the person's: the `Checkouts` port.

They lie among the system's temporary files, under names that nobody can know before: below `.git` some test runners
find nothing, and beside the work tree they would find too much. Each has a record in the state folder, locked as long
as its process lives, so that a later start removes what a killed one has left, and nothing else.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prd_ralph.errors import BlockedError, cannot_write
from prd_ralph.ports import Checkout
from prd_ralph.workspace.files import is_folder, lstat, read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import resolve
from prd_ralph.workspace.integrity import forged
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.submodules import fill
from prd_ralph.workspace.texts import listed, said

PREFIX = "prd-ralph-"
_NAME = re.compile(rf"{PREFIX}\w{{8}}")
_WHO = ("-c", "user.name=prd-ralph", "-c", "user.email=prd-ralph@prd-ralph.invalid")
_MESSAGE = b"prd-ralph: what is verified\n"
_HINT = "git worktree add --detach /tmp/scratch shows the same; mend what it says, then run again"

_FORGED = "git fsck shows them; bring .git back from a clone or a backup"


class GitCheckouts:
    """Makes them of the repository around `git`; nothing but their records is written to `location.state`."""

    def __init__(self, git: Git, location: Location) -> None:
        self._git = git
        self._location = location

    @contextmanager
    def of(self, tree: str) -> Iterator[Checkout]:
        """A checkout of a tree, as a commit on HEAD, or of a commit; at the end it is gone. Raises BlockedError."""
        commit = self._commit(tree)
        path = _vacant_folder()
        record = _record(self._location, path)
        try:
            self._add(path, commit)
            notes = tuple(fill(self._git, self._git.root, path))
            if false := tuple(forged(self._git, path)):
                raise BlockedError(f"objects of this repository are not what their names say: {listed(false)}", _FORGED)
            yield Checkout(path, notes)
        finally:
            _remove(self._location, path, record)

    def _commit(self, tree: str) -> str:
        """The commit that is checked out: HEAD, where that is the tree; tools ask git what they build."""
        if commit := resolve(self._git, tree):
            return commit
        head = resolve(self._git, "HEAD")
        if head and self._git("rev-parse", "HEAD^{tree}").decode("ascii").strip() == tree:
            return head
        parent = ("-p", head) if head else ()
        return self._git(*_WHO, "commit-tree", tree, *parent, stdin=_MESSAGE).decode("ascii").strip()

    def _add(self, path: Path, commit: str) -> None:
        told = self._git.result(
            *("-c", "submodule.recurse=false", "worktree", "add", "-q", "--detach", str(path), commit)
        )
        if not told.ok:
            raise BlockedError(f"no fresh checkout can be made: {said(told)}", _HINT)


def clear_abandoned(location: Location) -> None:
    """Removes the checkouts of processes that are dead."""
    for record in sorted(_records(location).glob(f"{PREFIX}*")):
        if _NAME.fullmatch(record.name) and is_folder(lstat(_records(location))):
            _clear_if_dead(location, record)


def _clear_if_dead(location: Location, record: Path) -> None:
    try:
        handle = os.open(record, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # another start has removed it, or it is none of ours
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return
    path = Path(os.fsdecode(os.pread(handle, 4096, 0)))
    if path.is_absolute() and path.name == record.name:
        _remove(location, path, handle)
    else:  # it was killed before it had written, or this is an agent's
        record.unlink(missing_ok=True)
        os.close(handle)


def _vacant_folder() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
    except OSError as error:
        raise cannot_write(tempfile.gettempdir(), error) from error


def _records(location: Location) -> Path:
    return location.state / "checkouts"


def _record(location: Location, path: Path) -> int:
    """Says where the checkout is going to be, and holds it: the open file."""
    folder = _records(location)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / path.name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(handle, os.fsencode(path))
    except OSError as error:
        path.rmdir()
        raise cannot_write(folder, error) from error
    return handle


def _remove(location: Location, path: Path, record: int) -> None:
    """Takes the checkout from disk and from git's list of work trees.

    By hand: `git worktree remove` refuses what a command has spoilt, and `prune` would look at the person's too. What
    cannot be removed (a container's files that are root's) keeps its record, and the next start tries again.
    """
    entries = location.common_dir / "worktrees"
    if _stands_for(entries / path.name, path):
        shutil.rmtree(entries / path.name, ignore_errors=True)
    with suppress(OSError):  # others are left in it, or none was made
        entries.rmdir()
    _remove_folder(path)
    if lstat(path) is None:
        (_records(location) / path.name).unlink(missing_ok=True)
    os.close(record)


def _stands_for(entry: Path, path: Path) -> bool:
    """Whether this entry of git's list is that checkout's."""
    told = read_plain(entry / "gitdir")
    return told is None or Path(os.fsdecode(told).strip()).parent == path


def _remove_folder(path: Path) -> None:
    if not is_folder(lstat(path)):
        path.unlink(missing_ok=True)
        return
    for folder in _folders(path):  # what a command has made read-only could not be emptied
        with suppress(OSError):
            folder.chmod(stat.S_IRWXU)
    shutil.rmtree(path, ignore_errors=True)


def _folders(path: Path) -> Iterator[Path]:
    """From the top, each before what is in it is looked at; no link is followed."""
    yield path
    for folder, names, _ in os.walk(path):
        yield from (Path(folder, name) for name in names if is_folder(lstat(Path(folder, name))))
