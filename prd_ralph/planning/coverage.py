"""What an agent's plan lost of the PRD, and what it holds that the PRD does not: by comparing texts, not meanings.

A criterion is accounted for where its words stand in one of the new plan's; so it may be sharpened by adding to it, and
moved when a story is split, but not reworded in silence.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prd_ralph.excerpt import in_one_line
from prd_ralph.planning.commands import JsonCommand
from prd_ralph.planning.ids import key
from prd_ralph.planning.reading import lines_of
from prd_ralph.planning.stamps import canonical
from prd_ralph.planning.values import Concern, Notice, Place, Plan, PlannedStory

_SHOWN = 100

_MARKS = re.compile(r"[`*]|^\s*(?:[-+>]|\d+[.)])\s+(?:\[[ xX-]\]\s+)?|^\s*#+\s+", re.MULTILINE)
_QUOTES = str.maketrans("‘’“”", "''\"\"")


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
    own = [set(map(same, story.commands)) for story in made.stories]
    everywhere = set(map(same, made.commands)) | set.intersection(*own)
    somewhere = everywhere.union(*own)
    top = Place(sources[0].file, 1)
    for command in read.commands:
        if same(command) not in everywhere:
            yield _lost(f"the command of all stories `{command}` is lost", _place(command, sources, top))
    for story in read.stories:
        if not _kept(story, made):
            yield _lost(f"the story {story.id} is lost: {story.title}", story.place)
        for criterion in story.criteria:
            if not any(holds(each, normal(criterion)) for each in criteria):
                place = _place(criterion, sources, story.place)
                yield _lost(f"a criterion of {story.id} is lost: {in_one_line(criterion, _SHOWN)}", place)
        for command in story.commands:
            if same(command) not in somewhere:
                yield _lost(f"a command of {story.id} is lost: `{command}`", _place(command, sources, story.place))


def added(read: Plan, made: Plan, sources: Sequence[Source], agent: str) -> Iterator[Notice]:
    """Stories that rules did not read, and criteria and commands whose words the PRD does not have."""
    raw = "\n".join(source.text for source in sources)
    told = normal(raw)
    commands = (*read.commands, *(command for story in read.stories for command in story.commands))
    known = set(map(same, commands))

    def foreign(commands: Iterable[str]) -> Iterator[str]:
        return (command for command in commands if same(command) not in known and not _is_code(command, raw))

    for command in foreign(made.commands):
        yield _added(f"{agent} added a command for all stories: `{command}`", Place(sources[0].file, 1))
    for story in made.stories:
        new = [each for each in story.criteria if not holds(told, normal(each))]
        if is_new(story, read):
            count = f"{len(new)} of {len(story.criteria)} criteria its own"
            yield _added(f"{agent} added {story.id}: {story.title} ({count})", story.place)
        else:
            for each in new:
                yield _added(f"{agent} added a criterion to {story.id}: {in_one_line(each, _SHOWN)}", story.place)
        for command in foreign(story.commands):
            yield _added(f"{agent} added a command to {story.id}: `{command}`", story.place)


def same(command: str) -> str:
    """Equal for commands that are the same, however their JSON is written."""
    if not isinstance(command, JsonCommand):
        return command
    value = json.loads(command)
    alone = isinstance(value, dict) and value.keys() == {"run"}
    return str(value["run"]) if alone else canonical(value)


def is_told(text: str, made: Plan) -> bool:
    """Whether some story of the new plan has these words."""
    words = normal(text)
    told = ("\n".join((each.title, each.description, *each.criteria, each.notes)) for each in made.stories)
    return any(holds(normal(each), words) for each in told)


def is_new(story: PlannedStory, read: Plan) -> bool:
    """Whether rules read no story of this id."""
    return key(story.id) not in {key(each.id) for each in read.stories}


def _kept(story: PlannedStory, made: Plan) -> bool:
    """By its id, or where it was split by its title in the parts."""
    title = normal(story.title)
    return any(
        key(each.id) == key(story.id) or holds(normal(f"{each.title}\n{each.description}"), title)
        for each in made.stories
    )


def _is_code(command: str, text: str) -> bool:
    """Whether it stands in the text as code, or alone on a line: a word of prose (`true`) is no command of its."""
    written = re.escape(command)
    return re.search(rf"`\s?{written}\s?`|^\s*(?:\$ )?{written}\s*$", text, re.MULTILINE) is not None


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


def _lost(message: str, place: Place) -> Notice:
    return Notice(Concern.LOST, place, message, "keep its words in the story that it belongs to, or add it by hand")


def _added(message: str, place: Place) -> Notice:
    return Notice(Concern.ADDED, place, message, "see whether it is wanted: the PRD does not say so")
