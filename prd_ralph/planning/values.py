"""What planning gives: the stories in order, the top keys, and every line that found no place. Frozen."""

from dataclasses import dataclass
from enum import StrEnum

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Object = dict[str, Json]


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line, from 1, of one of the files that were named."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A line that begins something for which no rule has a place; `text` is the line as it stands there."""

    place: Place
    text: str


class Concern(StrEnum):
    """What a warning is about."""

    BOX = "box_outside_stories"
    NO_COMMAND = "no_command"
    ID = "id_outside_stories"
    COMMENT = "open_comment"
    LINK = "link_definition"
    FILE = "file_without_story"
    KEY = "front_matter_key"
    LOST = "lost_by_agent"
    ADDED = "added_by_agent"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person may not have meant; nothing is refused for it."""

    concern: Concern
    place: Place
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class PlannedStory:
    """One entry of `userStories`. `place` is its first line, `sha256` that of its source, see `draft.fingerprint`.
    `numbered`: the PRD gives it no id, and it has got the next free one."""

    id: str
    title: str
    place: Place
    sha256: str
    description: str = ""
    criteria: tuple[str, ...] = ()
    priority: int = 1
    depends_on: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    notes: str = ""
    skip: bool = False
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole PRD. `sha256` is that of the file's bytes; of several files, see `plan.plan`. `branch` is None where
    the project's name leaves nothing for it."""

    project: str
    branch: str | None
    description: str
    commands: tuple[str, ...]
    stories: tuple[PlannedStory, ...]
    unplaced: tuple[Unplaced, ...]
    warnings: tuple[Notice, ...]
    sha256: str
    folder: bool = False

    @property
    def places(self) -> dict[str, Place]:
        """The first line of each story, by its id."""
        return {story.id: story.place for story in self.stories}
