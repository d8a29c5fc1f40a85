"""The whole file as ours: the stories under `userStories`, and round them all that was there."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import PurePath

from prd_ralph.prdfile.foreign.commands import OURS
from prd_ralph.prdfile.foreign.finding import Found
from prd_ralph.prdfile.foreign.reading import Reading
from prd_ralph.prdfile.foreign.shapes import is_empty
from prd_ralph.prdfile.foreign.story_out import ASIDE, Style, is_near_ours, joined, with_aside, written
from prd_ralph.prdfile.keys import TOP_KEYS
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object

# Texts of the file that mean to every tool what they mean to us; also looked for where the stories are wrapped.
_HOISTED = ("branchName", "baseBranch", "description")
_TEXTS = frozenset(("project", "name", *_HOISTED))
_SURROGATE = re.compile("[\ud800-\udfff]")

Adopted = Mapping[Path, Sequence[Json]]


def document(top: Json, reading: Reading, adopted: Adopted, style: Style) -> Object:
    """`adopted`: commands by the path of the story that they are for, `()` for all stories."""
    stories: list[Json] = [written(each, adopted.get(each.entry.path, ()), style) for each in reading.stories]
    root = top if isinstance(top, dict) else {}
    wrapper = _wrapper(root, reading.found)
    hoisted = {key: wrapper[key] for key in _HOISTED if isinstance(wrapper.get(key), str) and key not in root}
    kept: Object = {}
    aside: Object = {}
    for key, value in root.items():
        if key == reading.found.path[0]:
            kept["userStories"] = stories
            if not is_empty(rest := _around(value, reading, hoisted)):
                kept[key] = rest
        elif _stays(key, value, root, style):
            kept[key] = value
        elif not (is_empty(value) and key in TOP_KEYS):
            aside[key] = value
    head: Object = {} if _is_named(kept) else {"project": project_of(root, wrapper, style.file)}
    kept.setdefault("userStories", stories)
    if commands := adopted.get(()):
        kept[OURS] = joined(kept.get(OURS), commands)
    return {**head, **hoisted, **kept, **with_aside(kept, aside)}


def encoded(value: Object) -> bytes:
    """As we write it: two blanks a level, UTF-8 as it is, a final newline. Half surrogate pairs stay escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return (_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n").encode()


def unwritable(value: Json, path: Path = ()) -> Iterator[Path]:
    """The places of numbers that are beyond what can be written again."""
    if isinstance(value, float) and not isfinite(value):
        yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        yield from unwritable(inner, (*path, step))


def project_of(root: Object, wrapper: Object, file: str) -> str:
    """A name for the project: the file's, the wrapper's, or the file's own name."""
    named = root.get("project")
    nested = named if isinstance(named, dict) else {}
    places = ((root, "project"), (root, "name"), (nested, "name"), (nested, "title"))
    inner = ((wrapper, "project"), (wrapper, "name"), (root, "title"), (wrapper, "title"))
    found = (holder.get(key) for holder, key in (*places, *inner))
    return next((text for text in found if isinstance(text, str) and text.strip()), PurePath(file).stem or "imported")


def _is_named(kept: Object) -> bool:
    return any(isinstance(kept.get(key), str) for key in ("project", "name"))


def _wrapper(root: Object, found: Found) -> Object:
    """The object that the stories are wrapped in, or nothing."""
    inner = root.get(str(found.path[0])) if len(found.path) > 1 else None
    return inner if isinstance(inner, dict) else {}


def _stays(key: str, value: Json, root: Object, style: Style) -> bool:
    """Whether it may keep its name: it means there what it means to us, or nothing to us."""
    if key in (OURS, ASIDE):
        return True
    if key in _TEXTS:
        return isinstance(value, str)
    return style.ours if key in TOP_KEYS else not is_near_ours(key, TOP_KEYS, (*root, "userStories"))


def _around(value: Json, reading: Reading, hoisted: Object) -> Json:
    """What stood round the stories: of a wrapper what is not told elsewhere, of groups all but the stories."""
    found = reading.found
    if len(found.path) == 1 or not isinstance(value, dict):
        return _groups(value, reading) if found.group_key else None
    name = str(found.path[1])
    rest = {key: inner for key, inner in value.items() if key != name and key not in hoisted}
    return rest | ({name: _groups(value[name], reading)} if found.group_key else {})


def _groups(value: Json, reading: Reading) -> Json:
    """The groups, with the ids of their stories in the stories' place."""
    found = reading.found
    ids: dict[Path, list[Json]] = {}
    for story in reading.stories:
        ids.setdefault(story.entry.path[:-1], []).append(story.id)
    groups = enumerate(value if isinstance(value, list) else [])
    return [
        {**group, found.group_key: ids[place]}
        if isinstance(group, dict) and (place := (*found.path, index, found.group_key)) in ids
        else group
        for index, group in groups
    ]
