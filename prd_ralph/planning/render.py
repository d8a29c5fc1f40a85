"""Blocks back to text: one line for an item with all that is in it, paragraphs for a description (RULES: description,
acceptanceCriteria)."""

from collections.abc import Iterable, Iterator

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Fence, Heading, Item, Paragraph
from prd_ralph.planning.inline import boxless, unwrapped
from prd_ralph.planning.sentences import joined, starts

_VERIFY = "verify"


def item_text(item: Item) -> str:
    """`parent: child; child` on one line; fences, tables and quotes follow on lines of their own. Bold is kept."""
    extras: list[str] = []
    line = _folded(item.blocks, "; ", extras)
    return "\n".join(part for part in (line, *extras) if part)


def _folded(blocks: Blocks, separator: str, extras: list[str]) -> str:
    """The text of one level; what cannot be on the line goes to `extras`."""
    head: list[str] = []
    children: list[str] = []
    for block in blocks:
        if isinstance(block, Bullets):
            children += (_folded(item.blocks, ", ", extras) for item in block.items)
        elif isinstance(block, Paragraph):
            (children or head).append(block.text if head or children else boxless(block.text))
        elif isinstance(block, Heading):
            (children or head).append(block.text)
        elif not is_verify(block):
            extras.append(block.source.rstrip("\n"))
    parent = " ".join(head)
    below = separator.join(filter(None, children))
    if not below:
        return parent
    return f"{parent[:-1] if parent[-1:] in ':.,;' else parent}: {below}" if parent else below


def is_verify(block: Block) -> bool:
    """A fence of commands, wherever it stands (RULES: Commands): it is no text."""
    return isinstance(block, Fence) and block.language == _VERIFY


def description(blocks: Iterable[Block]) -> str:
    """Blocks as text, bold unwrapped, separated by a blank line. `As a`, `I want`, `So that` become one sentence,
    whether they are lines of one paragraph or three paragraphs."""
    return "\n\n".join(filter(None, _texts(blocks)))


def _texts(blocks: Iterable[Block]) -> Iterator[str]:
    sentence: list[str] = []
    for block in blocks:
        line = unwrapped(block.text) if isinstance(block, Paragraph) and len(block.lines) == 1 else ""
        if not starts(line, len(sentence)):
            yield joined(sentence)
            sentence = []
        if starts(line, len(sentence)):
            sentence.append(line)
        else:
            yield block_text(block)
    yield joined(sentence)


def block_text(block: Block) -> str:
    """One block as it stands in a description; a fence of commands is none of it."""
    if isinstance(block, Paragraph):
        return joined(unwrapped("\n".join(line.text for line in block.lines)).split("\n"))
    if isinstance(block, Bullets):
        return "\n".join(_bullet(block, index) for index in range(len(block.items)))
    if isinstance(block, Heading):
        return block.text
    return "" if is_verify(block) else block.source.rstrip("\n")


def _bullet(bullets: Bullets, index: int) -> str:
    mark = "-" if bullets.start is None else f"{bullets.start + index}."
    return f"{mark} {unwrapped(item_text(bullets.items[index]))}"
