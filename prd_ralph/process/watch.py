"""One request, watched from its start to the end of its output, in a single poll loop of the calling thread."""

import math
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from prd_ralph.model import ProcessEnd
from prd_ralph.ports import Linger, OnOutput, ProcessRequest
from prd_ralph.process.activity import Idleness, cpu_times_below
from prd_ralph.process.bond import Heart
from prd_ralph.process.lane import CLEARING_S, Ending, Lane, LostError, Started
from prd_ralph.process.output import Stream
from prd_ralph.process.signals import StopSignals
from prd_ralph.process.supervisor import KILL, TERM

# How long output is waited for after the end, when somebody out of reach still holds the pipe.
DRAIN_S = 2.0
# poll(2) counts milliseconds in an int.
LONGEST_WAIT_S = 3600.0
CHUNK = 64 << 10


class Watch:
    """`run` returns when all is over; then the public fields say how it went.

    `asked`: why it was told to end. `errno`: it could not be started. `ending`: the supervisor's last word; None
    with no `errno` means that the supervisor was lost, and `on_lost` called to end what it left (and count it).
    """

    def __init__(
        self, lane: Lane, request: ProcessRequest, stop: StopSignals, on_lost: Callable[[], int], heart: Heart
    ) -> None:
        self._lane = lane
        self._heart = heart
        self._grace = request.grace_s
        self._on_lost = on_lost
        now = time.monotonic()
        self._wall = math.inf if request.wall_s is None else now + request.wall_s
        self._idle: Idleness | None = None
        if request.idle_s is not None:
            cpu = partial(cpu_times_below, lane.pid) if request.idle_counts_cpu else None
            self._idle = Idleness(request.idle_s, now, cpu)
        self._linger_until = math.inf
        self._answer_by = math.inf
        self._drain_until = math.inf
        self._leader: int | None = None
        self.asked: ProcessEnd | None = None
        self.errno: int | None = None
        self.ending: Ending | None = None
        self.swept = 0
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._open: set[int] = set()
        self._listen(lane.fileno(), self._hear)
        if not request.shielded:
            self._listen(stop.fd, partial(self._stop, stop.fd, TERM))
        self._listen(stop.insist_fd, partial(self._stop, stop.insist_fd, KILL))

    def run(self, streams: Sequence[Stream], on_output: OnOutput | None) -> None:
        """Reads `streams` (the first is stdout) until the process, and then its output, has ended."""
        for stream, listener in zip(streams, (on_output, None), strict=False):
            self._open.add(stream.fd)
            self._listen(stream.fd, partial(self._read, stream, listener))
        while (self._open or not self._over) and time.monotonic() < self._drain_until:
            left = min(max(0.0, self._due() - time.monotonic()), LONGEST_WAIT_S, self._heart.every_s)
            for fd, _ in self._poll.poll(math.ceil(left * 1000)):
                if fd in self._handlers:
                    self._handlers[fd]()
            self._enforce(time.monotonic())
            self._heart.beat()
        for stream, listener in zip(streams, (on_output, None), strict=False):
            rest = stream.end()
            if listener is not None and rest:
                listener(rest)

    @property
    def _over(self) -> bool:
        return self._drain_until != math.inf

    def _listen(self, fd: int, handler: Callable[[], None]) -> None:
        self._handlers[fd] = handler
        self._poll.register(fd, select.POLLIN)

    def _leave(self, fd: int) -> None:
        del self._handlers[fd]
        self._poll.unregister(fd)
        self._open.discard(fd)

    def _read(self, stream: Stream, listener: OnOutput | None) -> None:
        data = os.read(stream.fd, CHUNK)
        if not data:
            self._leave(stream.fd)
            return
        if self._idle is not None:
            self._idle.active(time.monotonic())
        seen = stream.add(data)
        if listener is not None and seen:
            self._heed(listener(seen))

    def _heed(self, answer: object) -> None:
        """What who listens makes of the newest output."""
        if answer is True and self.asked is None and not self._over:
            self._ask(ProcessEnd.CUT)
        if isinstance(answer, Linger):
            self._linger_until = min(self._linger_until, time.monotonic() + answer.seconds)
        else:
            self._linger_until = math.inf

    def _hear(self) -> None:
        try:
            replies = self._lane.replies()
        except LostError:
            self._lose()
            return
        for reply in replies:
            if isinstance(reply, Started):
                self._leader = reply.pid
                continue
            if isinstance(reply, Ending):
                self.ending, self.swept = reply, reply.swept
            else:
                self.errno = reply.errno
            self._finish()

    def _stop(self, fd: int, word: bytes) -> None:
        """The person asks, or insists. The file descriptor stays readable for ever, so it is heard once."""
        self._leave(fd)
        if not self._over:
            self._ask(ProcessEnd.STOPPED, word)

    def _ask(self, why: ProcessEnd, word: bytes = TERM) -> None:
        self.asked = self.asked or why
        self._lane.order(word)
        grace = self._grace if word == TERM else 0.0
        self._answer_by = min(self._answer_by, time.monotonic() + grace + CLEARING_S)

    def _due(self) -> float:
        if self._over:
            return self._drain_until
        if self.asked is not None:
            return self._answer_by
        return min(self._wall, self._linger_until, self._idle.due if self._idle is not None else math.inf)

    def _enforce(self, now: float) -> None:
        """The limits; looked at after each round, busy ones too."""
        if self._over:
            return
        if self.asked is not None:
            if now >= self._answer_by:
                self._lose()
        elif now >= self._linger_until:
            self._ask(ProcessEnd.LINGERED)
        elif now >= self._wall:
            self._ask(ProcessEnd.WALL)
        elif self._idle is not None and self._idle.expired(now):
            self._ask(ProcessEnd.IDLE)

    def _finish(self) -> None:
        self._leave(self._lane.fileno())
        self._drain_until = time.monotonic() + DRAIN_S

    def _lose(self) -> None:
        """The supervisor is gone or silent: what it started is ended from here, as far as that goes."""
        self._finish()
        self._lane.kill()
        if self._leader is not None:
            with suppress(OSError):
                os.killpg(self._leader, signal.SIGKILL)
        self.swept = self._on_lost()
        self._drain_until = time.monotonic() + DRAIN_S
