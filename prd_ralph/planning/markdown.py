"""CommonMark and tables, by markdown-it-py (docs/decisions/0016): its tokens with their lines become our blocks."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from prd_ralph.planning.blocks import (
    Block,
    Blocks,
    Bullets,
    Fence,
    Heading,
    Item,
    Line,
    Opaque,
    Paragraph,
    Row,
    Sort,
    Table,
)
from prd_ralph.planning.inline import box, boxless, unwrapped, without_comments
from prd_ralph.planning.lazy import hoisted, mistaken
from prd_ralph.planning.problems import unreadable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEPTH_LIMIT = 60
_OPENING_COMMENT = "<!--"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text's blocks; `links` are the lines of link definitions, `opened` those of comments that never end."""

    blocks: Blocks
    links: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    dark: frozenset[int] = frozenset()


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    """Text is kept as written, so what stands in a line is not parsed."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": DEPTH_LIMIT + 2}).enable("table").disable("inline")


def parse(file: str, lines: tuple[str, ...], first: int = 1) -> Parsed:
    """The blocks of these lines; the first has the number `first`. Raises PlanError where they nest too deeply."""
    found: dict[str, dict[str, dict[str, list[int]]]] = {}
    tokens = _parser().parse("\n".join(lines), found)
    for token in tokens:
        if token.level >= DEPTH_LIMIT:
            line = first + (token.map[0] if token.map else 0)
            raise unreadable(file, f"lists or quotes nest deeper than {DEPTH_LIMIT // 2} levels", "nest less", line)
    builder = _Builder(tokens, lines, first)
    blocks = tuple(builder.blocks(0, len(tokens)))
    links = tuple(sorted(first + link["map"][0] for link in found.get("references", {}).values()))
    return Parsed(blocks, links, tuple(_open_comments(tokens, first)), frozenset(_dark(tokens, first)))


def _open_comments(tokens: "list[Token]", first: int) -> Iterator[int]:
    for token in tokens:
        if token.type == "html_block" and token.map and _OPENING_COMMENT in without_comments(token.content):
            yield first + token.map[0]


def _dark(tokens: "list[Token]", first: int) -> Iterator[int]:
    """The lines in which nothing is looked for: fences, code, quotes and HTML (RULES: Reading)."""
    for token in tokens:
        if token.type in ("fence", "code_block", "html_block", "blockquote_open") and token.map:
            yield from range(first + token.map[0], first + token.map[1])


class _Builder:
    """Tokens to blocks. It descends into lists only, which `parse` has bounded."""

    def __init__(self, tokens: "list[Token]", lines: tuple[str, ...], first: int) -> None:
        self._tokens = tokens
        self._lines = lines
        self._first = first

    def blocks(self, begin: int, end: int) -> Iterator[Block]:
        index = begin
        while index < end:
            close = self._close(index)
            token = self._tokens[index]
            if token.type.endswith("list_open"):
                yield from hoisted(self._bullets(index, close))
            else:
                yield from filter(None, [self._leaf(token, index, close)])
            index = close + 1

    def _close(self, index: int) -> int:
        """Where the block that begins at `index` ends."""
        token = self._tokens[index]
        if token.nesting == 0:
            return index
        index += 1
        while self._tokens[index].level != token.level:
            index += 1
        return index

    def _leaf(self, token: "Token", index: int, close: int) -> Block | None:
        line = self._line(token)
        match token.type:
            case "paragraph_open":
                return self._paragraph(self._tokens[index + 1])
            case "heading_open":
                return self._heading(token, self._tokens[index + 1])
            case "table_open":
                return self._table(token, index, close)
            case "fence":
                return _fence(token, line)
            case "blockquote_open":
                return Opaque(Sort.QUOTE, self._source(token), line)
            case "code_block":
                return Opaque(Sort.CODE, textwrap.dedent(token.content).strip("\n"), line)
            case "html_block":
                return self._html(token, line)
        return None

    def _line(self, token: "Token") -> int:
        return self._first + (token.map[0] if token.map else 0)

    def _paragraph(self, inline: "Token") -> Paragraph | None:
        """None where comments are all that it says."""
        number = self._line(inline)
        written = without_comments(inline.content).split("\n")
        texts = [text.strip().removesuffix("\\").rstrip() for text in written[:-1]] + [written[-1].strip()]
        lines = tuple(Line(text, number + i, self._indent(number + i)) for i, text in enumerate(texts) if text)
        return Paragraph(lines) if lines else None

    def _heading(self, token: "Token", inline: "Token") -> Block | None:
        if (paragraph := self._paragraph(inline)) is None:
            return None
        if token.markup == "-" and mistaken(paragraph):
            return paragraph
        mark, text = box(paragraph.text), boxless(paragraph.text)
        return Heading(int(token.tag[1:]), unwrapped(text), paragraph.line, mark)

    def _bullets(self, begin: int, end: int) -> Bullets:
        items, index = [], begin + 1
        while index < end:
            close, line = self._close(index), self._line(self._tokens[index])
            items.append(Item(tuple(self.blocks(index + 1, close)), line, self._indent(line)))
            index = close + 1
        token = self._tokens[begin]
        ordered = token.type == "ordered_list_open"
        return Bullets(tuple(items), int(token.attrs.get("start", 1)) if ordered else None)

    def _table(self, token: "Token", begin: int, end: int) -> Table:
        rows: list[Row] = []
        cells: list[str] = []
        for part in self._tokens[begin:end]:
            if part.type == "tr_open":
                cells = []
            elif part.type == "inline":
                cells.append(without_comments(part.content).strip())
            elif part.type == "tr_close":
                rows.append(Row(tuple(cells), 0))
        numbers = [self._line(part) for part in self._tokens[begin:end] if part.type == "tr_open"]
        header, *body = (Row(row.cells, number) for row, number in zip(rows, numbers, strict=True))
        return Table(header.cells, tuple(body), self._source(token), header.line)

    def _html(self, token: "Token", line: int) -> Opaque | None:
        text = without_comments(token.content)
        if text.lstrip().startswith(_OPENING_COMMENT) or not text.strip():
            return None
        return Opaque(Sort.HTML, textwrap.dedent(text).strip("\n"), line)

    def _source(self, token: "Token") -> str:
        """The lines of a block as written, dedented by the indentation of its first."""
        begin, end = token.map or (0, 0)
        first, *rest = (line.expandtabs(4) for line in self._lines[begin:end])
        text = first.lstrip()
        if token.type == "table_open":
            text = text[text.find("|") :] if text.startswith(("- ", "* ", "+ ")) else text
        indent = len(first) - len(text)
        return "\n".join([text, *(line[min(indent, len(line) - len(line.lstrip())) :] for line in rest)]).strip("\n")

    def _indent(self, number: int) -> int:
        line = self._lines[number - self._first].expandtabs(4)
        return len(line) - len(line.lstrip())


def _fence(token: "Token", line: int) -> Fence:
    language = token.info.split()[0].casefold() if token.info.strip() else ""
    return Fence(language, token.content, f"{token.markup}{token.info.rstrip()}\n{token.content}{token.markup}", line)
