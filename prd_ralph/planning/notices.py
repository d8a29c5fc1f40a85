"""What a person may not have meant, and is told without being refused."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from prd_ralph.planning.blocks import items_within
from prd_ralph.planning.document import Document
from prd_ralph.planning.gates import Gates
from prd_ralph.planning.items import is_boxed
from prd_ralph.planning.outline import Area, Stretch, is_story
from prd_ralph.planning.values import Concern, Notice, PlannedStory

NO_COMMAND_HINT = "add a `## Quality Gates` section, or to the story a line **Verify:** `COMMAND`"


class Searched(Protocol):
    """A file with what was found in it."""

    @property
    def document(self) -> Document: ...
    @property
    def stretches(self) -> tuple[Stretch, ...]: ...
    @property
    def gates(self) -> Gates: ...
    @property
    def drafts(self) -> Sequence[object]: ...
    @property
    def whole(self) -> bool: ...


def notices(files: Sequence[Searched], stories: Sequence[PlannedStory]) -> tuple[Notice, ...]:
    """All warnings, in the order of files and lines."""
    found = [notice for file in files for notice in sorted(_of_file(file), key=lambda notice: notice.place)]
    top = next((file for file in files if not file.drafts), files[0])
    found += (_without_story(file) for file in files if not file.drafts and file is not top)
    if not any(file.gates.commands for file in files):
        found += (without_command(story) for story in stories if not story.commands)
    return tuple(found)


def _of_file(file: Searched) -> Iterator[Notice]:
    document = file.document
    for stretch in file.stretches:
        if stretch.story is None and stretch.area is Area.OTHER:
            yield from _outside(document, stretch)
    for line in document.parsed.opened:
        message = "a comment begins here and never ends: what follows is not read"
        yield Notice(Concern.COMMENT, document.place(line), message, "end it with -->")
    for line in document.parsed.links:
        message = "a link definition is not copied into the stories that use it"
        yield Notice(Concern.LINK, document.place(line), message, "write the address where the link is")
    entry = document.front.get("verificationCommands")
    if entry and not file.whole:
        hint = "put it into a section `## Quality Gates`"
        yield Notice(
            Concern.KEY, document.place(entry.line), f"{entry.key} is read in the file of one story only", hint
        )


def _outside(document: Document, stretch: Stretch) -> Iterator[Notice]:
    if stretch.heading and is_story(stretch.heading):
        message, hint = (
            "a heading with an id is in no stories section: it is no story",
            "move it under `## User Stories`",
        )
        yield Notice(Concern.ID, document.place(stretch.heading.line), message, hint)
    for item in items_within(stretch.blocks):
        if is_boxed(item):
            yield Notice(
                Concern.BOX, document.place(item.line), "a box outside the stories is neither story nor criterion"
            )


def _without_story(file: Searched) -> Notice:
    return Notice(Concern.FILE, file.document.place(1), "the file has no story: only gates are read from it")


def without_command(story: PlannedStory) -> Notice:
    return Notice(Concern.NO_COMMAND, story.place, f"{story.id} has no command that could prove it", NO_COMMAND_HINT)
