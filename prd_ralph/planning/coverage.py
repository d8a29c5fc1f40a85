"""What an agent's plan lost of the PRD, and what it holds that the PRD does not: by comparing texts, not meanings.

A criterion is accounted for where its words stand in one of the new plan's; so it may be sharpened by adding to it, and
moved when a story is split, but not reworded in silence.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prd_ralph.planning.ids import key
from prd_ralph.planning.reading import lines_of
from prd_ralph.planning.values import Concern, Notice, Place, Plan, PlannedStory

_MARKS = re.compile(r"[`*]|^\s*(?:[-+>]|\d+[.)])\s+(?:\[[ xX-]\]\s+)?|^\s*#+\s+", re.MULTILINE)
_QUOTES = str.maketrans("‘’“”", "''\"\"")
_KEEP = "keep its words in the story that it belongs to, or add it to prd.json by hand"
_LOOK = "see whether it is wanted: the PRD does not say so"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the PRD."""

    file: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, file: str, data: bytes) -> "Source":
        """Raises PlanError for what is no text."""
        return cls(file, lines_of(file, data))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def normal(text: str) -> str:
    """The text as it is compared: without markdown's marks, case, and how it is broken into lines."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", text).translate(_QUOTES)).casefold()
    return " ".join(plain.split()).strip(" .,;:!")


def holds(text: str, words: str) -> bool:
    """Whether normal `words` stand in a normal text, not as a part of longer words."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def lost(read: Plan, made: Plan, sources: Sequence[Source]) -> Iterator[Notice]:
    """Stories, criteria and commands that rules read in the PRD and the new plan has not."""
    criteria = [normal(each) for story in made.stories for each in story.criteria]
    common = set(made.commands).union(set.intersection(*(set(story.commands) for story in made.stories)))
    anywhere = {command for story in made.stories for command in story.commands} | common
    for command in read.commands:
        if command not in common:
            place = _place(command, sources, Place(sources[0].file, 1))
            yield Notice(Concern.LOST, place, f"the command of all stories `{command}` is lost", _KEEP)
    for story in read.stories:
        if not _kept(story, made):
            yield Notice(Concern.LOST, story.place, f"the story {story.id} is lost: {story.title}", _KEEP)
        for criterion in story.criteria:
            if not any(holds(each, normal(criterion)) for each in criteria):
                place = _place(criterion, sources, story.place)
                yield Notice(Concern.LOST, place, f"a criterion of {story.id} is lost: {_short(criterion)}", _KEEP)
        for command in story.commands:
            if command not in anywhere:
                place = _place(command, sources, story.place)
                yield Notice(Concern.LOST, place, f"a command of {story.id} is lost: `{command}`", _KEEP)


def added(read: Plan | None, made: Plan, sources: Sequence[Source], agent: str) -> Iterator[Notice]:
    """Stories that rules did not read, and criteria and commands whose words the PRD does not have."""
    raw = "\n".join(source.text for source in sources)
    told = normal(raw)
    top = Place(sources[0].file, 1)
    for command in made.commands:
        if command not in raw:
            yield Notice(Concern.ADDED, top, f"{agent} added a command for all stories: `{command}`", _LOOK)
    for story in made.stories:
        new = [each for each in story.criteria if not holds(told, normal(each))]
        if is_new(story, read):
            message = f"{agent} added {story.id}: {story.title} ({len(new)} of {len(story.criteria)} criteria its own)"
            yield Notice(Concern.ADDED, story.place, message, _LOOK)
        else:
            for each in new:
                message = f"{agent} added a criterion to {story.id}: {_short(each)}"
                yield Notice(Concern.ADDED, story.place, message, _LOOK)
        for command in story.commands:
            if command not in raw:
                message = f"{agent} added a command to {story.id}: `{command}`"
                yield Notice(Concern.ADDED, story.place, message, _LOOK)


def is_told(text: str, made: Plan) -> bool:
    """Whether some story of the new plan has these words."""
    words = normal(text)
    told = ("\n".join((each.title, each.description, *each.criteria, each.notes)) for each in made.stories)
    return any(holds(normal(each), words) for each in told)


def is_new(story: PlannedStory, read: Plan | None) -> bool:
    """Whether rules read no story of this id."""
    return read is None or key(story.id) not in {key(each.id) for each in read.stories}


def _kept(story: PlannedStory, made: Plan) -> bool:
    """By its id, or where it was split by its title in the parts."""
    title = normal(story.title)
    return any(
        key(each.id) == key(story.id) or holds(normal(f"{each.title}\n{each.description}"), title)
        for each in made.stories
    )


def _place(text: str, sources: Iterable[Source], story: Place) -> Place:
    """The first line from the story on that begins this text; the story's where there is none."""
    wanted = normal(text)
    for source in sources:
        if source.file == story.file:
            for number, line in enumerate(source.lines[story.line - 1 :], start=story.line):
                words = normal(line)
                if words and (wanted.startswith(words) or holds(words, wanted)):
                    return Place(source.file, number)
    return story


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
