"""Stories that are items or lines of a list (RULES: Checklists, "Items `As a …`")."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Fence, Item, Line, Opaque, Paragraph, Sort, first_lines
from prd_ralph.planning.body import Body
from prd_ralph.planning.document import Document
from prd_ralph.planning.draft import Draft
from prd_ralph.planning.ids import Named, named
from prd_ralph.planning.inline import bold_lead, box, boxless, masked, unwrapped
from prd_ralph.planning.items import is_boxed
from prd_ralph.planning.labels import label_of
from prd_ralph.planning.markdown import parse
from prd_ralph.planning.sentences import is_sentence, title_of

_DASH = re.compile(r"\s+[–—-]\s+")
_SEPARATOR = re.compile(r"\s*[:：–—-]?\s*")
_ENDING = " .:："
_BULLET = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")


@dataclass(frozen=True, slots=True)
class Found:
    """The stories of a stretch, and the first lines of what else is in it."""

    drafts: tuple[Draft, ...] = ()
    left: tuple[int, ...] = ()


def checklist(document: Document, blocks: Blocks, end: int) -> Found:
    """All items with a box, bare lines with a box, and items `As a …`; `end`: the line after the last of the blocks."""
    seeker = _Seeker(document, end)
    left: list[int] = []
    at = 0
    while at < len(blocks):
        block, at = blocks[at], at + 1
        if isinstance(block, Bullets):
            left += seeker.bullets(block, blocks[at].line if at < len(blocks) else end)
        elif isinstance(block, Paragraph) and _bare(block):
            at, lines = seeker.bare(block, blocks, at)
            left += lines
        else:
            left += first_lines((block,))
    return Found(tuple(seeker.drafts), tuple(left))


def _bare(paragraph: Paragraph) -> bool:
    return any(box(line.text) is not None for line in paragraph.lines)


class _Seeker:
    def __init__(self, document: Document, end: int) -> None:
        self._document = document
        self._end = end
        self.drafts: list[Draft] = []

    def bullets(self, bullets: Bullets, end: int) -> Iterator[int]:
        """Makes stories of a list's items; gives the first lines of those that are none."""
        for item, after in zip(bullets.items, [*bullets.items[1:], None], strict=True):
            stop = after.line if after else end
            if is_boxed(item) or is_as_a(item):
                self._item(item, stop)
                continue
            yield item.line
            for block in item.blocks:
                if isinstance(block, Bullets):
                    left = list(self.bullets(block, stop))
                    yield from left if len(left) < len(block.items) else ()  # else their parent stands for them

    def bare(self, paragraph: Paragraph, blocks: Blocks, at: int) -> tuple[int, list[int]]:
        """The bare lines of a paragraph; the last has the lists at `at`. Gives where to go on, and what is left."""
        begins = [i for i, line in enumerate(paragraph.lines) if box(line.text) is not None]
        left = [paragraph.line] if begins[0] else []
        below, after = self._below(blocks, at)
        stop = blocks[after].line if after < len(blocks) else self._end
        for begin, end in zip(begins, [*begins[1:], None], strict=True):
            lines = paragraph.lines[begin:end]
            last = end is None
            self._lines(lines, below if last else (), stop if end is None else paragraph.lines[end].number)
        return after, left

    def _below(self, blocks: Blocks, at: int) -> tuple[Blocks, int]:
        """The bullets below a bare line; indented by four after a blank line they are code to CommonMark."""
        found: list[Block] = []
        while at < len(blocks):
            block = blocks[at]
            if isinstance(block, Opaque) and block.sort is Sort.CODE and _BULLET.match(block.source):
                found += parse(self._document.file, tuple(block.source.split("\n")), block.line).blocks
            elif isinstance(block, Bullets | Fence):
                found.append(block)
            else:
                break
            at += 1
        return tuple(found), at

    def _lines(self, lines: tuple[Line, ...], below: Blocks, stop: int) -> None:
        """A line with a box, its continuation, and bullets so far indented that they continue it to CommonMark."""
        own = next((i for i, line in enumerate(lines) if i and _BULLET.match(line.text)), len(lines))
        blocks: Blocks = ()
        if own < len(lines):
            margin = min(line.indent for line in lines[own:])
            texts = tuple(" " * (line.indent - margin) + line.text for line in lines[own:])
            blocks = parse(self._document.file, texts, lines[own].number).blocks
        self._draft(lines[:own], blocks + below, lines[0].number, stop)

    def _item(self, item: Item, stop: int) -> None:
        head = item.head
        if head is not None:
            self._lines(head.lines, item.blocks[1:], stop)

    def _draft(self, lines: tuple[Line, ...], blocks: Blocks, line: int, stop: int) -> None:
        """A story from its lead, which ends where a label begins, and what is below it."""
        own = next((i for i, found in enumerate(lines) if i and label_of(found)), len(lines))
        if own < len(lines):
            blocks = (Paragraph(lines[own:]), *blocks)
        mark = box(lines[0].text)
        lead = lead_of(boxless(" ".join(found.text for found in lines[:own])))
        given = Body(lead.text) if lead.sentence else Body()
        text = "" if lead.sentence else lead.text
        source = self._document.lines[line - 1 : stop - 1]
        story_id, title = lead.named.id or None, lead.named.title
        draft = Draft(self._document.place(line), title, story_id, blocks, bullets=True, lead=text, given=given)
        self.drafts.append(replace(draft, skip=mark == "-", source=source))


def is_as_a(item: Item) -> bool:
    """Whether an item is a sentence `As a …`."""
    return item.head is not None and is_sentence(unwrapped(item.head.text))


@dataclass(frozen=True, slots=True)
class Lead:
    """How a story of a checklist begins. `sentence`: the text is a description, never a criterion."""

    named: Named
    text: str = ""
    sentence: bool = False


def lead_of(text: str) -> Lead:
    """`**Lead** — text`, `ID: Title – text`, `Title` or a sentence `As a …`."""
    plain = unwrapped(text)
    if is_sentence(plain):
        return Lead(Named("", title_of(plain)), plain, sentence=True)
    if bold := _bold(text):
        return bold
    found = named(plain)
    if found is None:
        return Lead(Named("", plain))
    if is_sentence(found.title):
        return Lead(Named(found.id, title_of(found.title)), found.title, sentence=True)
    dash = _DASH.search(masked(found.title))
    if not dash:
        return Lead(found)
    return Lead(Named(found.id, found.title[: dash.start()].strip()), found.title[dash.end() :].strip())


def _bold(text: str) -> Lead | None:
    """A bold lead that has a title, parted from the text by a dash or a colon; a bold id alone is none."""
    bold = bold_lead(text) if text.startswith("**") else None
    if bold is None:
        return None
    inner, rest = unwrapped(bold[0]).strip(), bold[1]
    found = named(inner.rstrip(_ENDING)) or Named("", inner.rstrip(":： "))
    parted = _SEPARATOR.match(rest)
    separator = parted[0].strip() if parted else ""
    if not found.title or not (separator or not rest.strip() or inner.endswith((":", "：", "."))):
        return None
    return Lead(found, rest[parted.end() :].strip() if parted else "")
