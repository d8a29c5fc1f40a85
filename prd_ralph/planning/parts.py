"""A story's blocks, cut at its labels (RULES: Labels): each part is a label with what stands under it."""

from dataclasses import dataclass, replace

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Fence, Heading, Item, Line, Paragraph
from prd_ralph.planning.commands import commands_in, of_fence
from prd_ralph.planning.dependencies import depends_of
from prd_ralph.planning.ids import Index
from prd_ralph.planning.inline import boxless, unwrapped
from prd_ralph.planning.labels import Label, heading_label, label_of
from prd_ralph.planning.priorities import is_only
from prd_ralph.planning.render import item_text
from prd_ralph.planning.words import Word

_CRITERIA = (Word.CRITERIA, Word.MORE)
_LEADS = (":", "：")


@dataclass(frozen=True, slots=True)
class Part:
    """`row`: what the part is, which for an unknown label may be that of the label that it continues. Without a label
    (`row` and `label` None) it is what stands before the first label (`intro`), or after a label that was closed.

    `value`: the text on the label's line and, but for priority and depends, the rest of its paragraph. `item`: the
    part is one item of a list.
    """

    label: Label | None = None
    row: Word | None = None
    value: str = ""
    blocks: Blocks = ()
    intro: bool = False
    item: Item | None = None

    @property
    def line(self) -> int:
        """The label's; 0 where there is none."""
        return self.label.line if self.label else 0


def parts_of(blocks: Blocks, index: Index) -> tuple[Part, ...]:
    """The parts in order; `index` tells whether an item's dependency can be read."""
    cutter = _Cutter(index)
    for block in blocks:
        cutter.block(block)
    return cutter.finished()


class _Cutter:
    """Goes through the blocks once and keeps the part that is open."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._done: list[Part] = []
        self._open = Part(intro=True)
        self._blocks: list[Block] = []  # of the open part
        self._items: list[Item] = []  # of the list that its last block is
        self._start: int | None = None
        self._level = 0  # of the heading that opened the criteria; 0: none did, or its section has ended

    def finished(self) -> tuple[Part, ...]:
        self._begin(Part())
        return tuple(self._done)

    def block(self, block: Block) -> None:
        if isinstance(block, Heading):
            self._heading(heading_label(block))
        elif isinstance(block, Paragraph):
            self._paragraph(block)
        elif isinstance(block, Bullets):
            self._end_list()
            for number, item in enumerate(block.items):
                self._item(item, None if block.start is None else block.start + number)
        else:
            self._add(block)

    def _add(self, block: Block) -> None:
        self._end_list()
        self._blocks.append(block)

    def _add_item(self, item: Item, number: int | None) -> None:
        """Items of one list that stay in one part stay one list."""
        self._start = self._start if self._items else number
        self._items.append(item)

    def _end_list(self) -> None:
        if self._items:
            self._blocks.append(Bullets(tuple(self._items), self._start))
            self._items = []

    def _begin(self, part: Part) -> None:
        self._end_list()
        self._done.append(replace(self._open, blocks=(*self._open.blocks, *self._blocks)))
        self._open, self._blocks = part, []

    def _aside(self, part: Part) -> None:
        """A part that leaves the open one open."""
        self._done.append(part)

    def _heading(self, label: Label) -> None:
        if label.level <= self._level:
            self._level = 0
        row = self._row(label)
        if row is Word.CRITERIA and not self._level:
            self._level = label.level
        self._begin(Part(label, row, label.value))

    def _row(self, label: Label) -> Word | None:
        """An unknown label below a heading of criteria continues them."""
        return Word.CRITERIA if label.row is None and self._level else label.row

    def _paragraph(self, paragraph: Paragraph) -> None:
        """Its lines, cut before each label; what follows a label on its own line goes to what the label opens."""
        lines = paragraph.lines
        labels = [(at, label) for at, line in enumerate(lines) if (label := label_of(line))]
        self._text(lines[: labels[0][0] if labels else len(lines)])
        ends = [*(at for at, _ in labels[1:]), len(lines)]
        for (at, label), end in zip(labels, ends, strict=False):
            rest = lines[at + 1 : end]
            apart = label.of_line or not label.value
            self._label(label, () if apart else rest)
            self._text(rest if apart else ())

    def _text(self, lines: tuple[Line, ...]) -> None:
        if lines:
            self._add(Paragraph(lines))

    def _label(self, label: Label, more: tuple[Line, ...]) -> None:
        value = " ".join([label.value, *(line.text for line in more)]).strip()
        part = Part(label, self._row(label), value)
        if part.row is Word.VERIFY and more:
            part = replace(part, value=label.value, blocks=(Paragraph(more),))
        if not value or part.row in _CRITERIA:
            self._begin(part)
        elif label.of_line:
            self._aside(part)
        elif part.row is Word.DESCRIPTION and self._open.intro:
            self._add(Paragraph((Line(label.value, label.line), *more)))
        elif part.row is Word.DESCRIPTION:
            self._begin(replace(part, value="", blocks=(Paragraph((Line(label.value, label.line), *more)),)))
            self._begin(Part())
        else:
            self._begin(part)
            if not (part.row is Word.VERIFY and value.endswith(_LEADS)):
                self._begin(Part())

    def _item(self, item: Item, number: int | None) -> None:
        label = self._item_label(item)
        if label is None:
            self._add_item(item, number)
            return
        head = item.head
        value = " ".join([label.value, *(line.text for line in head.lines[1:])]).strip() if head else ""
        part = Part(label, self._row(label), value, item.blocks[1:], item=item)
        if value or part.blocks:
            self._aside(part)
            if self._open.intro and not label.of_line and part.row is not Word.DESCRIPTION:
                self._begin(Part())
        else:
            self._begin(replace(part, item=None))

    def _item_label(self, item: Item) -> Label | None:
        """The label that an item begins with, where it counts as one (RULES: Labels, last sentence)."""
        head = item.head
        label = label_of(replace(head.lines[0], text=boxless(head.lines[0].text))) if head else None
        if label is None or head is None:
            return None
        value = " ".join([label.value, *(line.text for line in head.lines[1:])]).strip()
        match label.row:
            case Word.DEPENDS:
                counts = self._readable(value, item)
            case Word.PRIORITY:
                counts = label.bold or is_only(value)
            case Word.VERIFY:
                counts = self._open.row is not Word.VERIFY and _commanding(value, item)
            case None:
                counts = label.bold and self._open.row is None and self._open.label is None and label.colon
            case _:
                counts = True
        return label if counts else None

    def _readable(self, value: str, item: Item) -> bool:
        if value:
            return depends_of(value, self._index) is not None
        below = [inner for block in item.blocks[1:] if isinstance(block, Bullets) for inner in block.items]
        return not item.blocks[1:] or any(depends_of(item_text(inner), self._index) for inner in below)


def _commanding(value: str, item: Item) -> bool:
    """Whether commands follow a label in an item: on its line, or below it."""
    if value:
        return bool(commands_in(value))
    return any(_has_commands(block) for block in item.blocks[1:])


def _has_commands(block: Block) -> bool:
    if isinstance(block, Bullets):
        return any(commands_in(unwrapped(item_text(item))) for item in block.items)
    return isinstance(block, Fence) and of_fence(block) != ()
