"""Rules about ids."""

from collections.abc import Iterator

from prd_ralph.prdfile.linting.subject import Found, Subject
from prd_ralph.prdfile.text import shown

_NAMED = 5


def reused_id(subject: Subject) -> Iterator[Found]:
    """One finding for each earlier branch: whoever begins again at US-001 is told it once."""
    found: dict[str, list[tuple[int, str]]] = {}
    for index, story in enumerate(subject.prd.stories):
        if not story.passes and story.id in subject.around.landed:
            found.setdefault(subject.around.landed[story.id], []).append((index, story.id))
    for branch, stories in found.items():
        ids = ", ".join(shown(story_id) for _, story_id in stories[:_NAMED])
        more = f" and {len(stories) - _NAMED} more" if len(stories) > _NAMED else ""
        where = f"on the branch {shown(branch)}" if branch else "before this file had a branch"
        message = f"{ids}{more} landed {where} already: in the history one id means two stories"
        hint = "go on counting where the earlier stories end, or begin the ids with another word, as `TP-001`"
        yield Found(("userStories", stories[0][0], "id"), message, hint)
