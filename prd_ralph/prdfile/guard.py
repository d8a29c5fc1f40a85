"""What an agent may change in prd.json: the notes of its story, and nothing else.

The agent's version is never written: what is allowed of it is spliced into the bytes of before.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import NoReturn

from prd_ralph.errors import ProblemsError
from prd_ralph.ports import GuardedPrd
from prd_ralph.prdfile.edit import with_notes
from prd_ralph.prdfile.names import clean
from prd_ralph.prdfile.positions import Json, number
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.source import Object, id_of, listed, pointer_of
from prd_ralph.prdfile.text import SIZE_LIMIT, decoded, printable, shown

NOTES_LIMIT = 64 << 10
GROWTH_LIMIT = 1 << 20
_NAMED_LIMIT = 50
_TITLE_LIMIT = 200
_ABSENT = object()


class _UnreadableError(Exception):
    """The agent's version is no JSON that we would read."""


def guarded(before: bytes, after: bytes | None, story_id: str) -> GuardedPrd:
    """Judges `after`, an agent's version of `before` (None: there is no regular file any more).

    Never raises for what an agent wrote. Raises ProblemsError when `before` is no JSON.
    """
    if after == before:
        return GuardedPrd(before)
    if after is None:
        return GuardedPrd(before, ("prd.json: deleted, or replaced by something that is no file",))
    if len(after) > 4 * len(before) + GROWTH_LIMIT:  # no honest edit; and reading it would cost memory
        return GuardedPrd(before, (f"prd.json: grown from {len(before)} to {len(after)} bytes",))
    old = read_source(before, "prd.json").root.value
    try:
        new = _read(after)
        found = _Comparison(old, new, story_id)
        tampered, proposals = _bounded(found.differences()), _bounded(found.proposals())
    except _UnreadableError as error:
        return GuardedPrd(before, (f"prd.json: {error}",))
    except RecursionError:
        return GuardedPrd(before, ("prd.json: nested too deeply",))
    notes, added = found.notes(), found.added()
    data = before if notes is None else with_notes(before, story_id, notes)
    if len(data) > SIZE_LIMIT:
        return GuardedPrd(
            before,
            (*tampered, f"prd.json: larger than {SIZE_LIMIT >> 20} MiB with the new notes"),
            proposals,
            added=added,
        )
    return GuardedPrd(data, tampered, proposals, reformatted=not tampered and data != after, added=added)


def _read(data: bytes) -> Json:
    try:
        body = decoded(data, "").body
        value: Json = json.loads(
            body,
            object_pairs_hook=_once,
            parse_int=number,
            parse_constant=_no_constant,
        )
    except ProblemsError as error:
        raise _UnreadableError(error.problems[0].message) from None
    except ValueError:
        raise _UnreadableError("not JSON any more") from None
    return value


