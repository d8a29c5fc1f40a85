"""Reads a story's blocks (RULES: Stories to Commands): each part by its row; what no row takes is unplaced."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from prd_ralph.planning.blocks import Block, Blocks, Bullets, Fence, Item, Paragraph, fences, first_lines
from prd_ralph.planning.body import Body
from prd_ralph.planning.commands import commands_in, of_fence, once
from prd_ralph.planning.ids import Index
from prd_ralph.planning.inline import unwrapped
from prd_ralph.planning.items import flat_texts, is_boxed, items_of, texts_of
from prd_ralph.planning.labels import Label
from prd_ralph.planning.parts import Part, parts_of
from prd_ralph.planning.priorities import priority_of
from prd_ralph.planning.render import description, is_verify, item_text
from prd_ralph.planning.words import Word

Said = tuple[int, str]


def body_of(blocks: Blocks, index: Index, *, bullets: bool = False) -> Body:
    """Reads a story's blocks. `bullets`: it is one of a checklist, bullets under no label are its criteria."""
    parts = parts_of(blocks, index)
    reader = _Reader(index, parts, bullets=bullets)
    for part in parts:
        reader.part(part)
    return reader.finished()


@dataclass
class _Reader:
    """What has been read so far; each with its line, for parts that are items come before the part that they are in."""

    index: Index
    parts: tuple[Part, ...]
    bullets: bool
    said: list[Said] = field(default_factory=list)
    criteria: list[Said] = field(default_factory=list)
    notes: list[Said] = field(default_factory=list)
    commands: list[Said] = field(default_factory=list)
    areas: list[str] = field(default_factory=list)
    depends_on: list[str] = field(default_factory=list)
    unknown: list[tuple[int, str]] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)
    priority: int | None = None

    def __post_init__(self) -> None:
        self.labelled = any(part.row is Word.CRITERIA for part in self.parts)
        free = [item for part in self.parts for item in _free_items(part)]
        boxed = [item for item in free if is_boxed(item)]
        loose = [item for part in self.parts if part.label is None for item in items_of(part.blocks)]
        spoken = [part.item for part in self.parts if part.item and part.label and part.row is None]
        chosen = [] if self.labelled else boxed or loose or spoken or free
        self.chosen = frozenset(item.line for item in chosen)

    def finished(self) -> Body:
        return Body(
            "\n\n".join(_in_order(self.said)),
            _in_order(self.criteria),
            self.priority,
            once(self.depends_on),
            once(_in_order(self.commands)),
            _in_order(self.notes),
            tuple(self.areas),
            tuple(self.unknown),
            tuple(sorted(self.unplaced)),
        )

    def part(self, part: Part) -> None:
        for fence in filter(is_verify, fences(part.blocks)):
            self._command(of_fence(fence), fence.line)
        match part.row:
            case Word.CRITERIA | Word.MORE:
                self._criteria(part)
            case Word.DESCRIPTION:
                self.said.append((part.line, unwrapped(part.value)))
                self._say(part.blocks)
            case Word.DEPENDS:
                self._depends(part)
            case Word.PRIORITY:
                self._priority(part)
            case Word.VERIFY:
                self._verify(part)
            case Word.NOTES:
                self._notes(part, "")
            case _ if part.label is not None:
                self._unknown(part, part.label)
            case _:
                self._free(part)

    def _command(self, commands: Iterable[str], line: int) -> None:
        self.commands += ((line, command) for command in commands)

    def _criteria(self, part: Part) -> None:
        self.criteria.append((part.line, part.value))
        listed = bool(items_of(part.blocks))
        for block in part.blocks:
            if isinstance(block, Bullets):
                self.criteria += ((item.line, item_text(item)) for item in block.items)
            elif isinstance(block, Paragraph) and not listed:
                self.criteria.append((block.line, block.text))
            else:
                self._lose((block,))

    def _say(self, blocks: Blocks) -> None:
        """Description, but for the items that are the criteria of a story without a label for them."""
        self._take(blocks)
        kept = [block for block in blocks if not self._given(block)]
        if kept:
            self.said.append((kept[0].line, description(kept)))

    def _take(self, blocks: Blocks) -> None:
        """The chosen items are criteria; among them the others are notes."""
        for item in items_of(tuple(filter(self._given, blocks))):
            chosen = self.bullets or item.line in self.chosen
            (self.criteria if chosen else self.notes).append((item.line, item_text(item)))

    def _given(self, block: Block) -> bool:
        """Whether a block is a list under no label that is criteria (and notes), not text."""
        return isinstance(block, Bullets) and (self.bullets or (not self.labelled and bool(self.chosen)))

    def _free(self, part: Part) -> None:
        """Under no label: description before the first label, else criteria where no label has them, else unplaced."""
        if part.intro:
            self._say(part.blocks)
            return
        self._take(part.blocks)
        self._lose(tuple(block for block in part.blocks if not self._given(block)))

    def _depends(self, part: Part) -> None:
        for value, line in _values(part):
            found = Body.depending(value, line, self.index)
            self.depends_on += found.depends_on
            self.unknown += found.unknown
            self.unplaced += found.unplaced
        self._lose_opaque(part.blocks)

    def _priority(self, part: Part) -> None:
        for value, line in _values(part):
            number = priority_of(value)
            self.priority = self.priority if number is None else number
            self.unplaced += [line] if number is None else []
        self._lose_opaque(part.blocks)

    def _verify(self, part: Part) -> None:
        prose = []
        for text, line in [(part.value, part.line), *flat_texts(part.blocks)]:
            found = commands_in(text)
            self._command(found, line)
            if text and not found:
                prose.append(text)
        for fence in fences(part.blocks):
            if not is_verify(fence):
                found = of_fence(fence)
                self._command(found, fence.line)
                self.unplaced += [] if found else [fence.line]
        self._note(part, prose, f"{part.label.name}: " if part.label else "")
        self._lose_opaque(tuple(block for block in part.blocks if not isinstance(block, Fence)))

    def _unknown(self, part: Part, label: Label) -> None:
        if not self.bullets and part.item is not None and part.item.line in self.chosen:
            self.criteria.append((part.line, item_text(part.item)))
            return
        if label.of_area:
            self.areas += [part.value, *(text for text, _ in texts_of(part.blocks))]
        if not label.colon and not label.level and not part.blocks:
            self.unplaced.append(label.line)
        self._notes(part, f"{label.name}: ")

    def _notes(self, part: Part, label: str) -> None:
        """One line: the label where it is unknown, and the texts under it. Items that are criteria are none of it."""
        taken = [item for item in items_of(part.blocks) if item.line in self.chosen]
        self.criteria += ((item.line, item_text(item)) for item in taken)
        lines = {item.line for item in taken}
        texts = [part.value, *(text for text, line in texts_of(part.blocks) if line not in lines)]
        self._note(part, texts, label)
        self._lose_opaque(part.blocks)

    def _note(self, part: Part, texts: Iterable[str], label: str) -> None:
        said = "; ".join(filter(None, texts))
        if said:
            self.notes.append((part.line, label + said))

    def _lose(self, blocks: Blocks) -> None:
        self.unplaced += first_lines(tuple(block for block in blocks if not is_verify(block)))

    def _lose_opaque(self, blocks: Blocks) -> None:
        """Fences, tables and the like, where only texts can be taken."""
        self._lose(tuple(block for block in blocks if not isinstance(block, Bullets | Paragraph)))


def _in_order(said: Iterable[Said]) -> tuple[str, ...]:
    return tuple(text for _, text in sorted(said, key=lambda pair: pair[0]) if text)


def _values(part: Part) -> list[tuple[str, int]]:
    """What stands on the label's line, and the texts below it."""
    return [(text, line) for text, line in ((part.value, part.line), *texts_of(part.blocks)) if text]


def _free_items(part: Part) -> list[Item]:
    """Items that are criteria when no label has any: those under no label, under an unknown one, or a description."""
    return items_of(part.blocks) if part.row in (None, Word.DESCRIPTION) and part.item is None else []
