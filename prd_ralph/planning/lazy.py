"""Two places where CommonMark reads what people wrote as labels otherwise than they meant it.

A line right below an item, not indented, continues the item's paragraph; and a rule right below a line makes a heading
of it. Where such a line is a label (or a bare box) it is taken for what it says: docs/decisions/0021.
"""

from collections.abc import Iterator
from dataclasses import replace

from prd_ralph.planning.blocks import Block, Bullets, Item, Paragraph
from prd_ralph.planning.inline import box, unwrapped
from prd_ralph.planning.labels import label_of
from prd_ralph.planning.sentences import is_sentence


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
        if outer is not None:
            yield Bullets(tuple(kept), start)
            yield outer
            start = None if start is None else start + len(kept)
            kept = []
    if kept:
        yield Bullets(tuple(kept), start)


def _split(item: Item) -> tuple[Item, Paragraph | None]:
    """The item, and the end of its last paragraph where that is not its own. (In lists within it, it has been done.)"""
    *before, last = item.blocks or (None,)
    if not isinstance(last, Paragraph):
        return item, None
    for index, line in enumerate(last.lines):
        lazy = (index or before) and line.indent <= item.indent
        if lazy and (label_of(line) or box(line.text) is not None):
            own = (Paragraph(last.lines[:index]),) if index else ()
            return replace(item, blocks=(*item.blocks[:-1], *own)), Paragraph(last.lines[index:])
    return item, None
