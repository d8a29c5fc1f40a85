"""What a process prints, bounded: the last bytes in memory, and a log with the first and the last ones."""

import errno
import os
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from prd_ralph.masking import Mask, MaskedStream
from prd_ralph.ports import ProcessRequest

LOG_TAIL = 64 << 10
FULL = (errno.ENOSPC, errno.EDQUOT)


class Tail:
    """The last `limit` bytes of a stream, and the count of all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self._chunks.append(data)
        self._held += len(data)
        while self._chunks and self._held - len(self._chunks[0]) >= self._limit:
            self._held -= len(self._chunks.popleft())

    def read(self) -> bytes:
        data = b"".join(self._chunks)
        return data[max(0, len(data) - self._limit) :]


class CappedLog:
    """A file, mode 0600, of at most `limit` bytes: what came first, a line with what is left out, what came last.

    A write that fails ends the log, never the process: see `error` and `disk_full`.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._tail = Tail(min(LOG_TAIL, limit // 4))
        # The line with the count takes less than 64 bytes.
        self._room = max(0, limit - min(LOG_TAIL, limit // 4) - 64)
        self._fd: int | None = None
        self.error = ""
        self.disk_full = False
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            self._fd = os.open(path, flags, 0o600)
        except OSError as error:
            self._fail(error)

    def add(self, data: bytes) -> None:
        head, rest = data[: self._room], data[self._room :]
        self._room -= len(head)
        self._write(head)
        if rest:
            self._tail.add(rest)

    def close(self) -> None:
        """Writes the end, where the head could not hold all."""
        last = self._tail.read()
        if (left_out := self._tail.total - len(last)) > 0:
            self._write(f"\n… {left_out} bytes left out …\n".encode())
        self._write(last)
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self._fd is not None:
            try:
                # A nearly full disk takes a part first, and says so only the next time.
                view = view[os.write(self._fd, view) :]
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.error = f"cannot write {self._path}: {error.strerror}"
        self.disk_full = error.errno in FULL
        if self._fd is not None:
            with suppress(OSError):
                os.close(self._fd)
            self._fd = None


class Stream:
    """One output of a process: a pipe, the tail of what came through it, and where it is logged.

    `mask` (None: the output is data) goes over it before anybody sees it; `total` counts what came.
    """

    def __init__(self, tail_limit: int, log: CappedLog | None, mask: MaskedStream | None) -> None:
        self.fd, self.writer = os.pipe()
        self.tail = Tail(tail_limit)
        self.log = log
        self.total = 0
        self._mask = mask

    def add(self, data: bytes) -> bytes:
        """What may be seen now, of this and of what was held back before."""
        self.total += len(data)
        return self._keep(data if self._mask is None else self._mask.feed(data))

    def end(self) -> bytes:
        """What was held back to the end."""
        return self._keep(b"" if self._mask is None else self._mask.close())

    def _keep(self, seen: bytes) -> bytes:
        if seen:
            self.tail.add(seen)
            if self.log is not None:
                self.log.add(seen)
        return seen

    def close_writer(self) -> None:
        """The process has it now; only so does its end show."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def close(self) -> None:
        self.close_writer()
        os.close(self.fd)
        self.end()  # where reading was broken off
        if self.log is not None:
            self.log.close()


@contextmanager
def open_streams(request: ProcessRequest, mask: Mask | None = None) -> Iterator[tuple[Stream, ...]]:
    """The outputs of a process: stdout and stderr in one stream, or `separate` in two.

    What is logged is for people and prompts, so it is masked; what is not (git's) is data.
    """
    paths = (request.log, request.stderr_log) if request.separate else (request.log,)
    with ExitStack() as stack:
        streams = []
        for path in paths:
            log = None if path is None else CappedLog(path, request.log_limit)
            masked = None if mask is None or request.log is None else MaskedStream(mask)
            streams.append(Stream(request.tail_limit, log, masked))
            stack.callback(streams[-1].close)
        yield tuple(streams)
