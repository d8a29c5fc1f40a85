"""What a plan remembers of itself in prd.json's `source`, so that the next one can tell who has changed what.

A stamp is one text: the sha256 of the story's own text in the PRD, a hyphen, and 8 hexadecimal digits for each of the
eight fields as they were planned. `source.top` has such digits for the top keys. See docs/decisions/0018.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from prd_ralph.planning.values import Json, Object

FIELDS = (
    *("title", "description", "acceptanceCriteria", "priority"),
    *("dependsOn", "verificationCommands", "notes", "skip"),
)
TOP_KEYS = ("project", "branchName", "description", "verificationCommands")
_ABSENT: Object = {
    "description": "",
    "acceptanceCriteria": [],
    "dependsOn": [],
    "verificationCommands": [],
    "notes": "",
    "skip": False,
}
_WIDTH = 8
_STAMP = re.compile(rf"([0-9a-f]{{64}})(?:-((?:[0-9a-f]{{{_WIDTH}}}){{{len(FIELDS)}}}))?")


@dataclass(frozen=True, slots=True)
class Stamp:
    """`text` is the sha256 of what the PRD says of a story, `marks` those of its fields; empty where not recorded."""

    text: str
    marks: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.text}-{''.join(mark for _, mark in self.marks)}" if self.marks else self.text


def stamp_of(text: str, story: Mapping[str, Json]) -> Stamp:
    """The stamp of a story as it is planned."""
    return Stamp(text, tuple((field, mark(value_of(story, field))) for field in FIELDS))


def read_stamp(value: Json) -> Stamp | None:
    """A stamp from prd.json; None for what is none. One with the text's sha256 alone is understood too."""
    found = _STAMP.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    digits = found[2] or ""
    marks = (digits[at : at + _WIDTH] for at in range(0, len(digits), _WIDTH))
    return Stamp(found[1], tuple(zip(FIELDS, marks, strict=True)) if digits else ())


def value_of(story: Mapping[str, Json], field: str) -> Json:
    """A field; one that is absent has the value that this means."""
    return story.get(field, _ABSENT.get(field))


def mark(value: Json) -> str:
    """8 hexadecimal digits of a value's sha256."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:_WIDTH]


def canonical(value: Json) -> str:
    """Equal for equal values and for no others: in Python `True` equals 1."""
    return json.dumps(value, sort_keys=True)
