"""Items and paragraphs as lines of text, for whoever needs no more of them."""

from prd_ralph.planning.blocks import Blocks, Bullets, Item, Paragraph
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
    """As `texts_of`, but items in items are texts of their own; one that only leads to them (`API:`) is none."""
    found: list[tuple[str, int]] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            found.append((boxless(block.text), block.line))
        elif isinstance(block, Bullets):
            for item in block.items:
                below = flat_texts(item.blocks)
                leads = len(below) > 1 and below[0][0].endswith((":", "："))
                found += below[1:] if leads else below
    return found