def _once(pairs: list[tuple[str, Json]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _UnreadableError("a key is written twice in one object")
    return found


def _no_constant(word: str) -> NoReturn:
    raise _UnreadableError(f"{word} is not JSON")


def _bounded(names: Iterator[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        if len(found) == _NAMED_LIMIT:
            return (*found, "… and more")
        found.append(name)
    return tuple(found)


class _Comparison:
    """Two versions of the file, and whose story's notes may differ."""

    def __init__(self, old: Json, new: Json, story_id: str) -> None:
        self._old, self._new, self._story_id = old, new, story_id
        self._before = _by_id(old)
        self._after = _by_id(new)

    def notes(self) -> str | None:
        """The attempted story's new notes, when they are notes and differ."""
        theirs = self._after.get(self._story_id, [])
        ours = self._before.get(self._story_id, [])
        if len(theirs) != 1 or len(ours) != 1:
            return None
        notes = theirs[0][1].get("notes")
        if not isinstance(notes, str) or len(notes) > NOTES_LIMIT or notes == ours[0][1].get("notes"):
            return None
        return notes

    def proposals(self) -> Iterator[str]:
        """The titles of stories that were not there before."""
        for story_id, places in self._after.items():
            if story_id not in self._before:
                title = places[0][1].get("title")
                text = title if isinstance(title, str) and title.strip() else story_id
                yield printable(clean(" ".join(text.split())))[:_TITLE_LIMIT]

    def added(self) -> tuple[Object, ...]:
        """These stories, whole."""
        new = (places[0][1] for story_id, places in self._after.items() if story_id not in self._before)
        return tuple(islice(new, _NAMED_LIMIT))

    def differences(self) -> Iterator[str]:
        """`/pointer: what happened`, for everything that is put back."""
        if not isinstance(self._old, dict) or not isinstance(self._new, dict):
            yield "prd.json: not an object any more"
            return
        yield from _members((), self._old, self._new, ("userStories",))
        if not isinstance(self._new.get("userStories"), list):
            yield "/userStories: not a list any more"
            return
        yield from self._removed_and_changed()
        yield from self._added()
        yield from self._order()

    def _removed_and_changed(self) -> Iterator[str]:
        for story_id, places in self._before.items():
            index, story = places[0]
            path = ("userStories", index)
            theirs = self._after.get(story_id)
            if theirs is None:
                yield f"{pointer_of(path)}: story {printable(story_id)} removed"
                continue
            free = ("notes",) if story_id == self._story_id else ()
            yield from _members(path, story, theirs[0][1], free)
            if free:
                yield from self._notes_refused(path, story, theirs[0][1])

    def _notes_refused(self, path: tuple[str, int], ours: Object, theirs: Object) -> Iterator[str]:
        old, new = ours.get("notes", _ABSENT), theirs.get("notes", _ABSENT)
        place = pointer_of((*path, "notes"))
        if new is _ABSENT and old is not _ABSENT:
            yield f"{place}: removed"
        elif new is not _ABSENT and not isinstance(new, str):
            yield f"{place}: not a text"
        elif isinstance(new, str) and len(new) > NOTES_LIMIT:
            yield f"{place}: longer than {NOTES_LIMIT} characters"

    def _added(self) -> Iterator[str]:
        for story_id, places in self._after.items():
            first = 1 if story_id in self._before else 0
            for index, _ in places[first:]:
                yield f"/userStories/{index}: story {printable(story_id)[:_TITLE_LIMIT]} added"
        for index, entry in enumerate(listed(self._new, "userStories")):
            if not isinstance(entry, dict) or id_of(entry) is None:
                yield f"/userStories/{index}: an entry without an id added"

    def _order(self) -> Iterator[str]:
        if [key for key in self._before if key in self._after] != [key for key in self._after if key in self._before]:
            yield "/userStories: reordered"


def _by_id(value: Json) -> dict[str, list[tuple[int, Object]]]:
    """The stories by id, in file order, each with its index."""
    found: dict[str, list[tuple[int, Object]]] = {}
    for index, story in enumerate(listed(value, "userStories")):
        if isinstance(story, dict) and (story_id := id_of(story)) is not None:
            found.setdefault(story_id, []).append((index, story))
    return found


def _members(path: tuple[str | int, ...], old: Object, new: Object, free: tuple[str, ...]) -> Iterator[str]:
    for key in dict.fromkeys((*old, *new)):
        if key in free:
            continue
        place = pointer_of((*path, key))[:_TITLE_LIMIT]
        if key not in new:
            yield f"{place}: removed"
        elif key not in old:
            yield f"{place}: added"
        elif not same(old[key], new[key]):
            yield f"{place}: {_change(old[key], new[key])}"


def _change(old: Json, new: Json) -> str:
    told = shown(old, 40), shown(new, 40)
    return "changed" if told[0] == told[1] else f"{told[0]} -> {told[1]}"


def same(old: Json, new: Json) -> bool:
    """Equal in meaning: `1` is `1.0`, but neither is `true`; the order of keys does not count."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    return old == new
