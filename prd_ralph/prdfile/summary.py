"""What a valid prd.json says, told as `validate --json` and `import --json` tell it of any tool's file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor

from prd_ralph.model import LAST_PRIORITY, Story
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile.dependencies import all_ids
from prd_ralph.prdfile.dialect import story_lists
from prd_ralph.prdfile.meaning import HELD_WORDS
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.source import Object, Source, pointer_of, texts

_DONE_WORDS = frozenset({"done", "complete", "completed", "passes", "passed", "closed"})
_OPEN_WORDS = frozenset(
    {"pending", "todo", "open", "planned", "not_started", "in_progress", "backlog", "ready", "failed"}
)
_COMMAND_LIKE = re.compile(
    r".*commands?|verify|verifications?|verificationsteps|validate|validations?|teststeps|qualitygates|gates"
    r"|checks?|tests?|grader"
)


@dataclass(frozen=True, slots=True)
class Overview:
    """`stories` in file order, as JSON; `commands_seen`: pointers of keys that look like commands and are never run.

    `warnings` are `code pointer`. A missing priority is filled in: by place where no story has one, else after all.
    """

    stories: tuple[dict[str, object], ...]
    commands_seen: tuple[str, ...]
    warnings: tuple[str, ...]


def overview(document: PrdDocument, file: str) -> Overview:
    """Of a document that was loaded from `file` without an error."""
    source = read_source(document.data, file)
    top = source.root.value
    assert isinstance(top, dict)
    stories = document.prd.stories
    priorities = _priorities(stories)
    seen = [*_command_like(top, ""), *(p for _, s in source.stories() for p in _command_like(s, "/userStories/*"))]
    return Overview(
        tuple(map(_told, stories, priorities)),
        tuple(dict.fromkeys(seen)),
        (*_of_stories(source, stories), *_prose(source), *_also_found(top)),
    )


def _told(story: Story, priority: float) -> dict[str, object]:
    return {
        "id": story.id,
        "title": story.title,
        "passes": story.passes,
        "priority": priority,
        "dependsOn": list(story.depends_on),
        "held": story.skip,
        "acceptanceCriteria": list(story.criteria),
    }


def _priorities(stories: tuple[Story, ...]) -> Sequence[float]:
    known = [story.priority for story in stories if story.priority != LAST_PRIORITY]
    if not known:
        return list(range(1, len(stories) + 1))
    last = floor(max(known)) + 1
    return [last if story.priority == LAST_PRIORITY else story.priority for story in stories]


def _command_like(holder: Object, pointer: str, deeper: bool = True) -> Iterator[str]:
    for key, value in holder.items():
        if not (deeper and key == "verificationCommands") and _looks_like_commands(key, value):
            yield pointer + pointer_of((key,))
        if deeper and isinstance(value, dict):
            yield from _command_like(value, pointer + pointer_of((key,)), deeper=False)


def _looks_like_commands(key: str, value: Json) -> bool:
    plain = key.replace("_", "").replace("-", "").lower()
    return not isinstance(value, bool) and value not in (None, "", [], {}) and bool(_COMMAND_LIKE.fullmatch(plain))


def _of_stories(source: Source, stories: tuple[Story, ...]) -> Iterator[str]:
    some = any(story.priority != LAST_PRIORITY for story in stories)
    for (index, raw), story in zip(source.stories(), stories, strict=True):
        pointer = pointer_of(("userStories", index))
        if _disagrees(raw.get("status"), story.passes):
            yield f"passes_over_status {pointer}"
        if not (story.criteria or story.passes or story.skip):
            yield f"no_criteria {pointer}"
        if some and story.priority == LAST_PRIORITY and not story.passes:
            yield f"priority_missing {pointer}"


def _disagrees(status: Json, passes: bool) -> bool:
    """The flag counts; a status word that says something else, or nothing that is known, is worth a warning."""
    if not isinstance(status, str) or not status.strip():
        return False
    word = status.strip().lower().replace(" ", "_").replace("-", "_")
    return word not in (_DONE_WORDS if passes else _OPEN_WORDS | HELD_WORDS)


def _prose(source: Source) -> Iterator[str]:
    ids = set(all_ids(source))
    for index, story in source.stories():
        if any(reference not in ids for _, reference in texts(story, "dependsOn")):
            yield f"dependency_prose {pointer_of(('userStories', index, 'dependsOn'))}"


def _also_found(top: Object) -> Iterator[str]:
    places = dict.fromkeys(found.path for found in story_lists(top) if found.path != ("userStories",))
    return (f"also_found {pointer_of(path)}" for path in places)
