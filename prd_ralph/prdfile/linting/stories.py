"""Rules about stories: their own commands, their size, their order."""

from collections.abc import Iterator

from prd_ralph.model import LAST_PRIORITY, Story
from prd_ralph.prdfile.linting.subject import Found, Subject
from prd_ralph.prdfile.linting.words import EPIC
from prd_ralph.prdfile.text import shown

MOST_CRITERIA = 12


def no_own_command(subject: Subject) -> Iterator[Found]:
    """Where nothing at all could prove it, that is told otherwise, and refused by a run."""
    for path, story in subject.open():
        shared = {check.identity(story.id) for check in subject.shared}
        if shared and all(check.identity(story.id) in shared for check in story.checks):
            message = "no command of its own: what all stories share is green before it is done, too"
            hint = 'give it a command under "verificationCommands" that fails until the story is done'
            yield Found(path, message, hint)


def epic_story(subject: Subject) -> Iterator[Found]:
    for path, story in subject.open():
        if found := EPIC.search(story.title):
            message = f"{shown(found[0])} sounds like an epic: more than an agent can do in one go"
            yield Found((*path, "title"), message, "split it into stories of which each can be proved alone")


def too_many_criteria(subject: Subject) -> Iterator[Found]:
    for path, story in subject.open():
        if len(story.criteria) > MOST_CRITERIA:
            message = f"{len(story.criteria)} criteria are more than an agent keeps in mind at once"
            hint = f"split the story: {MOST_CRITERIA} criteria at most, better 3 to 5"
            yield Found((*path, "acceptanceCriteria"), message, hint)


def priority_order(subject: Subject) -> Iterator[Found]:
    """A dependency comes first whatever the numbers say; the order that a person reads is then not the one that is."""
    stories = {story.id: story for story in subject.prd.stories}
    for path, story in subject.open():
        for other in (stories[story_id] for story_id in story.depends_on):
            if other.priority > story.priority and not other.passes:
                message = f"priority {_number(story)}, but it waits for {shown(other.id)} with {_number(other)}"
                hint = f"give {shown(other.id)} a priority of {_number(story)} or less"
                yield Found((*path, "priority"), message, hint)


def _number(story: Story) -> str:
    return "none" if story.priority == LAST_PRIORITY else f"{story.priority:g}"
