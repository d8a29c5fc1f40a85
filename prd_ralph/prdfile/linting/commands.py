"""Rules about commands that can't run here, never end, or tell no story from another."""

from collections.abc import Iterator

from prd_ralph.model import Check, Story
from prd_ralph.prdfile.linting.programs import first_word, goes_on, wants_terminal
from prd_ralph.prdfile.linting.subject import Found, Subject
from prd_ralph.prdfile.text import shown


def same_everywhere(subject: Subject) -> Iterator[Found]:
    """What is green before a story can't be what shows that it is done. Held ones and those without a command apart."""
    stories = [(number, story) for number, story in enumerate(subject.prd.stories) if story.checks and not story.skip]
    if len(stories) < 2 or all(story.passes for _, story in stories):
        return
    number, first = stories[0]
    for index, check in enumerate(first.checks):
        if not _is_for_one_story(check) and all(_has(story, check) for _, story in stories):
            message = f"{shown(check.text)} stands in every story: it can't tell one from the other"
            hint = (
                'write it once, under "verificationCommands" of the file, and give each story a command of its own '
                "that is red until it is done"
            )
            yield Found(("userStories", number, "verificationCommands", index), message, hint)


def missing_program(subject: Subject) -> Iterator[Found]:
    """By name alone: what is named by a path a story may be about to make."""
    told: set[str] = set()
    for command in subject.commands():
        word = first_word(command.check)
        closed = command.story is not None and (command.story.passes or command.story.skip)
        if not word or "/" in word or word in told or closed or not subject.around.is_missing(word, command.check):
            continue
        told.add(word)
        yield Found(command.path, f"{word} is not on PATH", "install it, or correct the command")


def needs_terminal(subject: Subject) -> Iterator[Found]:
    for command in subject.commands():
        if found := next(filter(None, map(wants_terminal, command.programs)), None):
            message = f"`{found}` in {shown(command.check.text)} needs a terminal: commands run without one"
            yield Found(command.path, message, "call it in its batch mode, without `-t`, or call something else")


def never_ends(subject: Subject) -> Iterator[Found]:
    """Only what is waited for: a server in the background is how some are tested."""
    for command in subject.commands():
        waited = [place.words for place in command.places if not place.background and not place.piped]
        if found := next(filter(None, map(goes_on, waited)), None):
            message = f"`{found}` in {shown(command.check.text)} goes on until somebody ends it: it would time out"
            yield Found(command.path, message, "write the command that runs once")


def _has(story: Story, check: Check) -> bool:
    return any(own.identity("") == check.identity("") for own in story.checks)


def _is_for_one_story(check: Check) -> bool:
    """It names the variable of the story's id, so that it is another command in each."""
    return check.identity("a") != check.identity("b")
