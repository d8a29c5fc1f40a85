"""The state folder, `prd-ralph/` in the common git directory: locks, the wish to stop, a folder a run.

Nothing in it decides a verdict; deleting it costs history only.
"""

import errno
import fcntl
import json
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from prd_ralph.errors import BlockedError, cannot_write
from prd_ralph.model import AttemptKey
from prd_ralph.names import encode_story
from prd_ralph.ports import Clock

_RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
SUPERVISOR = ".supervisor"
"""What the name of a work tree's lock ends in that is held by who watches over its run."""

MAIN = "main"
"""The name of the repository's own work tree; a linked one has the name that git gives it."""
POOL = f"the pool{SUPERVISOR}"
"""The lock that is held while a run chooses a work tree of the pool. No work tree can have a name with a blank."""

_LOCK_TRIES = 5
PATIENT_TRIES = 1500
_LOCK_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who holds a lock, as it wrote itself: for messages only, flock alone decides.

    `start` is the process's start in clock ticks since boot (Linux); `since` is UTC; `run`: the run that it is. Unknown
    ones are None and "".
    """

    pid: int | None = None
    start: int | None = None
    since: str = ""
    run: str = ""

    def __str__(self) -> str:
        known = (f"pid {self.pid}" if self.pid else "", f"since {self.since}" if self.since else "")
        return ", ".join(part for part in known if part) or "pid unknown"


class StateFolder:
    """The folder itself, made when something is first written to it."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path = path
        self._clock = clock

    @contextmanager
    def lock(self, worktree: str, tries: int = _LOCK_TRIES) -> Iterator[Callable[[str], None]]:
        """Holds the lock of this worktree, as every command that writes prd.json must; a run signs it with its id.
        Where it is held it is tried again so often, 50 times a second.

        Raises BlockedError (exit 3) where another process holds it.
        """
        path = self._lock_path(worktree)
        try:
            _private_folder(self.path, self.path)
            handle = _open(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise cannot_write(path, error) from error
        try:
            self._take(handle, path, tries)
            yield lambda run_id: self._sign(handle, path, run_id)
        finally:
            os.close(handle)

    def read_lock(self, worktree: str) -> LockHolder | None:
        """Who holds this worktree's lock now, or None. What a dead process left behind counts for nothing,
        and what is no regular file was never locked.
        """
        try:
            handle = _open(self._lock_path(worktree), os.O_RDONLY)
        except PermissionError as error:
            raise BlockedError(
                f"{self._lock_path(worktree)} cannot be read: {error.strerror}", "mend its owner or permissions"
            ) from error
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder(handle)
        finally:
            os.close(handle)
        return None

    def held_elsewhere(self, worktree: str) -> tuple[str, LockHolder] | None:
        """Another worktree of this repository whose lock is held, and by whom; the first of them, or None."""
        names = sorted(path.name.removeprefix("lock-") for path in self.path.glob("lock-*"))
        # Who watches over a run holds a lock beside it: it is not at work itself.
        trees = (unquote(name) for name in names if not unquote(name).endswith(SUPERVISOR))
        others = ((name, self.read_lock(name)) for name in trees if name != worktree)
        return next(((name, holder) for name, holder in others if holder is not None), None)

    def request_stop(self, worktree: str = MAIN) -> None:
        """Asks the run that is going on in this worktree to end after its iteration."""
        path = self._stop_path(worktree)
        try:
            _private_folder(self.path, self.path)
            path.touch(mode=0o600)
        except OSError as error:
            raise cannot_write(path, error) from error

    def clear_stop(self, worktree: str = MAIN) -> None:
        """Forgets the request, as a new run does."""
        self._stop_path(worktree).unlink(missing_ok=True)

    def stop_requested(self, worktree: str = MAIN) -> bool:
        return self._stop_path(worktree).exists()

    def new_run(self) -> "RunFolder":
        """A folder with an id of its own, as `20310301T080000Z-4f2a`."""
        stamp = re.sub("[-:]", "", self._clock.now())
        run = RunFolder(self, f"{stamp}-{os.urandom(2).hex()}")
        try:
            _private_folder(self.runs_path, self.path)
            run.path.mkdir(mode=0o700)
        except OSError as error:
            raise cannot_write(run.path, error) from error
        return run

    def run(self, run_id: str) -> "RunFolder":
        """The folder of a run that has an id already, made if need be."""
        run = RunFolder(self, run_id)
        try:
            _private_folder(run.path, self.path)
        except OSError as error:
            raise cannot_write(run.path, error) from error
        return run

    def runs(self) -> tuple["RunFolder", ...]:
        """All runs, the newest first."""
        if not self.runs_path.is_dir():
            return ()
        found = [entry for entry in self.runs_path.iterdir() if _RUN_ID.fullmatch(entry.name) and entry.is_dir()]
        found.sort(key=lambda entry: (entry.name.partition("-")[0], entry.stat().st_mtime_ns), reverse=True)
        return tuple(RunFolder(self, entry.name) for entry in found)

    def context_path(self, worktree: str) -> Path:
        """Where waits what the person adds for the next prompt in this worktree."""
        return self.path / f"context-{encode_story(worktree)}"

    @property
    def archive_path(self) -> Path:
        """Where former runs' prd.json and progress.txt go, and older entries of a large one."""
        return self.path / "archive"

    @property
    def runs_path(self) -> Path:
        return self.path / "runs"

    def _stop_path(self, worktree: str) -> Path:
        return self.path / ("stop" if worktree == MAIN else f"stop-{encode_story(worktree)}")

    def _lock_path(self, worktree: str) -> Path:
        return self.path / f"lock-{encode_story(worktree)}"

    def _take(self, handle: int, path: Path, tries: int) -> None:
        """Locks and signs. A few tries: `status` holds the lock for a moment when it looks."""
        for left in reversed(range(tries)):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not left:
                    raise BlockedError(
                        f"another prd-ralph is at work here ({_holder(handle)})", "prd-ralph status shows it"
                    ) from None
                time.sleep(_LOCK_PAUSE_S)
            except OSError as error:
                raise cannot_write(path, error) from error
        self._sign(handle, path)

    def _sign(self, handle: int, path: Path, run_id: str = "") -> None:
        signed = {"pid": os.getpid(), "start": _start_ticks(), "since": self._clock.now(), "run": run_id}
        signature = json.dumps(signed)
        try:
            os.truncate(handle, 0)
            os.pwrite(handle, signature.encode(), 0)
        except OSError as error:
            raise cannot_write(path, error) from error


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run's folder, and the State port. `trees`: whose `stop` is meant for it."""

    state: StateFolder
    run_id: str
    trees: tuple[str, ...] = (MAIN,)

    @property
    def path(self) -> Path:
        return self.state.runs_path / self.run_id

    @property
    def events(self) -> Path:
        """The ledger's file."""
        return self.path / "events.jsonl"

    def began_before(self, holder: LockHolder) -> bool:
        """Whether it is another, later run that holds the lock; to the second where that is not said."""
        if holder.run:
            return holder.run != self.run_id
        return self.run_id.partition("-")[0] < re.sub("[-:]", "", holder.since)

    def discard_if_unused(self) -> None:
        """Removes the folder of a run that was refused before anything was recorded, or moved there."""
        if not self.events.exists() and not (self.path / "moved").exists():
            shutil.rmtree(self.path, ignore_errors=True)

    def attempt_path(self, key: AttemptKey) -> Path:
        """`runs/<run>/<story>/<n>` of the run in which the attempt began."""
        return self.state.runs_path / encode_story(key.run) / encode_story(key.story) / str(key.number)

    def attempt_folder(self, key: AttemptKey) -> Path:
        """The same, made if need be."""
        folder = self.attempt_path(key)
        try:
            _private_folder(folder, self.state.path)
        except OSError as error:
            raise cannot_write(folder, error) from error
        return folder

    def stop_requested(self) -> bool:
        """Whether `prd-ralph stop` has asked for an end after this iteration."""
        return any(map(self.state.stop_requested, self.trees))


def _open(path: Path, flags: int) -> int:
    """The regular file itself: no link is followed, and a FIFO does not block. Raises OSError."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no regular file")
    return handle


def _private_folder(path: Path, top: Path) -> None:
    """Makes `path`, and its parents from `top` down, for the person's eyes only."""
    if path.is_dir():
        return
    for folder in reversed([path, *(parent for parent in path.parents if parent.is_relative_to(top))]):
        folder.mkdir(mode=0o700, exist_ok=True)


def _holder(handle: int) -> LockHolder:
    try:
        signed = json.loads(os.pread(handle, 4096, 0))
        return LockHolder(int(signed["pid"]), signed["start"], str(signed["since"]), str(signed.get("run", "")))
    except (ValueError, TypeError, KeyError):
        return LockHolder()


def _start_ticks() -> int | None:
    """Field 22 of /proc/self/stat; the name in field 2 may hold blanks and brackets. None where there is no /proc."""
    try:
        stat = Path("/proc/self/stat").read_bytes()
    except OSError:
        return None
    return int(stat.rpartition(b")")[2].split()[19])
