"""prd.json with more stories at its end, written in the file's style."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from prd_ralph.prdfile.reading import parse
from prd_ralph.prdfile.reshape import reshaped, value_in
from prd_ralph.proposals import as_stories


def extended(
    data: bytes, proposals: Sequence[Mapping[str, Any]], file: str, root: Path | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """The file, a valid prd.json, with `proposals` as its last stories; and their ids, in this order.

    Every byte of before stays. Raises ProblemsError with all that is wrong with the new file.
    """
    document = value_in(data, file)
    stories = as_stories(document, proposals)
    before = document["userStories"]
    assert isinstance(before, list), "it was read before"
    made = reshaped(data, {**document, "userStories": [*before, *stories]}, file)
    parse(made, file, root)
    return made, tuple(story["id"] for story in stories)
