"""The supervisor: a process of its own that starts other processes for prd-ralph, and clears away what they leave.

Started by `lane.py` as `python -I -S supervisor.py` with a stream socket as its standard input; it lives for a
whole run and serves one request after another. It imports nothing of prd-ralph and no package, so that it starts
fast, and no variable and no module of the project reaches it.

To it: `R`, sent together with three file descriptors (stdin, stdout, stderr of the process to be), then 4 bytes of
length (big endian) and a JSON object: `program`, `argv`, `cwd`, `env` (a list of `NAME=value`), `grace` (seconds),
`sweep`. Bytes that are no UTF-8 travel as surrogates. While the process runs: `T` (end it: TERM, grace, KILL) and `K`
(KILL now); at any other time these two are late and mean nothing. End of file: prd-ralph is dead.

From it, a JSON object a line: `{"pid"}`, or `{"spawn": errno}` and nothing more; at the end `{"end": wait status or
null, "why": "exit" | "told" | "killed", "swept": count, "stuck": [pids]}`.

On Linux it is the child subreaper, so whatever its processes start ends up as its child, in whatever session it
hides; it is done only when the kernel says that no child is left (ECHILD). Elsewhere it has the process group alone.
"""

# pathlib would make the start half as long again.
# ruff: noqa: PTH110, PTH112, PTH123, PTH208

import errno
import json
import os
import select
import signal
import socket
import sys
import time
from types import FrameType
from typing import Any

# A writer at the end of a pipe (`exec > >(tee log)`) ends by itself a moment after its leader; only then TERM.
SETTLE_S = 0.1
REST_S = 1.0
CLEAR_S = 5.0
NAP_S = 0.0005
PR_SET_CHILD_SUBREAPER = 36
TERM, KILL = b"T", b"K"
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE)


class Line:
    """The socket to prd-ralph, and the pipe that SIGCHLD writes to."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._poll = select.poll()
        self._poll.register(self._woken, select.POLLIN)
        self._poll.register(self._socket, select.POLLIN)

    def say(self, **reply: object) -> None:
        """Sends one reply; nobody may be there to hear it."""
        try:
            self._socket.sendall(json.dumps(reply).encode() + b"\n")
        except OSError:
            return

    def order(self, deadline: float | None) -> bytes:
        """Waits until `deadline` for `T` or `K`; `b""` for a child's end or the time. End of file is a `K`."""
        left = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
        ready = {fd for fd, _ in self._poll.poll(left)}
        if self._woken in ready:
            os.read(self._woken, 4096)
        if self._socket.fileno() not in ready:
            return b""
        return self._receive(1) or KILL

    def request(self) -> tuple[dict[str, Any], list[int]] | None:
        """Waits for the next request and its file descriptors; None at the end of file."""
        while True:
            ready = {fd for fd, _ in self._poll.poll()}
            if self._woken in ready:
                os.read(self._woken, 4096)
                reap()
            if self._socket.fileno() not in ready:
                continue
            try:
                word, fds, _, _ = socket.recv_fds(self._socket, 1, 3, getattr(socket, "MSG_CMSG_CLOEXEC", 0))
            except OSError:
                return None
            if not word:
                return None
            if word == b"R":
                for fd in fds:
                    os.set_inheritable(fd, False)
                body = self._exactly(int.from_bytes(self._exactly(4), "big"))
                return (json.loads(body), fds) if body else None

    def _exactly(self, size: int) -> bytes:
        """That many bytes, or none where the other end is gone."""
        data = bytearray()
        while len(data) < size:
            chunk = self._receive(size - len(data))
            if not chunk:
                return b""
            data += chunk
        return bytes(data)

    def _receive(self, size: int) -> bytes:
        try:
            return self._socket.recv(size)
        except OSError:
            return b""


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def spawn(request: dict[str, Any], fds: list[int]) -> int:
    """Starts the leader in a session of its own, with no signal blocked or ignored. Raises OSError, ValueError."""
    os.chdir(raw(request["cwd"]))
    try:
        return os.posix_spawn(
            raw(request["program"]),
            [raw(argument) for argument in request["argv"]],
            dict(raw(entry).split(b"=", 1) for entry in request["env"]),
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(fds)],
            setsid=True,
            setsigmask=(),
            setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
        )
    finally:
        os.chdir("/")


def reap() -> tuple[bool, dict[int, int]]:
    """Whether the kernel knows no child of ours any more, and the wait status of each that has ended."""
    ended: dict[int, int] = {}
    try:
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            ended[found[0]] = found[1]
    except ChildProcessError:
        return True, ended
    return False, ended


def read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def stat_of(pid: int) -> list[bytes]:
    """The fields of proc_pid_stat(5) after the name: [1] is the parent, [19] the start; empty for no process."""
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def children(pid: int) -> list[int]:
    """The direct children. A child is listed under the thread that started it, so all threads are read."""
    folder = f"/proc/{pid}/task"
    try:
        threads = os.listdir(folder)
    except OSError:
        return []
    if os.path.exists("/proc/thread-self/children"):
        return [int(child) for thread in threads for child in read(f"{folder}/{thread}/children").split()]
    # A kernel without CONFIG_PROC_CHILDREN.
    everyone = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [other for other in everyone if stat_of(other)[1:2] == [b"%d" % pid]]


def send(pid: int, *numbers: int) -> None:
    """Signals a process, or a group where `pid` is negative."""
    for number in numbers:
        try:
            os.kill(pid, number)
        except OSError:
            return


