"""Items and paragraphs as lines of text, for whoever needs no more of them."""

from prd_ralph.planning.blocks import Blocks, Bullets, Item, Paragraph
from prd_ralph.planning.commands import commands_in
from prd_ralph.planning.inline import box, boxless
from prd_ralph.planning.render import item_text


def is_boxed(item: Item) -> bool:
    """Whether an item is a task."""
    return item.head is not None and box(item.head.lines[0].text) is not None


def items_of(blocks: Blocks) -> list[Item]:
    """The items of the lists, not those within items."""
    return [item for block in blocks if isinstance(block, Bullets) for item in block.items]


def texts_of(blocks: Blocks) -> list[tuple[str, int]]:
    """Paragraphs and items as one line of text each, with the lines where they begin."""
    found: list[tuple[str, int]] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            found.append((block.text, block.line))
        elif isinstance(block, Bullets):
            found += ((item_text(item), item.line) for item in block.items)
    return found


def flat_texts(blocks: Blocks) -> list[tuple[str, int]]:
    """As `texts_of`, but as commands are written: items in items are texts of their own, but for one that only leads to
    them (`API:`), and so are the lines of a paragraph if one of them is a command."""
    found: list[tuple[str, int]] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            found += _command_lines(block)
        elif isinstance(block, Bullets):
            for item in block.items:
                below = flat_texts(item.blocks)
                leads = len(below) > 1 and below[0][0].endswith((":", "："))
                found += below[1:] if leads else below
    return found


def _command_lines(paragraph: Paragraph) -> list[tuple[str, int]]:
    whole = boxless(paragraph.text)
    lines = [(line.text, line.number) for line in paragraph.lines]
    apart = not commands_in(whole) and any(commands_in(text) for text, _ in lines)
    return lines if apart else [(whole, paragraph.line)]
