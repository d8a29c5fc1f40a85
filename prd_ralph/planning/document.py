"""One markdown file, read: its front matter and the blocks of that part of it that is the PRD (RULES: Reading)."""

from dataclasses import dataclass, field
from functools import cached_property

from prd_ralph.planning.blocks import Blocks, Heading
from prd_ralph.planning.frontmatter import FrontMatter, front_matter
from prd_ralph.planning.markdown import Parsed, parse
from prd_ralph.planning.reading import lines_of
from prd_ralph.planning.values import Place

_BEGIN, _END = "[PRD]", "[/PRD]"


@dataclass(frozen=True)
class Document:
    """`lines` are all of the file's; those of `blocks` have the same numbers."""

    file: str
    lines: tuple[str, ...]
    front: FrontMatter
    parsed: Parsed = field(repr=False)

    @property
    def blocks(self) -> Blocks:
        return self.parsed.blocks

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Heading))

    def place(self, line: int) -> Place:
        return Place(self.file, line)


def read(file: str, data: bytes) -> Document:
    """Reads a file. Raises PlanError for what is no text, has broken front matter, or nests too deeply."""
    lines = lines_of(file, data)
    front = front_matter(file, lines)
    visible = _blanked(lines, front.end, len(lines))
    parsed = parse(file, visible)
    begin = next((number for number in _marks(visible, parsed, _BEGIN)), None)
    if begin is not None:
        end = next((number for number in _marks(visible, parsed, _END) if number > begin), len(lines) + 1)
        visible = _blanked(visible, begin, end - 1)
        if not front.end:
            front = front_matter(file, visible)
            visible = _blanked(visible, front.end, len(lines))
        parsed = parse(file, visible)
    return Document(file, lines, front, parsed)


def _marks(lines: tuple[str, ...], parsed: Parsed, mark: str) -> list[int]:
    """The lines that are this mark, outside fences, code, quotes and HTML."""
    numbered = enumerate(lines, start=1)
    return [number for number, line in numbered if line.strip() == mark and number not in parsed.dark]


def _blanked(lines: tuple[str, ...], begin: int, end: int) -> tuple[str, ...]:
    """As many lines, but nothing before the line after `begin`, nor after `end`: so numbers stay."""
    return ("",) * begin + lines[begin:end] + ("",) * (len(lines) - end)
