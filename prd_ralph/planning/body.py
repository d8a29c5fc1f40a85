"""What a story's blocks say (RULES: Stories to Commands): each part is read by its row; the rest is unplaced."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from prd_ralph.planning.blocks import Blocks, Bullets, Fence, Item, Opaque, Paragraph, Sort, fences, first_lines
from prd_ralph.planning.commands import commands_in, of_fence, once
from prd_ralph.planning.dependencies import depends_of
from prd_ralph.planning.ids import Index
from prd_ralph.planning.inline import box, boxless, unwrapped
from prd_ralph.planning.parts import Part, parts_of
from prd_ralph.planning.priorities import priority_of
from prd_ralph.planning.render import description, is_verify, item_text
from prd_ralph.planning.words import Word


@dataclass(frozen=True, slots=True)
class Body:
    """`unknown`: lines with a dependency that no story has, and what they name. `areas` are for conditional gates."""

    description: str = ""
    criteria: tuple[str, ...] = ()
    priority: int | None = None
    depends_on: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    unknown: tuple[tuple[int, str], ...] = ()
    unplaced: tuple[int, ...] = ()

    @classmethod
    def depending(cls, value: str, line: int, index: Index) -> "Body":
        """What a value of *depends* in this line says; unplaced where it can't be read."""
        found = depends_of(value, index)
        if found is None:
            return cls(unplaced=(line,))
        return cls(depends_on=found.ids, unknown=tuple((line, written) for written in found.unknown))

    def plus(self, other: "Body") -> "Body":
        """Both, one after the other: texts and lists are appended, of two priorities the second counts."""
        return Body(
            "\n\n".join(filter(None, (self.description, other.description))),
            self.criteria + other.criteria,
            self.priority if other.priority is None else other.priority,
            once(self.depends_on + other.depends_on),
            once(self.commands + other.commands),
            self.notes + other.notes,
            self.areas + other.areas,
            self.unknown + other.unknown,
            self.unplaced + other.unplaced,
        )


NOTHING = Body()


def body_of(blocks: Blocks, index: Index, *, bullets: bool = False) -> Body:
    """Reads a story's blocks. `bullets`: it is one of a checklist, bullets under no label are its criteria."""
    parts = parts_of(blocks, index, bullets=bullets)
    reader = _Reader(index, parts, bullets=bullets)
    for part in parts:
        reader.part(part)
    return reader.finished()


