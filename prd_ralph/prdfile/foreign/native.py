"""Whether a file is ours as it stands."""

from prd_ralph.prdfile.foreign.finding import Found
from prd_ralph.prdfile.foreign.shapes import DEPENDENCIES, is_empty
from prd_ralph.prdfile.foreign.words import Standing, standing
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.source import id_of


def is_native(top: Json, found: Found) -> bool:
    """A project and a list `userStories` in which every story is written as prd-ralph writes it."""
    if not isinstance(top, dict) or found.dialect != "userStories":
        return False
    named = isinstance(top["project"] if "project" in top else top.get("name"), str)
    return named and all(_is_ours(entry.value) for entry in found.entries)


def _is_ours(story: Json) -> bool:
    if not isinstance(story, dict) or not isinstance(story.get("passes"), bool) or id_of(story) is None:
        return False
    status = story.get("status")
    held = isinstance(status, str) and standing(status) is Standing.HELD and not story["passes"]
    return (
        isinstance(story.get("title"), str)
        and not is_empty(story["title"])
        and all(isinstance(story.get(key, ""), str) for key in ("description", "notes"))
        and all(_is_texts(story.get(key, [])) for key in ("acceptanceCriteria", "dependsOn"))
        and _is_number(story.get("priority", 0))
        and not (held or any(key in story for key in DEPENDENCIES[1:]))
    )


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
