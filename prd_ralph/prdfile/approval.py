"""A person's word in prd.json, and its end; every other byte stays."""

from collections.abc import Callable

from prd_ralph.errors import RalphError
from prd_ralph.model import Approval
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.reshape import reshaped, value_in
from prd_ralph.prdfile.source import Object, id_of, listed


def with_approval(data: bytes, story_id: str, approval: Approval) -> bytes:
    """The file with this word for that story, which passes by it. Raises RalphError when there is no such story."""
    note: dict[str, Json] = {"note": approval.note} if approval.note else {}
    word: dict[str, Json] = {"by": approval.by, "at": approval.at, **note}
    return _with_story(data, story_id, lambda story: {**story, "passes": True, "approved": word})


def without_approval(data: bytes, story_id: str) -> bytes:
    """The file without a person's word for that story; what another tool keeps under the key stays. Raises alike."""
    return _with_story(data, story_id, _disapproved)


def _disapproved(story: Object) -> Object:
    return {key: value for key, value in story.items() if key != "approved" or not isinstance(value, dict)}


def _with_story(data: bytes, story_id: str, judged: Callable[[Object], Object]) -> bytes:
    value = value_in(data, "prd.json")
    stories = listed(value, "userStories")
    if not any(isinstance(story, dict) and id_of(story) == story_id for story in stories):
        raise RalphError(f"prd.json has no story {story_id}", "was it renamed or removed meanwhile?")
    changed = [judged(each) if isinstance(each, dict) and id_of(each) == story_id else each for each in stories]
    return reshaped(data, {**value, "userStories": changed})