class Descent:
    """All that descends from this process, less what was there before (`spared`: pid and start)."""

    def __init__(self) -> None:
        self._spared: dict[int, list[bytes]] = {}

    def spare(self) -> None:
        """From now on, what is there now is left alone."""
        self._spared = {pid: stat_of(pid)[19:20] for pid in self.below()}

    def direct(self, pid: int | None = None) -> list[int]:
        found = children(pid or os.getpid())
        return [child for child in found if child not in self._spared or self._spared[child] != stat_of(child)[19:20]]

    def below(self) -> list[int]:
        found: list[int] = []
        todo = [os.getpid()]
        while todo and len(found) < 10_000:
            level = self.direct(todo.pop())
            found += level
            todo += level
        return found

    def none_left(self, childless: bool) -> bool:
        """`childless`: what `reap` said, which is the proof where nothing is spared."""
        return childless or (bool(self._spared) and not self.direct())


class Group:
    """The leader's process group: all that can be known where there is no subreaper."""

    def __init__(self, leader: int) -> None:
        self._leader = leader

    def direct(self) -> list[int]:
        try:
            os.kill(-self._leader, 0)
        except OSError:
            return []
        return [-self._leader]

    below = direct

    def none_left(self, childless: bool) -> bool:
        return childless and not self.direct()


class Job:
    """One process and all that it starts, until nothing of it is left."""

    def __init__(self, line: Line, leader: int, grace: float, tree: Descent | Group) -> None:
        self._line = line
        self._leader = leader
        self._grace = grace
        self._tree = tree
        self._hurry = False
        self._gone = False
        self.status: int | None = None
        self.why = "exit"
        self.swept = 0
        self.stuck: list[int] = []

    def wait(self) -> None:
        """Until the leader has ended, or is to be killed."""
        deadline: float | None = None
        while not self._reap() and not self._gone and not self._hurry:
            order = self._line.order(deadline)
            if order == TERM and deadline is None:
                self.why = "told"
                # A stopped process keeps TERM pending until it is told to go on.
                send(-self._leader, signal.SIGTERM, signal.SIGCONT)
                deadline = time.monotonic() + self._grace
            elif order == KILL:
                self.why = "killed"
                self._hurry = True
            elif deadline is not None and time.monotonic() >= deadline:
                self._hurry = True

    def clear(self) -> None:
        """Ends all that is left: by TERM where there is time for it, then by KILL, level by level, to a deadline."""
        if self._none_left_within(SETTLE_S):
            return
        below = [pid for pid in self._tree.below() if abs(pid) != self._leader or self._gone]
        self.swept = len(below)
        if not self._hurry:
            for pid in below:
                send(pid, signal.SIGTERM, signal.SIGCONT)
        if not self._none_left_within(REST_S):
            self._kill()

    def _kill(self) -> None:
        deadline = time.monotonic() + CLEAR_S
        known: set[int] = set()
        while not self._none_left():
            if time.monotonic() >= deadline:
                self.stuck = [abs(pid) for pid in self._tree.below()]
                return
            # Only direct children: the next level becomes ours, round by round, however fast it forks.
            found = set(self._tree.direct())
            for pid in found:
                send(pid, signal.SIGKILL)
            if found <= known:
                time.sleep(NAP_S)
            known = found

    def _none_left_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not (done := self._none_left()) and not self._hurry and time.monotonic() < deadline:
            self._hurry = self._line.order(deadline) == KILL
        return done

    def _none_left(self) -> bool:
        return self._tree.none_left(self._reap())

    def _reap(self) -> bool:
        """Whether no child is left; notes the leader's status."""
        childless, ended = reap()
        if self._leader in ended:
            self._gone, self.status = True, ended[self._leader]
        return childless


def serve(line: Line, request: dict[str, Any], fds: list[int], subreaper: bool) -> None:
    """Runs one process to its end, and says how it went."""
    descent = Descent()
    if not request["sweep"]:
        descent.spare()
    try:
        leader = spawn(request, fds)
    except (OSError, ValueError) as error:
        line.say(spawn=getattr(error, "errno", None) or errno.EINVAL)
        return
    finally:
        for fd in fds:
            os.close(fd)
    line.say(pid=leader)
    job = Job(line, leader, request["grace"], descent if subreaper else Group(leader))
    job.wait()
    if request["sweep"] or job.why != "exit":
        job.clear()
    line.say(end=job.status, why=job.why, swept=job.swept, stuck=job.stuck)


def keep_from_children() -> None:
    """What prd-ralph was started with beyond its three streams is none of an agent's business."""
    for name in os.listdir("/dev/fd"):
        try:
            os.set_inheritable(int(name), False)
        except OSError:
            continue


def become_subreaper() -> bool:
    """Whether orphans below us will become our children (Linux)."""
    import ctypes

    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    return prctl is not None and os.path.isdir("/proc/self/task") and prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def _wake(_number: int, _frame: FrameType | None) -> None:
    """SIGCHLD needs a handler, or nothing is written to the wake-up pipe."""


def main() -> None:
    keep_from_children()
    signal.signal(signal.SIGCHLD, _wake)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.chdir("/")
    subreaper = become_subreaper()
    # A copy, for the other end takes the end of file for the end of this process.
    line = Line(socket.socket(fileno=os.dup(sys.stdin.fileno())))
    while (request := line.request()) is not None:
        serve(line, *request, subreaper)


if __name__ == "__main__":
    main()
