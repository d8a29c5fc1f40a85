"""A person's word in prd.json, and its end: the flag and the word change together, every other byte stays."""

from prd_ralph.errors import RalphError
from prd_ralph.model import Approval
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.reshape import reshaped, value_in
from prd_ralph.prdfile.source import id_of, listed


def with_approval(data: bytes, story_id: str, approval: Approval | None) -> bytes:
    """The file with this word for that story, which passes by it; None: it has none, and does not pass.

    Raises RalphError when there is no such story.
    """
    value = value_in(data, "prd.json")
    stories = listed(value, "userStories")
    if not any(_is(story, story_id) for story in stories):
        raise RalphError(f"prd.json has no story {story_id}", "was it renamed or removed meanwhile?")
    judged = [_judged(story, approval) if _is(story, story_id) else story for story in stories]
    return reshaped(data, {**value, "userStories": judged})


def _is(story: Json, story_id: str) -> bool:
    return isinstance(story, dict) and id_of(story) == story_id


def _judged(story: Json, approval: Approval | None) -> Json:
    assert isinstance(story, dict), "it has an id"
    if approval is None:
        return {**disapproved(story), "passes": False}
    note: dict[str, Json] = {"note": approval.note} if approval.note else {}
    return {**story, "passes": True, "approved": {"by": approval.by, "at": approval.at, **note}}


def disapproved(story: dict[str, Json]) -> dict[str, Json]:
    """The story without a person's word; what another tool keeps under the key stays."""
    return {key: value for key, value in story.items() if key != "approved" or not isinstance(value, dict)}
