"""Dependencies of other tools' stories: ids, nearly ids, and prose as `Tasks 02, 03`."""

import re
from collections.abc import Iterator, Sequence

from prd_ralph.prdfile.dependencies import SUGGESTIONS, resolver
from prd_ralph.prdfile.foreign.finding import Entry
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.shapes import DEPENDENCIES, is_empty
from prd_ralph.prdfile.keys import closest
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object, id_of
from prd_ralph.prdfile.text import shown

_NUMBERED = re.compile(r"(?:(?:user[ _-]?)?stor(?:y|ies)|tasks?|items?|features?|steps?|tickets?)\b(.*)", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:,|;|&|\+|\band\b)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\s*#?\s*(\d{1,9})\s*", re.ASCII)
_LAST_NUMBER = re.compile(r"(\d+)$", re.ASCII)
_WORDED_ID = re.compile(r"\D*\D(\d{1,9})", re.ASCII)
_NONE = frozenset({"none", "nothing", "no", "n/a", "-", "–", "—"})


class References:
    """The stories of one file, by whatever they may be called. `stated`: whether any of them has an id of its own."""

    def __init__(self, ids: Sequence[str], stated: bool) -> None:
        self._ids = ids
        self._stated = stated
        self._resolved = resolver(list(ids))
        self._by_end: dict[int, list[str]] = {}
        for story_id in ids:
            if found := _LAST_NUMBER.search(story_id):
                self._by_end.setdefault(_whole(found[1]), []).append(story_id)
        self._suggestions = SUGGESTIONS

    def meant(self, reference: str) -> tuple[str, ...] | None:
        """The ids; several where the text lists them, none where it says `none`; None: there is no such story."""
        if (found := self._resolved(reference)) is not None:
            return (found,)
        if reference.strip().lower() in _NONE:
            return ()
        numbered = _NUMBERED.fullmatch(reference.strip())
        parts = _BETWEEN.split(numbered[1] if numbered else reference)
        if not numbered and len(parts) == 1:
            return self._alone(reference)
        ids = [self._at(part) if numbered and _NUMBER.fullmatch(part) else self._alone(part) for part in parts if part]
        return tuple(story_id for found in ids if found for story_id in found) if ids and all(ids) else None

    def near(self, reference: str) -> str:
        """A hint for a reference that means nothing; to look for what is near costs too much to do it ever again."""
        self._suggestions -= 1
        found = closest(reference, self._ids) if self._suggestions >= 0 else None
        return f"did you mean {shown(found)}?" if found else "name the id of a story in this file"

    def _at(self, number: str) -> tuple[str, ...] | None:
        """By the number at an id's end, else by the place in the file."""
        place = int(number.strip(" \t#"))
        ending = self._by_end.get(place)
        if ending is not None:
            return (ending[0],) if len(ending) == 1 else None
        return (self._ids[place - 1],) if 1 <= place <= len(self._ids) else None

    def _alone(self, text: str) -> tuple[str, ...] | None:
        """An id; or a number, where ids are words with a number, or none was given."""
        if (found := self._resolved(text)) is not None:
            return (found,)
        nested = _NUMBERED.fullmatch(text)
        if nested and _NUMBER.fullmatch(nested[1]):
            return self._at(nested[1])
        if not _NUMBER.fullmatch(text):
            return None
        at = self._at(text)
        return at if at and (not self._stated or _ends_only(at[0], text)) else None


def dependencies_of(entry: Entry, story: Object, own: str, known: References, findings: Findings) -> tuple[str, ...]:
    """The ids that a story waits for, of all keys that say so, each once."""
    found: dict[str, None] = {}
    for path, reference in _written(entry, story, findings):
        ids = known.meant(reference)
        if ids is None:
            findings.wrong(path, f"there is no story {shown(reference)}", known.near(reference))
        elif own in ids:
            findings.wrong(path, f"{shown(own)} names itself as a dependency", "remove it")
        elif ids != (reference,):
            findings.warn("dependency_prose", path[: len(entry.path) + 1])
        found |= dict.fromkeys(each for each in ids or () if each != own)
    return tuple(found)


def _written(entry: Entry, story: Object, findings: Findings) -> Iterator[tuple[Path, str]]:
    for key in DEPENDENCIES:
        value = story.get(key)
        path: Path = (*entry.path, key)
        if is_empty(value):
            continue
        places = (
            [((*path, index), each) for index, each in enumerate(value)] if isinstance(value, list) else [(path, value)]
        )
        for place, each in places:
            if (reference := id_of({"id": each})) is None:
                findings.wrong(place, f"a dependency must be an id, not {shown(each)}", 'write ids, as ["US-001"]')
            else:
                yield place, reference


def _ends_only(story_id: str, number: str) -> bool:
    found = _WORDED_ID.fullmatch(story_id)
    return found is not None and int(found[1]) == int(number.strip(" \t#"))


def _whole(digits: str) -> int:
    """-1 for what is too long to be anybody's number."""
    return int(digits) if len(digits.lstrip("0")) < 10 else -1


def as_written(value: Json) -> list[str]:
    """The ids of a plain list or of one id, as texts; for the comparison with what is read."""
    values = value if isinstance(value, list) else [value]
    return [text for each in values if (text := id_of({"id": each})) is not None]
