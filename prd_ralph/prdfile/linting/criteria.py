"""Rules about criteria: what says nothing that can be proved, and what only a person can say."""

import re
from collections.abc import Iterator

from prd_ralph.model import Story
from prd_ralph.prdfile.linting.subject import Found, Subject
from prd_ralph.prdfile.linting.words import CHECKABLE, MANUAL, QUOTED, SUBJECTIVE, VAGUE
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.text import shown


def vague_criterion(subject: Subject) -> Iterator[Found]:
    hint = 'say what can be seen and counted, as "answers within 200 ms" or "prints `done` and exits with 0"'
    for path, text in _promises(subject):
        if found := VAGUE.search(text):
            yield Found(path, f"{shown(found[0].strip())} is vague: no command can tell when it holds", hint)


def subjective_criterion(subject: Subject) -> Iterator[Found]:
    hint = "say what must be on the screen, or compare with a picture by a command"
    for path, text in _promises(subject):
        if found := SUBJECTIVE.search(text):
            yield Found(path, f"{shown(found[0].strip())} is a matter of taste: no command can judge it", hint)


def manual_criterion(subject: Subject) -> Iterator[Found]:
    """A number does not make it less manual, so that only quoted text is left out of sight."""
    for path, story in subject.open():
        if _only_manual(story):
            continue
        for index, text in enumerate(story.criteria):
            if found := _manual(text):
                message = f"{shown(found[0].strip())} is for a person: no command does it, and a run believes no agent"
                hint = 'write a test that does it, or move it to a story that is held with "skip": true'
                yield Found((*path, "acceptanceCriteria", index), message, hint)


def only_manual(subject: Subject) -> Iterator[Found]:
    """C068: such a story is no agent's."""
    for path, story in subject.open():
        if _only_manual(story):
            message = "all its criteria are for a person: an agent can't do this story"
            hint = 'hold it with "skip": true until a person has done it, or write criteria that commands can prove'
            yield Found((*path, "acceptanceCriteria"), message, hint)


def _only_manual(story: Story) -> bool:
    return bool(story.criteria) and all(map(_manual, story.criteria))


def _manual(text: str) -> re.Match[str] | None:
    return MANUAL.search(QUOTED.sub("…", text))


def _promises(subject: Subject) -> Iterator[tuple[Path, str]]:
    """The criteria that name nothing that could be looked for: no number, no quoted text, no name of code."""
    for path, story in subject.open():
        for index, text in enumerate(story.criteria):
            if not (QUOTED.search(text) or CHECKABLE.search(text)):
                yield (*path, "acceptanceCriteria", index), text