@dataclass
class _Reader:
    """What has been read so far."""

    index: Index
    parts: tuple[Part, ...]
    bullets: bool
    said: list[str] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
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
            "\n\n".join(filter(None, self.said)),
            tuple(filter(None, self.criteria)),
            self.priority,
            once(self.depends_on),
            once(self.commands),
            tuple(self.notes),
            tuple(self.areas),
            tuple(self.unknown),
            tuple(sorted(self.unplaced)),
        )

    def part(self, part: Part) -> None:
        self._verify_fences(part)
        match part.row:
            case Word.CRITERIA | Word.MORE:
                self._criteria(part)
            case Word.DESCRIPTION:
                self._description(part)
            case Word.DEPENDS:
                self._depends(part)
            case Word.PRIORITY:
                self._priority(part)
            case Word.VERIFY:
                self._verify(part)
            case Word.NOTES:
                self._notes(part, "")
            case _ if part.label is not None:
                self._unknown(part)
            case _:
                self._free(part)

    def _verify_fences(self, part: Part) -> None:
        for fence in fences(part.blocks):
            if is_verify(fence):
                self.commands += of_fence(fence)

    def _criteria(self, part: Part) -> None:
        if part.value:
            self.criteria.append(part.value)
        items = items_of(part.blocks)
        for block in part.blocks:
            if isinstance(block, Bullets):
                self.criteria += map(item_text, block.items)
            elif isinstance(block, Paragraph) and not items:
                self.criteria.append(block.text)
            else:
                self._lose((block,))

    def _description(self, part: Part) -> None:
        self.said.append(unwrapped(part.value))
        self._say(part.blocks)

    def _say(self, blocks: Blocks) -> None:
        """Description, but for the items that are the criteria of a story without a label for them."""
        self._take(blocks)
        kept = [block for block in blocks if not isinstance(block, Bullets) or not self._given(block)]
        self.said.append(description(kept))

    def _take(self, blocks: Blocks) -> None:
        """The chosen items are criteria; among them the others are notes."""
        for block in blocks:
            if isinstance(block, Bullets) and self._given(block):
                for item in block.items:
                    chosen = self.bullets or item.line in self.chosen
                    (self.criteria if chosen else self.notes).append(item_text(item))

    def _given(self, bullets: Bullets) -> bool:
        """Whether a list under no label is criteria (and notes), not text."""
        return self.bullets or (not self.labelled and bool(self.chosen))

    def _free(self, part: Part) -> None:
        """Under no label: description before the first label, else criteria where no label has them, else unplaced."""
        if part.intro:
            self._say(part.blocks)
            return
        self._take(part.blocks)
        self._lose(tuple(block for block in part.blocks if not isinstance(block, Bullets) or not self._given(block)))

    def _depends(self, part: Part) -> None:
        values = [(part.value, part.label.line)] if part.value and part.label else []
        values += [(text, line) for text, line in texts_of(part.blocks) if text]
        for value, line in values:
            found = Body.depending(value, line, self.index)
            self.depends_on += found.depends_on
            self.unknown += found.unknown
            self.unplaced += found.unplaced
        self._lose_opaque(part.blocks)

    def _priority(self, part: Part) -> None:
        values = [(part.value, part.label.line)] if part.value and part.label else []
        for value, line in [*values, *texts_of(part.blocks)]:
            number = priority_of(value)
            if number is None:
                self.unplaced.append(line)
            else:
                self.priority = number
        self._lose_opaque(part.blocks)

    def _verify(self, part: Part) -> None:
        prose = []
        for text, _ in [(part.value, 0), *flat_texts(part.blocks)]:
            found = commands_in(text)
            self.commands += found
            if text and not found:
                prose.append(unwrapped(text))
        for fence in fences(part.blocks):
            if not is_verify(fence):
                found = of_fence(fence)
                self.commands += found
                self.unplaced += [] if found else [fence.line]
        self._note(part, prose)
        self._lose_opaque(tuple(block for block in part.blocks if not isinstance(block, Fence)))

    def _unknown(self, part: Part) -> None:
        if part.label is None:
            return
        if not self.bullets and part.item is not None and part.item.line in self.chosen:
            self.criteria.append(item_text(part.item))
            return
        if part.label.of_area:
            self.areas += [part.value, *(text for text, _ in texts_of(part.blocks))]
        if not part.label.colon and not part.label.level and not part.blocks:
            self.unplaced.append(part.label.line)
        self._notes(part, f"{part.label.name}: ")

    def _notes(self, part: Part, label: str) -> None:
        """One line: the label where it is unknown, and the texts under it. Items that are criteria are none of it."""
        taken = [item for item in items_of(part.blocks) if item.line in self.chosen]
        self.criteria += map(item_text, taken)
        lines = {item.line for item in taken}
        texts = [unwrapped(part.value), *(unwrapped(text) for text, line in texts_of(part.blocks) if line not in lines)]
        said = [text for text in texts if text]
        if said:
            self.notes.append(label + "; ".join(said))
        self._lose_opaque(part.blocks)

    def _note(self, part: Part, texts: Iterable[str]) -> None:
        said = "; ".join(texts)
        if said and part.label:
            self.notes.append(f"{part.label.name}: {said}")

    def _lose(self, blocks: Blocks) -> None:
        kept = tuple(block for block in blocks if not is_verify(block) and not _is_tag(block))
        self.unplaced += first_lines(kept)

    def _lose_opaque(self, blocks: Blocks) -> None:
        """Fences, tables and the like, where only texts can be taken."""
        self._lose(tuple(block for block in blocks if not isinstance(block, Bullets | Paragraph)))


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


def _free_items(part: Part) -> list[Item]:
    """Items that are criteria when no label has any: those under no label, under an unknown one, or a description."""
    return items_of(part.blocks) if part.row in (None, Word.DESCRIPTION) and part.item is None else []


def _is_tag(block: object) -> bool:
    """HTML without a text, as an anchor."""
    return isinstance(block, Opaque) and block.sort is Sort.HTML and not _has_text(block.source)


def _has_text(html: str) -> bool:
    depth, text = 0, ""
    for char in html:
        depth += (char == "<") - (char == ">")
        text += char if depth == 0 and char != ">" else ""
    return bool(text.strip())
