"""Ids as they are written, and new ones for stories without."""

from collections.abc import Container, Iterator
from itertools import count

from prd_ralph.prdfile.foreign.finding import Entry
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.names import id_fault
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.source import Object, id_of
from prd_ralph.prdfile.text import shown


def ids_of(entries: tuple[tuple[Entry, Object], ...], pointer: str, findings: Findings) -> tuple[str, ...]:
    """An id for each story, all different whatever the case; `pointer` is that of the stories."""
    stated = [_stated(entry, story, findings) for entry, story in entries]
    taken: dict[str, Path] = {}
    kept: list[str | None] = []
    for (entry, story), story_id in zip(entries, stated, strict=True):
        path = id_path(entry)
        if story_id is None:
            if entry.key is None and story.get("id") is None:
                findings.warn("id_generated", pointer)
        elif (first := taken.setdefault(story_id.casefold(), path)) is not path:
            line = findings.line(first)
            message = f"id {shown(story_id)} is taken already, in line {line} (case does not count)"
            findings.wrong(path, message, "give each story an id of its own")
            story_id = None
        kept.append(story_id)
    new = _new(taken.keys())
    return tuple(next(new) if story_id is None else story_id for story_id in kept)


def id_path(entry: Entry) -> Path:
    """Where the id stands: under `id`, or as the story's key."""
    return entry.path if entry.key is not None else (*entry.path, "id")


def _stated(entry: Entry, story: Object, findings: Findings) -> str | None:
    """The id that is written, if it can be one."""
    if entry.key is None and story.get("id") is None:
        return None
    story_id = entry.key if entry.key is not None else id_of(story)
    fault = "must be a text or a whole number" if story_id is None else id_fault(story_id)
    if fault is None:
        return story_id
    findings.wrong(id_path(entry), f"id {fault}", 'an id is a short text, as "US-001"')
    return None


def _new(taken: Container[str]) -> Iterator[str]:
    return (name for number in count(1) if (name := f"US-{number:03}").casefold() not in taken)
