"""Events as the ledger's lines, and back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, replace
from types import UnionType
from typing import Any, get_origin

from prd_ralph.events import attempts, runs
from prd_ralph.events.base import RunEvent

VERSION = 1
_LARGE = 1e15


def with_texts(event: RunEvent, change: Callable[[str], str]) -> RunEvent:
    """The event with every text in it changed, wherever it stands but as a key."""
    before = {each.name: getattr(event, each.name) for each in fields(event)}
    return replace(event, **{name: _with_texts(value, change) for name, value in before.items()})


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        changed = change(value)
        return value if changed == value else changed  # a word of an enum stays one
    if isinstance(value, Mapping):
        return {key: _with_texts(each, change) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return tuple(_with_texts(each, change) for each in value)
    return value


def as_record(event: RunEvent, run: str, seq: int, at: str) -> dict[str, Any]:
    """The event as one JSON object of the ledger (`v run seq at kind`, then its fields)."""
    record: dict[str, Any] = {"v": VERSION, "run": run, "seq": seq, "at": at, "kind": event.kind}
    record.update({field.name: getattr(event, field.name) for field in fields(event)})
    return record


def as_line(record: Mapping[str, Any]) -> str:
    """The record as one line of ASCII without its end: the ledger's, and `run --json`'s. Paths become texts."""
    return json.dumps(record, default=lambda value: dict(value) if isinstance(value, Mapping) else str(value))


def from_record(record: Mapping[str, Any]) -> RunEvent | None:
    """The event that a ledger's line holds; None for one of another version, or with values of other types.

    Lists come back as tuples.
    """
    kind = _KINDS.get(str(record.get("kind")))
    if kind is None:
        return None
    known = {each.name: each for each in fields(kind)}
    if not all(_is_told(record, each) for each in known.values()):
        return None
    return kind(**{name: _as_tuple(record[name]) for name in known if name in record})


def _is_told(record: Mapping[str, Any], each: Field[Any]) -> bool:
    """Whether the record has a value for the field, of its type, or need not have one."""
    if each.name in record:
        return _fits(record[each.name], each.type)
    return each.default is not MISSING or each.default_factory is not MISSING


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value read from JSON is of a field's type; numbers are of a size that can be counted and printed."""
    if isinstance(kind, UnionType):
        return any(_fits(value, each) for each in kind.__args__)
    origin = get_origin(kind)
    if origin is tuple:
        return isinstance(value, list | tuple) and all(_fits(each, kind.__args__[0]) for each in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(each, kind.__args__[1]) for each in value.values())
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and abs(value) < _LARGE
    return kind is Any or isinstance(value, kind)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_KINDS: Mapping[str, type[RunEvent]] = {
    kind.kind: kind
    for kind in (
        runs.RunStarted,
        attempts.IterationStarted,
        attempts.BaselineFinished,
        attempts.AgentStarted,
        attempts.AgentFinished,
        attempts.Repeated,
        attempts.Asked,
        attempts.Tampered,
        attempts.Proposed,
        attempts.CandidateFrozen,
        attempts.CheckFinished,
        attempts.Judged,
        attempts.Stalled,
        attempts.LandedEvent,
        attempts.LandFailed,
        attempts.AfterLanding,
        attempts.SetAside,
        runs.Restarted,
        runs.Waiting,
        runs.Verified,
        runs.Regressed,
        runs.Warned,
        runs.RunFinished,
    )
}
