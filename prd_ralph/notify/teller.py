"""Sends notices from a thread of its own, so that no endpoint, however dead, holds a run up."""

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from prd_ralph.events import RunEvent
from prd_ralph.notify.notices import Notice, Notices

SEND_S = 8.0
"""For one notice to one endpoint."""
CLOSE_S = 10.0
"""At the end of a run, for all that waits to be sent."""
_LEAST_S = 0.5
_ENDING_S = 1.5
"""What it may take to end a process whose time is up."""
_WAITING = 50

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where notices go. `name`: for people, without secrets. `send` gets the notice, the record of its event and
    seconds, takes no longer than these, never raises, and says why it failed, "" where it did not.
    """

    name: str
    send: Callable[[Notice, Record, float], str]


@dataclass(slots=True)
class _Account:
    """What became of the notices to one endpoint; `why`: the last failure."""

    failed: int = 0
    why: str = ""

    def fail(self, why: str) -> None:
        self.failed += 1
        self.why = why


@dataclass(slots=True)
class _Closing:
    """From when on there is no more time; infinite while the run goes on."""

    at: float = field(default=float("inf"))


class Teller:
    """A listener of a run's events. Endpoints are told one after the other, in the order of the events."""

    def __init__(self, notices: Notices, endpoints: Sequence[Endpoint]) -> None:
        self._notices = notices
        self._endpoints = tuple(endpoints)
        self._waiting: queue.Queue[tuple[Notice, Record] | None] = queue.Queue(_WAITING)
        self._accounts = {endpoint.name: _Account() for endpoint in self._endpoints}
        self._closing = _Closing()
        self._thread: threading.Thread | None = None

    def hear(self, event: RunEvent, record: Record) -> None:
        """Never waits, never raises; `record` as it stands in the ledger, masked."""
        notice = self._notices.of(event) if self._endpoints else None
        if notice is None:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._send_all, name="notices", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait((notice, record))
        except queue.Full:
            for account in self._accounts.values():
                account.fail("too many notices were waiting")

    def close(self, wait_s: float = CLOSE_S) -> tuple[str, ...]:
        """Sends what is left, for `wait_s` seconds at most; what to say of endpoints that could not be told."""
        if self._thread is not None:
            self._closing.at = time.monotonic() + wait_s
            with suppress(queue.Full):  # then it ends once the time is up
                self._waiting.put_nowait(None)
            self._thread.join(wait_s)
        return tuple(
            f"{account.failed} {'notice' if account.failed == 1 else 'notices'} not delivered to {name}: {account.why}"
            for name, account in self._accounts.items()
            if account.failed
        )

    def _send_all(self) -> None:
        while True:
            try:
                told = self._waiting.get(timeout=self._left(600.0))
            except queue.Empty:
                if self._closing.at != float("inf"):
                    return
                continue
            if told is None:
                return
            for endpoint in self._endpoints:
                self._send(endpoint, *told)

    def _send(self, endpoint: Endpoint, notice: Notice, record: Record) -> None:
        left = self._left(SEND_S + _ENDING_S) - _ENDING_S
        why = endpoint.send(notice, record, left) if left >= _LEAST_S else "no time was left at the run's end"
        if why:
            self._accounts[endpoint.name].fail(why)

    def _left(self, most: float) -> float:
        return max(0.0, min(most, self._closing.at - time.monotonic()))
