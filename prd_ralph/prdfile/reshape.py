"""A file made to say something else: what is equal keeps every byte, what is new is written in the file's style."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.prdfile.positions import Json, Node, Step
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.style import Style, margin_at, style_of


@dataclass(frozen=True, slots=True)
class Splice:
    """The characters from `start` to before `end` become `piece`."""

    start: int
    end: int
    piece: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """A new member of an object, or (`key` None) item of a list, behind the one at `after`; None: before all."""

    after: Step | None
    value: Json
    key: str | None = None


def reshaped(data: bytes, value: Json, file: str = "prd.json") -> bytes:
    """The file with `value` in it. Key order, white space, escapes, line ends and the byte order mark stay.

    The order of keys alone is no difference. Items of a list are recognised by their `id`, or by being equal.
    Raises ProblemsError where the file is no JSON.
    """
    source = read_source(data, file)
    shaper = _Shaper(source.text.body, style_of(source.text.body, source.root))
    text, moved = source.text, 0
    pieces: list[str] = []
    for splice in sorted(shaper.changes(source.root, value, spread=True), key=lambda each: (each.start, each.end)):
        pieces += [text.body[moved : splice.start], splice.piece]
        moved = splice.end
    return text.spliced(0, moved, "".join(pieces)).encoded()


def value_in(data: bytes, file: str) -> dict[str, Json]:
    """What stands in the file. Raises ProblemsError where it is no JSON object."""
    value = read_source(data, file).root.value
    if not isinstance(value, dict):
        raise ProblemsError([Problem("the file is no JSON object", "write `{…}`", file)])
    return value


@dataclass(frozen=True, slots=True)
class _Shaper:
    body: str
    style: Style

    def changes(self, node: Node, value: Json, *, spread: bool) -> Iterator[Splice]:
        """What makes `value` of a node; `spread`: what the node is in has a line for each of its members."""
        if _same(node.value, value):
            return
        pairs, added = _compared(node, value)
        if not pairs:
            yield self._replaced(node, value, spread=spread)
            return
        inner = self._breaks(self.body[node.start : node.end])
        for step, new in pairs.items():
            yield from self.changes(node.children[step], new, spread=inner)
        yield from self._removed(node, pairs)
        for each in added:
            yield self._inserted(node, each, next(iter(pairs)))

    def _replaced(self, node: Node, value: Json, *, spread: bool) -> Splice:
        lines = self._breaks(self.body[node.start : node.end]) if node.children else spread
        return Splice(node.start, node.end, self.style.dumped(value, margin_at(self.body, node.start), spread=lines))

    def _removed(self, node: Node, kept: Mapping[Step, Json]) -> Iterator[Splice]:
        """Each with the comma before it; those before all that stay with the one behind them."""
        children = list(node.children.items())
        seen = False
        for at, (step, child) in enumerate(children):
            seen = seen or step in kept
            if step in kept:
                continue
            if seen:
                yield Splice(children[at - 1][1].end, child.end)
            else:
                yield Splice(child.begin, children[at + 1][1].begin)

    def _inserted(self, node: Node, new: Added, first: Step) -> Splice:
        """With a comma and white space as they stand between its neighbours."""
        gap = self._gap(node, first if new.after is None else new.after)
        spread = self._breaks(gap)
        margin = margin_at(gap, len(gap)) if spread else ""
        neighbour = node.children[first if new.after is None else new.after]
        if new.key is None:
            piece = self.style.dumped(new.value, margin, spread=spread)
        else:
            assert neighbour.key is not None, "it is a member of an object"
            colon = self.body[neighbour.key[1] : neighbour.start]
            colon = "" if self._breaks(colon) else colon
            piece = self.style.member(new.key, new.value, margin, spread=spread, colon=colon)
        if new.after is None:
            return Splice(neighbour.begin, neighbour.begin, piece + gap)
        return Splice(neighbour.end, neighbour.end, gap + piece)

    def _gap(self, node: Node, step: Step) -> str:
        """What stands, or would stand, between a member and the next one."""
        members = list(node.children.values())
        at = list(node.children).index(step)
        if len(members) > 1:
            left = at if at + 1 < len(members) else at - 1
            return self.body[members[left].end : members[left + 1].begin]
        opening = self.body[node.start + 1 : members[0].begin]
        return "," + opening if self._breaks(opening) else self.style.comma

    def _breaks(self, text: str) -> bool:
        return self.style.newline in text


def _same(old: Json, new: Json) -> bool:
    return _canonical(old) == _canonical(new)


def _canonical(value: Json) -> str:
    """Equal for equal values and for no others: in Python `True` equals 1."""
    return json.dumps(value, sort_keys=True)


def _compared(node: Node, value: Json) -> tuple[dict[Step, Json], list[Added]]:
    """What stays of a node's members, with its new value, and what is added; nothing stays of another kind of value."""
    if isinstance(node.value, dict) and isinstance(value, dict):
        return _members(node.value, value)
    if isinstance(node.value, list) and isinstance(value, list):
        return _items(node.value, value)
    return {}, []


def _members(old: dict[str, Json], new: dict[str, Json]) -> tuple[dict[Step, Json], list[Added]]:
    pairs: dict[Step, Json] = {key: new[key] for key in old if key in new}
    added: list[Added] = []
    after: str | None = None
    for key, value in new.items():
        if key in old:
            after = key
        else:
            added.append(Added(after, value, key))
    return pairs, added


def _items(old: list[Json], new: list[Json]) -> tuple[dict[Step, Json], list[Added]]:
    """Equal items are pairs, and so are others in the same place, but for things with different ids."""
    matcher = SequenceMatcher(None, [*map(_identity, old)], [*map(_identity, new)], autojunk=False)
    pairs: dict[Step, Json] = {}
    added: list[Added] = []
    after: Step | None = None
    for _, i, i_end, j, j_end in matcher.get_opcodes():
        for at in range(j, j_end):
            here = i + at - j
            if here < i_end and not (_identity(old[here]) != _identity(new[at]) and isinstance(new[at], dict)):
                pairs[here] = new[at]
                after = here
            else:
                added.append(Added(after, new[at]))
    return pairs, added


def _identity(value: Json) -> str:
    return _canonical(value["id"]) if isinstance(value, dict) and "id" in value else _canonical(value)
