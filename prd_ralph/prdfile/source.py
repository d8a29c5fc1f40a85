"""A file that was read as JSON: what stands where, and how a problem there is told."""

from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.errors import Problem
from prd_ralph.prdfile.positions import Duplicate, Json, Node, Path
from prd_ralph.prdfile.text import Lines, Text, printable, shown

Object = dict[str, Json]


def pointer_of(path: Path) -> str:
    """The JSON pointer (RFC 6901) of a path; the whole file is the empty text."""
    return "".join(f"/{printable(str(step).replace('~', '~0').replace('/', '~1'))}" for step in path)


@dataclass(frozen=True, slots=True)
class Source:
    """The file's name for messages, its characters, and its values with their places."""

    file: str
    text: Text
    root: Node
    lines: Lines
    duplicates: tuple[Duplicate, ...] = ()

    def problem(self, path: Path, message: str, hint: str = "") -> Problem:
        """A problem at `path`, with line, pointer and, inside a story, the story's id."""
        return Problem(message, hint, self.file, self.line(path), pointer_of(path), self._story(path))

    def line(self, path: Path) -> int:
        return self.lines.at(self.root.nearest(path).begin)

    def stories(self) -> Iterator[tuple[int, Object]]:
        """The entries of `userStories` that are objects, with their index."""
        for index, value in enumerate(listed(self.root.value, "userStories")):
            if isinstance(value, dict):
                yield index, value

    def duplicate_keys(self) -> Iterator[Problem]:
        for found in self.duplicates:
            first, second = map(self.lines.at, (found.first, found.second))
            message = f"{shown(found.path[-1])} is written twice in one object, first in line {first}"
            hint = "keep one of the two"
            yield Problem(message, hint, self.file, second, pointer_of(found.path), self._story(found.path))

    def _story(self, path: Path) -> str:
        if len(path) < 2 or path[0] != "userStories":
            return ""
        story = self.root.nearest(path[:2]).value
        story_id = id_of(story) if isinstance(story, dict) else None
        return printable(story_id) if story_id is not None else ""


def listed(value: Json, key: str) -> list[Json]:
    """The list under `key`, or an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def texts(value: Json, key: str) -> Iterator[tuple[int, str]]:
    """The texts in the list under `key`, with their index."""
    for index, entry in enumerate(listed(value, key)):
        if isinstance(entry, str):
            yield index, entry


def id_of(story: Object) -> str | None:
    """A story's id as text (whole numbers become texts); None where there is none that could be one."""
    found = story.get("id")
    if isinstance(found, float) and found.is_integer():
        return str(int(found))
    if isinstance(found, bool) or not isinstance(found, (str, int)):
        return None
    return str(found)
