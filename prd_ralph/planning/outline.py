"""Where the stories and the gates of a document are (RULES: Stories, Commands): its headings, cut into stretches."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Heading, Paragraph
from prd_ralph.planning.document import Document
from prd_ralph.planning.ids import Named, key, named
from prd_ralph.planning.labels import label_of
from prd_ralph.planning.words import Word, known, means

_HIGHEST_STORY = 2


class Area(StrEnum):
    """What the innermost section that counts is. `WHOLE`: a document that is one checklist, without sections."""

    STORIES = "stories"
    GATES = "gates"
    OTHER = "other"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A heading (None: before the first) and what follows it up to the next; of a `story`, up to that story's end.

    `story`: the heading is one, with this id (`""` where it has none) and title. `end`: the line after its last.
    """

    heading: Heading | None
    blocks: Blocks
    area: Area
    end: int
    story: Named | None = None


def outline(document: Document, row_ids: frozenset[tuple[str, ...]] = frozenset()) -> tuple[Stretch, ...]:
    """The document from its beginning to its end. Headings with one of `row_ids` are stories wherever they are."""
    return tuple(_Outliner(document, row_ids).stretches())


def stories_sections(headings: tuple[Heading, ...]) -> tuple[Heading, ...]:
    """The headings that begin a stories section. Within a story with no story below it, such a word is a label."""
    found: list[Heading] = []
    story: Heading | None = None
    section: Heading | None = None
    for at, heading in enumerate(headings):
        story = story if story and heading.level > story.level else None
        section = section if section and heading.level > section.level else None
        if means(heading.text, Word.STORIES):
            if story is None or (section is None and _has_story_below(headings, at)):
                found.append(heading)
                section = section or heading
                story = None
        elif is_story(heading):
            story = story or heading
    return tuple(found)


def is_story(heading: Heading) -> bool:
    """Whether a heading starts with an id, on a level on which stories can be."""
    return heading.level >= _HIGHEST_STORY and named(heading.text) is not None


def _has_story_below(headings: tuple[Heading, ...], at: int) -> bool:
    for heading in headings[at + 1 :]:
        if heading.level <= headings[at].level:
            return False
        if is_story(heading):
            return True
    return False


class _Outliner:
    def __init__(self, document: Document, row_ids: frozenset[tuple[str, ...]]) -> None:
        self._blocks = document.blocks
        self._end = len(document.lines) + 1
        self._row_ids = row_ids
        sections = stories_sections(document.headings)
        self._sections = {heading.line for heading in sections}
        self._inside = frozenset(_below(document.headings, self._sections))
        self._whole = all(heading.level == 1 for heading in document.headings) and len(document.headings) <= 1
        self._open: list[tuple[int, Area]] = []

    def stretches(self) -> Iterator[Stretch]:
        at = 0
        while at < len(self._blocks) or at == 0:
            heading = self._blocks[at] if at < len(self._blocks) else None
            if not isinstance(heading, Heading):
                heading, begin = None, at
            else:
                begin = at + 1
                self._enter(heading)
            story = self._story(heading, begin) if heading else None
            end = self._story_end(heading, begin) if heading and story else self._next(begin)
            blocks = self._blocks[begin:end]
            yield Stretch(heading, blocks, self._area, self._line(end), story)
            at = max(end, at + 1)

    @property
    def _area(self) -> Area:
        if self._open:
            return self._open[-1][1]
        return Area.WHOLE if self._whole else Area.OTHER

    def _enter(self, heading: Heading) -> None:
        self._open = [(level, area) for level, area in self._open if level < heading.level]
        if heading.line in self._sections:
            self._open.append((heading.level, Area.STORIES))
        elif means(heading.text, Word.GATES):
            self._open.append((heading.level, Area.GATES))

    def _next(self, begin: int) -> int:
        """The next heading."""
        return next(
            (at for at in range(begin, len(self._blocks)) if isinstance(self._blocks[at], Heading)), len(self._blocks)
        )

    def _story_end(self, story: Heading, begin: int) -> int:
        for at in range(begin, len(self._blocks)):
            block = self._blocks[at]
            if isinstance(block, Heading) and (block.level <= story.level or self._with_id(block)):
                return at
        return len(self._blocks)

    def _line(self, at: int) -> int:
        return self._blocks[at].line if at < len(self._blocks) else self._end

    def _story(self, heading: Heading, begin: int) -> Named | None:
        if self._with_id(heading):
            return named(heading.text)
        inside = self._area is Area.STORIES and heading.line not in self._sections and not known(heading.text)
        return Named("", heading.text) if inside and self._has_own_criteria(heading, begin) else None

    def _with_id(self, heading: Heading) -> bool:
        """Whether it is a story by its id: in a stories section, or anywhere if there is none, or that of a row."""
        if not is_story(heading):
            return False
        found = named(heading.text)
        of_row = found is not None and key(found.id) in self._row_ids
        return of_row or not self._sections or heading.line in self._inside

    def _has_own_criteria(self, heading: Heading, begin: int) -> bool:
        """Whether a label of criteria stands under this heading, and not under one further down."""
        deeper = 0  # the level of another heading, which has what is below it
        for block in self._blocks[begin : self._story_end(heading, begin)]:
            if isinstance(block, Heading):
                deeper = 0 if block.level <= deeper else deeper
                if not deeper and means(block.text, Word.CRITERIA):
                    return True
                deeper = deeper or (0 if known(block.text) else block.level)
            elif not deeper and has_criteria_label(block):
                return True
        return False


def _below(headings: tuple[Heading, ...], sections: set[int]) -> Iterator[int]:
    """The lines of headings in a stories section; it ends at the next heading of its own level or higher."""
    level = 0
    for heading in headings:
        level = 0 if heading.level <= level else level
        if level:
            yield heading.line
        elif heading.line in sections:
            level = heading.level


def has_criteria_label(block: Block) -> bool:
    """Whether one of the lines, or items, of a block is a label of criteria."""
    lines = block.lines if isinstance(block, Paragraph) else ()
    if isinstance(block, Bullets):
        lines = tuple(item.head.lines[0] for item in block.items if item.head)
    labels = map(label_of, lines)
    return any(label is not None and label.row is Word.CRITERIA for label in labels)
