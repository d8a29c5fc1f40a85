"""Two places where CommonMark reads what people wrote as labels otherwise than they meant it.

A line right below an item, not indented, continues the item's paragraph; and a rule right below a line makes a heading
of it. Where such a line is a label, a bare box or leads to gates it is taken for that: docs/decisions/0021.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Item, Line, Paragraph
from prd_ralph.planning.inline import box, unwrapped
from prd_ralph.planning.labels import label_of
from prd_ralph.planning.sentences import is_sentence

_LONGEST = 200  # characters: what leads to a list is short
_LEAD = re.compile(r"[*_]{0,2}for\s.+\sstories\b[^:：]*[:：][*_]{0,2}", re.IGNORECASE)  # gates: `For UI stories:`


def mistaken(paragraph: Paragraph) -> bool:
    """Whether what a rule below has made a heading is a label with its value, or a sentence `As a …`."""
    if is_sentence(unwrapped(paragraph.text)):
        return True
    label = label_of(paragraph.lines[0])
    return label is not None and bool(label.value or len(paragraph.lines) > 1)


def hoisted(bullets: Bullets) -> Iterator[Block]:
    """The list, and out of it what only lazily continues an item: labels and bare boxes, between their neighbours."""
    kept: list[Item] = []
    start = bullets.start
    for item in bullets.items:
        inner, outer = _split(item)
        kept.append(inner)
        if outer:
            yield Bullets(tuple(kept), start)
            yield from outer
            start = None if start is None else start + len(kept)
            kept = []
    if kept:
        yield Bullets(tuple(kept), start)


def _split(item: Item) -> tuple[Item, Blocks]:
    """The item, and what is not its own: from the first such line on. (In lists within it, it has been done.)"""
    for at, block in enumerate(item.blocks):
        for index, line in enumerate(block.lines if isinstance(block, Paragraph) else ()):
            if (index or at) and line.indent <= item.indent and _is_own(line):
                lines = block.lines if isinstance(block, Paragraph) else ()
                own = (Paragraph(lines[:index]),) if index else ()
                inner = replace(item, blocks=(*item.blocks[:at], *own))
                return inner, (Paragraph(lines[index:]), *item.blocks[at + 1 :])
    return item, ()


def _is_own(line: Line) -> bool:
    """Whether a line says something of its own wherever it stands."""
    return label_of(line) is not None or box(line.text) is not None or bool(_LEAD.fullmatch(line.text[:_LONGEST]))
