"""Which story of prd.json a planned story is: by its id, or, where the PRD gives none, by its text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from prd_ralph.planning.ids import free_ids, key
from prd_ralph.planning.output import story_json
from prd_ralph.planning.stamps import Stamp, mark
from prd_ralph.planning.values import Json, Object, Place, Plan, PlannedStory


@dataclass(frozen=True, slots=True)
class Matched:
    """A planned story under the id that it has in prd.json. `text` is the sha256 of what the PRD says of it."""

    id: str
    story: Object
    text: str
    place: Place


def stories_in(document: Object) -> dict[str, Object]:
    """The stories of a valid prd.json, by id; ids that are whole numbers are texts here."""
    listed = document.get("userStories")
    entries = listed if isinstance(listed, list) else []
    return {id_text(entry.get("id")): entry for entry in entries if isinstance(entry, dict)}


def id_text(value: Json) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def matched(plan: Plan, known: Sequence[str], stamps: Mapping[str, Stamp]) -> tuple[Matched, ...]:
    """The plan's stories with the ids of prd.json (`known`) and of the last plan (`stamps`), in the plan's order.

    An id that differs in case, hyphens or zeros only is the same; the one in prd.json stays. A story without an id in
    the PRD keeps the one that it got when its text, or else its title, was last planned, wherever it stands now (C075).
    """
    ids = dict(_ids(plan.stories, [*known, *(each for each in stamps if each not in known)], stamps))
    return tuple(
        Matched(ids[story.id], _with_ids(story_json(story), ids), story.sha256, story.place) for story in plan.stories
    )


def _with_ids(story: Object, ids: Mapping[str, str]) -> Object:
    """The story with the ids of prd.json for its own and those that it depends on."""
    depends = story.get("dependsOn")
    others: list[Json] = [ids.get(str(each), each) for each in depends] if isinstance(depends, list) else []
    return {**story, "id": ids[str(story["id"])], "dependsOn": others}


def _ids(
    stories: Sequence[PlannedStory], known: Sequence[str], stamps: Mapping[str, Stamp]
) -> Iterator[tuple[str, str]]:
    """From the ids of the plan to those of prd.json."""
    same = {key(each): each for each in reversed(known)}
    taken = {
        story.id: story.id if story.id in known else same.get(key(story.id), story.id)
        for story in stories
        if not story.numbered
    }
    taken |= _met(stories, taken, {each: stamp.text for each, stamp in stamps.items()}, lambda story: story.sha256)
    titles = {each: dict(stamp.marks).get("title", "") for each, stamp in stamps.items()}
    taken |= _met(stories, taken, titles, lambda story: mark(story.title))
    free = free_ids([*known, *taken.values()])
    for story in stories:
        if story.id not in taken:
            ours = taken.values()
            taken[story.id] = story.id if story.id not in ours else next(each for each in free if each not in ours)
    return iter(taken.items())


def _met(
    stories: Sequence[PlannedStory],
    taken: Mapping[str, str],
    then: Mapping[str, str],
    now: Callable[[PlannedStory], str],
) -> dict[str, str]:
    """The stories that have no id yet, and the ids under which they were planned: what they are known by is equal."""
    free = {known_by: story_id for story_id, known_by in reversed(list(then.items())) if story_id not in taken.values()}
    found = {story.id: free.pop(now(story), "") for story in stories if story.id not in taken}
    return {story: story_id for story, story_id in found.items() if story_id}
