"""Gates sections (RULES: Commands): commands for all stories, or for those of an area, and what else stands there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from prd_ralph.planning.blocks import Block, Bullets, Fence, Item, Paragraph, fences, first_lines
from prd_ralph.planning.commands import commands_in, of_fence
from prd_ralph.planning.inline import unwrapped
from prd_ralph.planning.items import flat_texts
from prd_ralph.planning.outline import Area, Stretch
from prd_ralph.planning.render import item_text

_FOR = re.compile(r"for\s+(?:the\s+)?(.+?)[\s-]+stories\b", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:,|/|\||&|\band\b|\bor\b)\s*", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^][]*)\]|\(([^()]*)\)")
_ALL = {"all", "every", "any", "each"}


@dataclass(frozen=True, slots=True)
class Condition:
    """`For UI stories …`: what stories of these areas get, and the lines that are unplaced where there is none."""

    areas: frozenset[str]
    commands: tuple[str, ...]
    criteria: tuple[str, ...]
    lines: tuple[int, ...]

    def holds(self, title: str, areas: Iterable[str]) -> bool:
        """Whether a story is of these areas: by `[X]` or `(X)` in its title, or by a label."""
        marks = {name for found in _BRACKETED.findall(title) for name in _names("".join(found))}
        words = " ".join(areas).casefold()
        return any(area in marks or re.search(rf"(?<!\w){re.escape(area)}(?!\w)", words) for area in self.areas)


@dataclass(frozen=True, slots=True)
class Gates:
    """All of one document's."""

    commands: tuple[str, ...]
    conditions: tuple[Condition, ...]
    unplaced: tuple[int, ...]


def gates_of(stretches: Iterable[Stretch]) -> Gates:
    """Reads the gates sections outside stories."""
    reader = _Reader()
    for stretch in stretches:
        if stretch.area is Area.GATES and stretch.story is None:
            reader.stretch(stretch)
    return Gates(tuple(reader.commands), tuple(reader.conditions), tuple(reader.unplaced))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip("`[]() ").casefold() for name in _SPLIT.split(text) if name.strip("`[]() "))


def _areas(text: str) -> frozenset[str]:
    """The areas that a line above a list names; none where it names all or is another line."""
    found = _FOR.match(unwrapped(text))
    names = _names(found[1]) if found else frozenset()
    return frozenset() if names & _ALL else names


@dataclass
class _Reader:
    commands: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)

    def stretch(self, stretch: Stretch) -> None:
        always = _areas(stretch.heading.text) if stretch.heading else frozenset()
        areas = always
        for at, block in enumerate(stretch.blocks):
            after = stretch.blocks[at + 1] if at + 1 < len(stretch.blocks) else None
            if isinstance(block, Paragraph):
                areas = _areas(block.text) or always
                leads = isinstance(after, Bullets | Fence) and (areas != always or _commanding(after))
                self._paragraph(block, leads=leads)
            elif areas and isinstance(block, Bullets | Fence):
                self._conditional(areas, block)
                areas = always
            else:
                self._block(block)

    def _paragraph(self, paragraph: Paragraph, *, leads: bool) -> None:
        """Commands, on a line each or all in one; a line that only leads to them says nothing of its own."""
        for text, line in flat_texts((paragraph,)):
            found = commands_in(text)
            self.commands += found
            self.unplaced += [] if found or (leads and line == paragraph.line) else [line]

    def _block(self, block: Block) -> None:
        if isinstance(block, Bullets):
            for text, line in flat_texts((block,)):
                found = commands_in(text)
                self.commands += found
                self.unplaced += [] if found else [line]
        found_in = list(fences((block,)))
        for fence in found_in:
            commands = of_fence(fence)
            self.commands += commands
            self.unplaced += [] if commands else [fence.line]
        if not isinstance(block, Bullets | Fence):
            self.unplaced += first_lines((block,))

    def _conditional(self, areas: frozenset[str], block: Bullets | Fence) -> None:
        if isinstance(block, Fence):
            self.conditions.append(Condition(areas, of_fence(block), (), (block.line,)))
            return
        commands: list[str] = []
        criteria: list[str] = []
        for item in block.items:
            found = item_commands(item)
            commands += found
            criteria += [] if found else [item_text(item)]
        self.conditions.append(Condition(areas, tuple(commands), tuple(criteria), tuple(first_lines((block,)))))


def item_commands(item: Item) -> tuple[str, ...]:
    """The commands of an item, of the items in it, and of its fences."""
    block = Bullets((item,))
    said = tuple(command for text, _ in flat_texts((block,)) for command in commands_in(text))
    return said + tuple(command for fence in fences((block,)) for command in of_fence(fence))


def _commanding(block: Bullets | Fence) -> bool:
    return any(map(item_commands, block.items)) if isinstance(block, Bullets) else bool(of_fence(block))
