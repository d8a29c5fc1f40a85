"""What a markdown document is made of, as far as stories need it. Rules (`---`) and HTML comments are not in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?/?>")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a paragraph, without outer blanks and comments; `indent` is its own in the file, in columns."""

    text: str
    number: int
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` from 1; `text` on one line, bold unwrapped; `mark` of the task that it is, if any (`inline.box`)."""

    level: int
    text: str
    line: int
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """At least one line."""

    lines: tuple[Line, ...]

    @property
    def line(self) -> int:
        return self.lines[0].number

    @property
    def text(self) -> str:
        """As written, its lines joined by one space."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list. `indent` is the column of its marker."""

    blocks: tuple["Block", ...]
    line: int
    indent: int = 0

    @property
    def head(self) -> Paragraph | None:
        """The paragraph that it begins with."""
        first = self.blocks[0] if self.blocks else None
        return first if isinstance(first, Paragraph) else None


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list. `start` is its first number, None where it has none."""

    items: tuple[Item, ...]
    start: int | None = None

    @property
    def line(self) -> int:
        return self.items[0].line


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Fence:
    """`language`: the first word after the opening marks, in small letters."""

    language: str
    content: str
    source: str
    line: int


class Sort(StrEnum):
    """What an opaque block is."""

    QUOTE = "quote"
    CODE = "code"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block in which nothing is looked for; `source` is dedented."""

    sort: Sort
    source: str
    line: int


Block: TypeAlias = Heading | Paragraph | Bullets | Table | Fence | Opaque
Blocks: TypeAlias = tuple[Block, ...]


def first_lines(blocks: Blocks) -> Iterator[int]:
    """Where each paragraph, item, table or fence begins: the lines that are unplaced when it is (RULES: Stories).

    Anchors and other tags without a text say nothing that could be lost.
    """
    for block in blocks:
        if isinstance(block, Bullets):
            yield from (item.line for item in block.items)
        elif not isinstance(block, Heading) and not _is_tag(block):
            yield block.line


def _is_tag(block: Block) -> bool:
    text = block.text if isinstance(block, Paragraph) else block.source if isinstance(block, Opaque) else "text"
    return text.startswith("<") and not _TAG.sub("", text).strip()


def fences(blocks: Blocks) -> Iterator[Fence]:
    """All fences, those in items too."""
    for block in blocks:
        if isinstance(block, Fence):
            yield block
        elif isinstance(block, Bullets):
            for item in block.items:
                yield from fences(item.blocks)


def items_within(blocks: Blocks) -> Iterator[Item]:
    """All items, those in items too."""
    for block in blocks:
        if isinstance(block, Bullets):
            for item in block.items:
                yield item
                yield from items_within(item.blocks)
