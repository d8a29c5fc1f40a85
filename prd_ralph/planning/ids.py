"""Ids (RULES: Stories): how they are recognised, compared, found, and given to stories that have none."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

_WORDS = "user story|story|task|round|slice|ticket|historia|tarea|aufgabe|feladat|tarefa"
_NAMED = rf"(?i:{_WORDS})[ -]?\d+(?:\.\d+)*[A-Za-z]?"
_LETTER = r"[A-Za-z0-9À-ɏ]"  # what an id ends before; a Chinese word may follow at once
_CAPITALS = r"[^\W\d_]+(?:-[^\W_]+)*?[ -]?\d+(?:-\d+)*[A-Za-z]?"
_LIMIT = 200  # characters: what the schema allows
_ID = re.compile(rf"(?P<id>{_NAMED}|{_CAPITALS})(?!{_LETTER})")
_BOUNDARY = re.compile(r"\s*[:：—–|]\s*|\s+-\s+|\.\s+|\s+|$")
_NONE = {"FR", "NFR", "AC", "PRD", "ADR", "RFC", "EPIC"}
_PRIORITY = re.compile(r"P[0-4]")
_NAME = re.compile(rf"(?:{_WORDS})\b", re.IGNORECASE)
_TARGET = re.compile(r"\([^)\s]*\)")
_OPENING = {"[": "]", "(": ")", "`": "`"}
_TOKENS = re.compile(r"\d+|[^\W\d_]+|[^\w\s-]|_")


@dataclass(frozen=True, slots=True)
class Named:
    """An id as it is kept, and the title that follows it."""

    id: str
    title: str


def id_at(text: str, position: int = 0, *, strict: bool = True) -> re.Match[str] | None:
    """What has the shape of an id there; `strict`: its letters are capitals, and it is none of those that are none."""
    found = _ID.match(text, position, position + _LIMIT + 1)
    if not found or not strict or _NAME.match(found[0]):
        return found
    letters = "".join(char for char in found["id"].rstrip("abcdefghijklmnopqrstuvwxyz") if char.isalpha())
    return found if letters.isupper() and not is_none(found["id"]) else None


def is_none(written: str) -> bool:
    """Whether this has the shape of an id, but is of a kind that is none (`FR-1`, `PRD-7`, `P0`)."""
    head = re.split(r"[\W\d]", written, maxsplit=1)[0]
    return head in _NONE or _PRIORITY.fullmatch(written) is not None


def named(text: str) -> Named | None:
    """A heading or lead that starts with an id, bold unwrapped, as id and title; None where it does not."""
    closing = _OPENING.get(text[:1], "")
    found = id_at(text, len(closing))
    if not found:
        return None
    end = found.end()
    if closing:
        if text[end : end + 1] != closing:
            return None
        end += 1
        link = _TARGET.match(text, end) if closing == "]" else None
        end = link.end() if link else end
    boundary = _BOUNDARY.match(text, end)
    return Named(kept(found["id"]), text[boundary.end() :].strip()) if boundary else None


def kept(written: str) -> str:
    """Ids stay as written; only spaces become `-`."""
    return "-".join(written.split())


def key(story_id: str) -> tuple[str, ...]:
    """Equal for ids that are the same: without case, hyphens, spaces, leading zeros."""
    tokens = _TOKENS.findall(story_id.casefold())
    return tuple(token.lstrip("0") or "0" if token.isdecimal() else token for token in tokens)


def _ending(story_id: str) -> tuple[str, ...]:
    """The number at its end, `1.1` as a whole."""
    tokens = key(story_id)
    begin = len(tokens)
    while begin and (tokens[begin - 1].isdecimal() if (len(tokens) - begin) % 2 == 0 else tokens[begin - 1] == "."):
        begin -= 1
    return tokens[begin:]


def free_ids(taken: Iterable[str]) -> Iterator[str]:
    """`US-001`, `US-002`, …, but none that is taken."""
    keys = {key(story_id) for story_id in taken}
    return (name for name in map("US-{:03}".format, count(1)) if key(name) not in keys)


class Index:
    """The ids of all stories, in order, to find those that a dependency means."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        self._by_key = {key(story_id): story_id for story_id in reversed(self.ids)}
        self._endings = Counter(map(_ending, self.ids))
        self._by_ending = {_ending(story_id): story_id for story_id in self.ids}
        self._prefixes = {key(story_id)[0] for story_id in self.ids if key(story_id)}

    def find(self, written: str) -> str | None:
        """The id that is meant: the same one, or for a bare number or `Task 2` the one that ends in it."""
        same = self._by_key.get(key(written))
        if same is not None:
            return same
        ending = _ending(written)
        alone = written.lstrip("#")[:1].isdecimal() or _NAME.match(written)
        return self._by_ending[ending] if alone and self._endings[ending] == 1 else None

    def knows_prefix(self, written: str) -> bool:
        """Whether some id begins with the same letters."""
        return key(written)[:1] != () and key(written)[0] in self._prefixes

    def between(self, first: str, last: str) -> tuple[str, ...]:
        """All ids from one to the other, as the document has them."""
        begin, end = sorted((self.ids.index(first), self.ids.index(last)))
        return self.ids[begin : end + 1]
