"""Edits in place: every byte that is not meant stays."""

import json

from prd_ralph.errors import RalphError
from prd_ralph.prdfile.names import clean
from prd_ralph.prdfile.positions import Node
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.source import Source, id_of


def flipped(data: bytes, story_id: str, passes: bool) -> bytes:
    """The file with that story's flag set: the token `true` or `false` alone differs, or nothing.

    Raises RalphError when there is no such story or it has no flag.
    """
    source = read_source(data, "prd.json")
    flag = _story(source, story_id).children.get("passes")
    if flag is None or not isinstance(flag.value, bool):
        raise RalphError(f"story {story_id} has no flag `passes` that could be set")
    if flag.value is passes:
        return data
    return source.text.spliced(flag.start, flag.end, "true" if passes else "false").encoded()


def with_notes(data: bytes, story_id: str, notes: str) -> bytes:
    """The file with that story's notes set; equal notes leave every byte.

    A missing key is added behind the story's last one, spaced like that. Raises RalphError without such a story.
    """
    source = read_source(data, "prd.json")
    body = source.text.body
    story = _story(source, story_id)
    # A file that escapes what is not ASCII goes on doing so.
    token = json.dumps(clean(notes), ensure_ascii=body.isascii() and "\\u" in body)
    old = story.children.get("notes")
    if old is None:
        end, before, after = _style(body, story)
        return source.text.spliced(end, end, f'{before}"notes"{after}{token}').encoded()
    return data if old.value == notes else source.text.spliced(old.start, old.end, token).encoded()


def _style(body: str, story: Node) -> tuple[int, str, str]:
    """Where another member would go; what stands before the last key, and between it and its value."""
    *others, last = story.children.values()
    assert last.key is not None  # it is a member of an object
    before = body[others[-1].end : last.key[0]] if others else ", "
    return last.end, before, body[last.key[1] : last.start]


def _story(source: Source, story_id: str) -> Node:
    for index, value in source.stories():
        if id_of(value) == story_id:
            return source.root.nearest(("userStories", index))
    raise RalphError(f"{source.file} has no story {story_id}", "was it renamed or removed while the run was going on?")
