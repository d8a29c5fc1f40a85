"""A run as its files tell it: the ledger's events, and what the agent of the attempt that goes on is seen to do."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from prd_ralph import events
from prd_ralph.agents.lines import LineSplitter
from prd_ralph.agents.transcript import Reader
from prd_ralph.cli.tail import Tail
from prd_ralph.cli.transcript import TRANSCRIPT
from prd_ralph.console import View
from prd_ralph.ledger import parse
from prd_ralph.model import AgentAction, AttemptKey
from prd_ralph.state import RunFolder

Readers = Callable[[str, Callable[[AgentAction], None]], Reader]

_LAST = 1 << 20
"""Bytes of a transcript that are read of what was said before somebody looked on."""


class Onlooker:
    """Tells a view what is new in a run's folder, each time that it looks."""

    def __init__(self, run: RunFolder, view: View, readers: Readers) -> None:
        self._run = run
        self._view = view
        self._readers = readers
        self._ledger = Tail(run.events)
        self._lines = LineSplitter(self._line)
        self._transcript: _Transcript | None = None
        self._up_to_date = False
        self._ended = False

    def look(self) -> bool:
        """Tells all that is new; whether the run has ended."""
        while data := self._ledger.read():
            self._lines.feed(data)
        if self._transcript is not None:
            self._transcript.tell(all_of_it=self._up_to_date)
        self._up_to_date = True
        return self._ended

    def _line(self, line: bytes) -> None:
        record = parse(line)
        event = events.from_record(record) if record else None
        if record is None or event is None or self._ended:
            return
        if self._transcript is not None and isinstance(event, events.AgentFinished | events.IterationStarted):
            if self._up_to_date:
                self._transcript.tell(all_of_it=True)
            self._transcript = None
        self._view.emit(event, _ago(record))
        if isinstance(event, events.AgentStarted):
            folder = self._run.attempt_path(AttemptKey(self._run.run_id, event.story, event.attempt))
            self._transcript = _Transcript(Tail(folder / TRANSCRIPT), self._readers(event.agent, self._view.action))
        self._ended = isinstance(event, events.RunFinished)


class _Transcript:
    """What an agent prints, as actions."""

    def __init__(self, tail: Tail, reader: Reader) -> None:
        self._tail = tail
        self._reader = reader

    def tell(self, all_of_it: bool) -> None:
        """What is new; of what was there before somebody looked on, the last part, from a line's beginning."""
        skipping = not all_of_it and self._tail.skip_to_last(_LAST)
        while data := self._tail.read():
            if skipping:
                data = data.partition(b"\n")[2]
                skipping = False
            self._reader.feed(data)


def _ago(record: dict[str, Any]) -> float:
    """How many seconds ago it was written, as far as the record tells."""
    try:
        at = datetime.fromisoformat(str(record["at"])).replace(tzinfo=UTC)
        return max(0.0, time.time() - at.timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0
