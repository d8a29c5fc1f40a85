"""How a JSON file is written, seen from what stands in it, and new values written alike."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.prdfile.names import clean
from prd_ralph.prdfile.positions import Json, Node


@dataclass(frozen=True, slots=True)
class Style:
    """`unit` is one step of indentation, `spread`: objects have a line for each member, `flat`: lists have not.

    `colon` stands between a key and its value, `comma` between what is on one line. `escaped`: ASCII alone.
    """

    newline: str = "\n"
    unit: str = "  "
    colon: str = ": "
    comma: str = ", "
    spread: bool = True
    flat: bool = False
    escaped: bool = False

    def dumped(self, value: Json, margin: str, *, spread: bool) -> str:
        """A value as this file would have it; `margin` is the indentation of the line on which it begins."""
        lines = spread and self.spread and bool(value) and not (self.flat and _is_flat(value))
        inner = margin + self.unit
        if isinstance(value, dict):
            members = [self.member(key, each, inner, spread=lines) for key, each in value.items()]
            return self._within("{}", members, margin, lines=lines)
        if isinstance(value, list):
            return self._within("[]", [self.dumped(each, inner, spread=lines) for each in value], margin, lines=lines)
        return self.token(value)

    def member(self, key: str, value: Json, margin: str, *, spread: bool, colon: str = "") -> str:
        return f"{self.token(key)}{colon or self.colon}{self.dumped(value, margin, spread=spread)}"

    def token(self, value: Json) -> str:
        """A text, number or word."""
        return json.dumps(clean(value) if isinstance(value, str) else value, ensure_ascii=self.escaped)

    def _within(self, brackets: str, parts: list[str], margin: str, *, lines: bool) -> str:
        if not lines:
            return brackets[0] + self.comma.join(parts) + brackets[1]
        begin = f"{self.newline}{margin}{self.unit}"
        return f"{brackets[0]}{begin}{f',{begin}'.join(parts)}{self.newline}{margin}{brackets[1]}"


def style_of(body: str, root: Node) -> Style:
    """The style of a file, from its first members; a file without any is written as `json` would."""
    newline = next((end for end in ("\r\n", "\n", "\r") if end in body), "\n")
    escaped = body.isascii() and "\\u" in body
    members = list(root.children.values())
    if not members or members[0].key is None:
        return Style(newline, escaped=escaped)
    opening = body[root.start + 1 : members[0].begin]
    spread = newline in opening
    colon = body[members[0].key[1] : members[0].start]
    colon = ":" if colon == ":" else ": " if newline in colon else colon
    unit = opening.rpartition(newline)[2] if spread else ""
    lists = (body[node.start : node.end] for node in _nodes(root) if node.children and _is_flat(node.value))
    flat = next((newline not in text for text in lists), False)
    return Style(newline, unit, colon, "," if colon == ":" else ", ", spread, flat, escaped)


def margin_at(body: str, position: int) -> str:
    """The indentation of the line on which a character is."""
    line = body[max(body.rfind("\n", 0, position), body.rfind("\r", 0, position)) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _is_flat(value: Json) -> bool:
    """Whether it is a list without objects or lists in it."""
    return isinstance(value, list) and not any(isinstance(each, dict | list) for each in value)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children.values():
        yield from _nodes(child)
