"""The near end of a supervisor: starts it, sends it requests and orders, and reads its replies."""

import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from prd_ralph.ports import ProcessRequest
from prd_ralph.process import supervisor
from prd_ralph.process.program import NotStartedError

# `-I -S`: no variable, no site-packages and no folder of the project reaches the supervisor, and it starts sooner.
ISOLATED = (sys.executable, "-I", "-S")
# What a supervisor may take for anything that it does at once, and for clearing away what a process left.
ANSWER_S = 5.0
CLEARING_S = supervisor.SETTLE_S + supervisor.REST_S + supervisor.CLEAR_S + ANSWER_S


@dataclass(frozen=True, slots=True)
class Started:
    pid: int


@dataclass(frozen=True, slots=True)
class Failed:
    errno: int


@dataclass(frozen=True, slots=True)
class Ending:
    """`status` as wait(2) gives it; `why`: `exit` by itself, `told` or `killed` by an order."""

    status: int | None
    why: str
    swept: int
    stuck: tuple[int, ...]


class LostError(Exception):
    """The supervisor is gone, or does not answer."""


class Lane:
    """A living supervisor; serves one request at a time."""

    def __init__(self, interpreter: Sequence[str]) -> None:
        self._socket, far = socket.socketpair()
        self._unread = b""
        self._reaped = False
        self.is_free = True
        with far:
            self.pid = os.posix_spawn(
                interpreter[0],
                [*interpreter, supervisor.__file__],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, far.fileno(), 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_RDWR, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ],
                setsid=True,
            )
        self._socket.settimeout(ANSWER_S)

    def fileno(self) -> int:
        """Readable when there is a reply, or when the supervisor is gone."""
        return self._socket.fileno()

    def is_alive(self) -> bool:
        """Whether it could take a request; between requests it has nothing to say."""
        poll = select.poll()
        poll.register(self, select.POLLIN)
        return not poll.poll(0)

    def submit(self, request: ProcessRequest, program: str, fds: Sequence[int]) -> None:
        """Sends a request and its file descriptors (stdin, stdout, stderr). Raises NotStartedError."""
        body = _encoded(request, program)
        self.is_free = False
        try:
            socket.send_fds(self._socket, [b"R"], list(fds))
            self._socket.sendall(len(body).to_bytes(4, "big") + body)
        except OSError:
            # It shows as lost when the replies are read.
            self._shut(socket.SHUT_RDWR)

    def order(self, word: bytes) -> None:
        """Sends `T` or `K`, to a supervisor that was stopped too. That nobody hears it shows in the replies."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGCONT)
            self._socket.sendall(word)

    def replies(self) -> list[Started | Failed | Ending]:
        """What has come, once `fileno` is readable. Raises LostError at the end of file."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            raise LostError
        *lines, self._unread = (self._unread + data).split(b"\n")
        found = [_reply(json.loads(line)) for line in lines]
        self.is_free = any(
            isinstance(reply, Failed) or (isinstance(reply, Ending) and not reply.stuck) for reply in found
        )
        return found

    def close(self) -> None:
        """Lets it end all that still runs, and waits for its end; again is harmless."""
        self._shut(socket.SHUT_WR)
        with suppress(OSError):
            self._socket.settimeout(CLEARING_S)
            while self._socket.recv(1 << 16):
                pass
        self.kill()

    def kill(self) -> None:
        """Ends the supervisor itself, if it still lives."""
        self._socket.close()
        if self._reaped:
            return
        self._reaped = True
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _shut(self, how: int) -> None:
        with suppress(OSError):
            self._socket.shutdown(how)


class Lanes:
    """Living supervisors that wait for work, by kind: the ones that sweep, and git's. Safe for threads."""

    def __init__(self, interpreter: Sequence[str] = ISOLATED) -> None:
        self._interpreter = interpreter
        self._waiting: dict[bool, list[Lane]] = {True: [], False: []}
        self._pids: set[int] = set()
        self._lock = threading.Lock()

    @property
    def pids(self) -> frozenset[int]:
        with self._lock:
            return frozenset(self._pids)

    @contextmanager
    def borrow(self, sweep: bool) -> Iterator[Lane]:
        """A supervisor that nobody else uses meanwhile: one that waits, or a new one.

        One that was left in the midst of something, or with a process that it can't end, is closed.
        """
        lane = self._take(sweep)
        try:
            yield lane
        finally:
            if lane.is_free:
                with self._lock:
                    self._waiting[sweep].append(lane)
            else:
                self._drop(lane)

    def _take(self, sweep: bool) -> Lane:
        while True:
            with self._lock:
                lane = self._waiting[sweep].pop() if self._waiting[sweep] else None
            if lane is None:
                break
            if lane.is_alive():
                return lane
            self._drop(lane)
        lane = Lane(self._interpreter)
        with self._lock:
            self._pids.add(lane.pid)
        return lane

    def _drop(self, lane: Lane) -> None:
        lane.close()
        with self._lock:
            self._pids.discard(lane.pid)

    def close(self) -> None:
        """Closes all that wait."""
        for lanes in self._waiting.values():
            while lanes:
                self._drop(lanes.pop())


def _encoded(request: ProcessRequest, program: str) -> bytes:
    try:
        message = {
            "program": _portable(program),
            "argv": [_portable(argument) for argument in request.argv],
            "cwd": _portable(str(request.cwd.absolute())),
            "env": [_portable(f"{name}={value}") for name, value in request.env.items()],
            "grace": request.grace_s,
            "sweep": request.sweep,
        }
    except UnicodeEncodeError as error:
        raise NotStartedError(f"cannot start {program}: {error}") from error
    return json.dumps(message).encode()


def _portable(text: str) -> str:
    """The system's text as one that is the same bytes in UTF-8, whatever the locale."""
    return os.fsencode(text).decode("utf-8", "surrogateescape")


def _reply(message: dict[str, Any]) -> Started | Failed | Ending:
    if "pid" in message:
        return Started(message["pid"])
    if "spawn" in message:
        return Failed(message["spawn"])
    return Ending(message["end"], message["why"], message["swept"], tuple(message["stuck"]))
