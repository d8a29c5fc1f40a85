"""The watcher's end of a supervised run: starts a process for it, hears that it lives, ends it when it is frozen."""

import os
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from prd_ralph.process import supervisor
from prd_ralph.process.bond import VARIABLE, Bond
from prd_ralph.process.lane import CLEARING_S
from prd_ralph.process.signals import StopSignals
from prd_ralph.supervision import Death

SLICES = 10
LONGEST_SLICE_S = 30.0
START_S = 60.0
GRACE_S = 5.0
NAP_S = 0.05


def watch_over_orphans() -> None:
    """What a killed run leaves becomes a child of this process, which can then wait for its end (Linux)."""
    with suppress(OSError):
        supervisor.become_subreaper()


class Ward:
    """One process of a supervised run: with this one's streams, terminal and process group, so that all of it looks
    and is steered as if nobody watched over it.

    `run`: the id that it told, if it has.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], bond: Bond, frozen_s: float) -> None:
        """Starts it. `bond.fd` and `bond.every_s` are filled in here."""
        self._frozen_s = frozen_s
        self._slice_s = min(frozen_s / SLICES, LONGEST_SLICE_S)
        self._socket, far = socket.socketpair()
        self._unread = b""
        self._said: int | None = None
        self._worked = False
        self._status: int | None = None
        self.run = bond.run
        with far:
            os.set_inheritable(far.fileno(), True)
            bond = replace(bond, fd=far.fileno(), every_s=self._slice_s)
            self._pid = os.posix_spawn(argv[0], list(argv), {**env, VARIABLE: bond.as_text()}, setsigmask=())

    def watch(self, stop: StopSignals) -> Death:
        """Waits for its end; passes on what the person signals. Silence counts only as far as this process itself was
        awake: one that was stopped, or slept with the machine, has nothing to say of others.
        """
        poll = select.poll()
        for fd in (self._socket.fileno(), stop.fd, stop.insist_fd):
            poll.register(fd, select.POLLIN)
        silent, before, frozen = 0.0, time.monotonic(), None
        patience_s = max(self._frozen_s, START_S)
        while True:
            ready = {fd for fd, _ in poll.poll(self._slice_s * 1000)}
            now = time.monotonic()
            silent, before = silent + min(now - before, self._slice_s), now
            self._reap()
            for fd in ready & {stop.fd, stop.insist_fd}:
                poll.unregister(fd)  # it stays readable for ever
                self._pass_on(stop.signal)
            if self._socket.fileno() in ready:
                if not self._hear():
                    break
                silent, patience_s = 0.0, self._frozen_s
            if silent >= patience_s and frozen is None:
                frozen = silent
                self._send(signal.SIGKILL)
        self._socket.close()
        return Death(self._code(), self._said, frozen, self._worked)

    def clear(self, stop: StopSignals) -> None:
        """Waits until what the dead process had started is gone too, within reason; what it left is ended by its own
        supervisors. It may have left git's helpers, which live on.
        """
        deadline = time.monotonic() + GRACE_S + CLEARING_S
        while self._reap() and time.monotonic() < deadline:
            if select.select([stop.insist_fd], [], [], NAP_S)[0]:
                return

    def _hear(self) -> bool:
        """Whether it may still have something to say."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            return False
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            word, _, value = line.decode("ascii", "replace").partition(" ")
            if word == "run":
                self.run = value
            elif word == "worked":
                self._worked = True
            elif word == "finished":
                self._said = int(value)
        return bool(data)

    def _pass_on(self, number: int | None) -> None:
        if number is not None:
            with suppress(OSError):
                self._socket.send(bytes([number]))
            self._send(signal.SIGUSR1)

    def _send(self, number: signal.Signals) -> None:
        """It is our child: until it is reaped its pid is nobody else's."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def _reap(self) -> bool:
        """Takes up what has ended, orphans too; whether any child is left."""
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return True
                if pid == self._pid:
                    self._status = status
        return False

    def _code(self) -> int:
        if self._status is None:
            _, self._status = os.waitpid(self._pid, 0)
        return os.waitstatus_to_exitcode(self._status)
