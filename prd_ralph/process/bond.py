"""What ties a supervised run to the process that watches over it: a socket, and what it is told at its start.

From the run, a line each: `beat` (it lives), `run ID`, `worked` (an agent has come to its end), `finished CODE`. To
it, a byte a signal that its watcher has got, and SIGUSR1 so that it looks: the two may have got the same one from a
terminal, which counts once.
"""

import json
import math
import os
import signal
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from types import FrameType

from prd_ralph.process.signals import StopSignals

VARIABLE = "PRD_RALPH_SUPERVISOR"
LEAST_S = 1.0


@dataclass(frozen=True, slots=True)
class Bond:
    """What a supervised run is told. `fd`: its end of the socket; a sign of life is due every `every_s` seconds.

    `began`: the monotonic time at which the first of its processes was started. `run`: the id of the run that it goes
    on with, "" for a new one; it was started again `times` times, the last time because of `why`.
    """

    fd: int
    every_s: float
    began: float
    run: str = ""
    times: int = 0
    why: str = ""

    def as_text(self) -> str:
        """The value of `VARIABLE`."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, env: Mapping[str, str]) -> "Bond | None":
        """What `VARIABLE` tells; None where it is not set, or leads to nobody (a run within a supervised one)."""
        try:
            bond = cls(**json.loads(env[VARIABLE]))
            socket.socket(fileno=os.dup(bond.fd)).close()
        except (KeyError, TypeError, ValueError, OSError):
            return None
        return bond


class Heart:
    """The run's end of the bond. Without one it is silent, and nothing has to be told in time.

    There is no thread: who waits or works has to say so by `beat`, or a frozen run would look alive.
    """

    def __init__(self, bond: Bond | None = None) -> None:
        self.every_s = math.inf if bond is None else bond.every_s
        self._last = -math.inf
        self._socket: socket.socket | None = None
        if bond is not None:
            os.set_inheritable(bond.fd, False)
            self._socket = socket.socket(fileno=bond.fd)
            self._socket.setblocking(False)

    def beat(self) -> None:
        """Gives a sign of life, unless it just did."""
        if self._socket is not None and (now := time.monotonic()) - self._last >= min(LEAST_S, self.every_s):
            self._last = now
            self.say("beat")

    def say(self, line: str) -> None:
        """Tells one thing. That nobody listens any more changes nothing for the run."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.send(f"{line}\n".encode())

    def listen(self, stop: StopSignals) -> None:
        """From here on `stop` hears of the signals that the watcher has got; main thread only."""
        if self._socket is None:
            return
        end = self._socket

        def look(_number: int, _frame: FrameType | None) -> None:
            with suppress(OSError):
                for number in end.recv(64):
                    stop.told(number)

        signal.signal(signal.SIGUSR1, look)
