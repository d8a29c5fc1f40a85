"""What a version of a task file claims, told quickly: its history may have thousands of them."""

import json
from codecs import BOM_UTF8

from prd_ralph.prdfile.foreign.finding import Entry, story_lists
from prd_ralph.prdfile.foreign.findings import Findings
from prd_ralph.prdfile.foreign.flags import claim_of
from prd_ralph.prdfile.foreign.shapes import DESCRIPTIONS, TITLES
from prd_ralph.prdfile.positions import Json, Node
from prd_ralph.prdfile.source import Source, id_of
from prd_ralph.prdfile.text import SIZE_LIMIT, Lines, Text


def claims_of(data: bytes) -> dict[str, bool] | None:
    """Whether each story claims to be done, by what it is known by. None where no list of stories can be read.

    What cannot be understood of a story counts as no claim.
    """
    value = _value(data)
    found = next(story_lists(value), None)
    if found is None:
        return None
    findings = Findings(Source("", Text(""), Node(value, 0, 0), Lines("")))
    stories = ((entry, entry.value) for entry in found.entries if isinstance(entry.value, dict))
    return {known_by(entry): claim_of(entry, story, found.pointer, findings).passes for entry, story in stories}


def known_by(entry: Entry) -> str:
    """What a story is found by in other versions of its file: its id, or else what it is called."""
    story = entry.value if isinstance(entry.value, dict) else {}
    stated = entry.key if entry.key is not None else id_of(story)
    if stated is not None:
        return stated
    named = (story.get(key) for key in (*TITLES, *DESCRIPTIONS))
    return next((text for text in named if isinstance(text, str) and text.strip()), "")


def _value(data: bytes) -> Json:
    """None for what is no JSON, or too large or too deep to be a task file."""
    if len(data) > SIZE_LIMIT:
        return None
    try:
        value: Json = json.loads(data.removeprefix(BOM_UTF8).decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value
