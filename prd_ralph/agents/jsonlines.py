"""JSON events out of a stream: a line each, one array of all, or a single object; anything else is passed over."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from prd_ralph.agents.lines import LineSplitter

LINE_LIMIT = 8 << 20
_KEPT = 1 << 20
_UNLIKELY = 1 << 53

Event = Mapping[str, Any]


class JsonEvents:
    """Calls `on_event` with each JSON object of what it is fed, as soon as its line is whole.

    A document over several lines is read at the end, if no line of it was an event (and it has at most 1 MiB).
    """

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._lines = LineSplitter(self._line, LINE_LIMIT)
        self._other = bytearray()
        self._seen = False

    def feed(self, data: bytes) -> None:
        self._lines.feed(data)

    def close(self) -> None:
        """The stream is over."""
        self._lines.close()
        if not self._seen:
            self._take(parsed(bytes(self._other)))

    def _line(self, line: bytes) -> None:
        if not self._take(parsed(line)) and not self._seen and len(self._other) + len(line) < _KEPT:
            self._other += line + b"\n"

    def _take(self, value: object) -> bool:
        events = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
        for event in events:
            self._seen = True
            self._on_event(event)
        return bool(events)


def parsed(data: bytes) -> object:
    """The JSON value, or None for what is none."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def text_of(value: object) -> str:
    """The value where it is a text, else nothing."""
    return value if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """The value where it is a count that can be, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _UNLIKELY else 0


def number_of(value: object) -> float | None:
    """The value where it is a number that can be, else None: JSON may hold NaN, an infinite one, and 400 digits."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value < _UNLIKELY else None


def mapping_of(value: object) -> Event:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
