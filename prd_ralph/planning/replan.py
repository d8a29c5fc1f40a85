"""Re-planning, decided: what the PRD said when it was last planned, what it says now, and what prd.json says.

Pure. `replanned` gives a frozen decision for each story and each top key; `merging` makes the new document of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from prd_ralph.planning.matching import Matched, matched, stories_in
from prd_ralph.planning.output import top_json
from prd_ralph.planning.stamps import FIELDS, TOP_KEYS, Stamp, canonical, mark, read_stamp, stamp_of, value_of
from prd_ralph.planning.values import Json, Object, Place, Plan

CONTENT = frozenset({"title", "description", "acceptanceCriteria", "verificationCommands"})
"""What must hold. A change of these by the PRD opens a story again; the other fields are order and memory."""
_COMMANDS, _BRANCH = "verificationCommands", "branchName"


class What(StrEnum):
    """What becomes of a story or a top key."""

    KEPT = "kept"
    NEW = "new"
    CHANGED = "changed"
    CONFLICT = "conflict"
    REMOVED = "removed"
    VANISHED = "vanished"
    PRUNED = "pruned"


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose: `theirs` takes the PRD's side of a conflict, `prune` drops what the PRD dropped."""

    theirs: bool = False
    prune: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """About one story (`story` is its id in prd.json) or one top key (`story` is "", `changed` names it).

    `taken`: the fields that get the PRD's value; of a new story all. `changed`: those that the PRD has changed;
    `edited`: those that a person has, where that makes a conflict; `stays`: those that both have, and that stay.
    `reset`: the flag goes back to false. `unproved`: it stays, but its commands have changed.
    `stamp`: what is remembered of the plan, "" for nothing.
    """

    what: What
    story: str = ""
    place: Place | None = None
    taken: tuple[tuple[str, Json], ...] = ()
    changed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    reset: bool = False
    unproved: bool = False
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Replan:
    """All decisions; the stories' in the order of the plan, then those that the PRD no longer has."""

    top: tuple[Decision, ...]
    stories: tuple[Decision, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return (*self.top, *self.stories)

    @property
    def conflicts(self) -> tuple[Decision, ...]:
        return tuple(each for each in self.decisions if each.what is What.CONFLICT)


def replanned(document: Object, plan: Plan, choice: Choice = Choice()) -> Replan:
    """Decides. `document` is a valid prd.json's value, of this PRD's last plan or written by hand."""
    source = document.get("source")
    origin = source if isinstance(source, dict) else {}
    stamps = {key: stamp for key, value in _object(origin, "stories").items() if (stamp := read_stamp(value))}
    mine = stories_in(document)
    found = matched(plan, list(mine), stamps)
    passing = any(story.get("passes") is True for story in mine.values())
    stories = [_story(each, mine.get(each.id), stamps.get(each.id), choice) for each in found]
    planned = {each.id for each in found}
    gone = [_vanished(key, str(stamp), choice) for key, stamp in stamps.items() if key in mine and key not in planned]
    return Replan(tuple(_top(document, origin, plan, choice, passing=passing)), (*stories, *gone))


def _object(value: Mapping[str, Json], key: str) -> Object:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _vanished(story_id: str, stamp: str, choice: Choice) -> Decision:
    return Decision(What.PRUNED, story_id) if choice.prune else Decision(What.VANISHED, story_id, stamp=stamp)


def _story(theirs: Matched, mine: Object | None, base: Stamp | None, choice: Choice) -> Decision:
    """One story that the PRD has."""
    if mine is None:
        return _absent(theirs, base, choice)
    sides = _Sides(theirs.story, mine, _marks(theirs, base))
    changed, edited = set(sides.changed(FIELDS)), set(sides.edited(FIELDS))
    if changed & CONTENT and edited & CONTENT:
        if not choice.theirs:
            return _conflict(theirs, base, changed & CONTENT, edited & CONTENT)
        changed |= edited & CONTENT
    stays = set() if choice.theirs else changed & edited
    said = (changed | set(sides.moved(FIELDS))) & CONTENT
    own, passes = base is None or base.text != theirs.text, mine.get("passes") is True
    return Decision(
        What.CHANGED if changed - stays or said else What.KEPT,
        theirs.id,
        theirs.place,
        tuple((field, value_of(theirs.story, field)) for field in _ordered(changed - stays)),
        _ordered(changed | said),
        stays=_ordered(stays),
        reset=bool(said) and own and passes,
        unproved=bool(said) and not own and passes,
        stamp=str(stamp_of(theirs.text, theirs.story)),
    )


def _absent(theirs: Matched, base: Stamp | None, choice: Choice) -> Decision:
    """One that prd.json has not: it is new, or a person has removed it."""
    if base is not None and not choice.theirs:
        return Decision(What.REMOVED, theirs.id, theirs.place, stamp=str(base))
    stamp = str(stamp_of(theirs.text, theirs.story))
    return Decision(What.NEW, theirs.id, theirs.place, tuple(theirs.story.items()), stamp=stamp)


def _conflict(theirs: Matched, base: Stamp | None, changed: set[str], edited: set[str]) -> Decision:
    """The old stamp stays: so it is told again, until it is over."""
    return Decision(
        What.CONFLICT,
        theirs.id,
        theirs.place,
        changed=_ordered(changed),
        edited=_ordered(edited),
        stamp=str(base) if base else "",
    )


def _ordered(fields: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(fields, key=[*FIELDS, *TOP_KEYS].index))


def _marks(theirs: Matched, base: Stamp | None) -> dict[str, str]:
    """What each field was when planned; where only the text is recorded and is the same, it was what it is now."""
    if base is None:
        return {}
    if not base.marks and base.text == theirs.text:
        return dict(stamp_of(theirs.text, theirs.story).marks)
    return dict(base.marks)


@dataclass(frozen=True, slots=True)
class _Sides:
    """The three sides of one object; `base` has marks, and none where nobody knows."""

    theirs: Object
    mine: Object
    base: Mapping[str, str]

    def changed(self, fields: Iterable[str]) -> Iterator[str]:
        """The fields that the PRD has changed, and in which prd.json does not follow it yet."""
        return (field for field in fields if self._differ(field) and self._moved(field))

    def moved(self, fields: Iterable[str]) -> Iterator[str]:
        """The fields that the PRD is known to have changed."""
        return (field for field in fields if field in self.base and self._moved(field))

    def edited(self, fields: Iterable[str]) -> Iterator[str]:
        """The fields in which prd.json is neither what was planned nor what the PRD says now."""
        return (
            field
            for field in fields
            if self._differ(field) and self.base.get(field) != mark(value_of(self.mine, field))
        )

    def _moved(self, field: str) -> bool:
        return self.base.get(field) != mark(value_of(self.theirs, field))

    def _differ(self, field: str) -> bool:
        """Whether the two say different things. What the PRD never gave (commands, a branch) is the person's own."""
        theirs = value_of(self.theirs, field)
        own = not theirs and field in (_COMMANDS, _BRANCH) and self.base.get(field, mark(theirs)) == mark(theirs)
        return not own and canonical(theirs) != canonical(value_of(self.mine, field))


def _top(document: Object, origin: Object, plan: Plan, choice: Choice, *, passing: bool) -> Iterator[Decision]:
    """The top keys. The branch stays once a story passes: flags are counted with it (`Prd-Ralph-Prd`)."""
    theirs = top_json(plan)
    base = {key: value for key, value in _object(origin, "top").items() if isinstance(value, str)}
    if not base and origin.get("sha256") == plan.sha256:
        base = {key: mark(value_of(theirs, key)) for key in TOP_KEYS}
    named = "project" not in document and "name" in document
    sides = _Sides(theirs, {**document, "project": document["name"]} if named else document, base)
    for key in TOP_KEYS:
        changed, edited = any(sides.changed([key])), any(sides.edited([key])) and bool(base or key in document)
        stays = changed and not choice.theirs and key == _BRANCH and passing
        now = mark(value_of(theirs, key))
        if changed and edited and not choice.theirs and not stays:
            yield Decision(What.CONFLICT, changed=(key,), edited=(key,), stamp=base.get(key, ""))
        elif changed and not stays:
            written = "name" if named and key == "project" else key
            gates = key == _COMMANDS and passing
            yield Decision(What.CHANGED, taken=((written, theirs.get(key)),), changed=(key,), unproved=gates, stamp=now)
        else:
            yield Decision(What.KEPT, changed=(key,) if stays else (), stays=(key,) if stays else (), stamp=now)
