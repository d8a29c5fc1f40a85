"""JSON (RFC 8259) with the place of every value, for messages that say where and for edits in place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Step = str | int
Path = tuple[Step, ...]

DEPTH_LIMIT = 100
_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9.a-zA-Z_])")
_WORD = re.compile(r"(?:true|false|null)(?![0-9a-zA-Z_])")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class JsonSyntaxError(Exception):
    """The text is no JSON at `position`, where `expected` should be; `opened` are the open brackets' positions."""

    def __init__(self, position: int, expected: str, opened: tuple[int, ...] = ()) -> None:
        super().__init__(f"{expected} expected at {position}")
        self.position = position
        self.expected = expected
        self.opened = opened


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands, in characters; `key` is the span of its name in an object."""

    value: Json
    start: int
    end: int
    children: Mapping[Step, "Node"] = field(default_factory=dict)
    key: tuple[int, int] | None = None

    @property
    def begin(self) -> int:
        """Where a person would look for it: at its name."""
        return self.key[0] if self.key else self.start

    def nearest(self, path: Path) -> "Node":
        """The node at `path`, or the last one on the way that exists."""
        node = self
        for step in path:
            if step not in node.children:
                break
            node = node.children[step]
        return node


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that is written twice in one object: where, and the positions of the first and the second."""

    path: Path
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Scan:
    """A whole text, read. Of a key that is written twice the last value counts."""

    root: Node
    duplicates: tuple[Duplicate, ...] = ()


def scan(body: str) -> Scan:
    """Reads one JSON value. Raises JsonSyntaxError."""
    scanner = _Scanner(body)
    root = scanner.value(scanner.space(0), (), None)
    end = scanner.space(root.end)
    if end < len(body):
        raise JsonSyntaxError(end, "the end")
    return Scan(root, tuple(scanner.duplicates))


def number(token: str) -> int | float:
    """A JSON number; one that is too long for an int becomes a float, infinite if need be."""
    try:
        return int(token)
    except ValueError:
        return float(token)


class _Scanner:
    def __init__(self, body: str) -> None:
        self._body = body
        self._opened: list[int] = []
        self.duplicates: list[Duplicate] = []

    def space(self, position: int) -> int:
        match = _SPACE.match(self._body, position)
        return match.end() if match else position

    def value(self, position: int, path: Path, key: tuple[int, int] | None) -> Node:
        char = self._body[position : position + 1]
        if char in ("{", "["):
            return self._nested(position, path, key)
        if char == '"':
            text, end = self._string(position)
            return Node(text, position, end, key=key)
        if match := _NUMBER.match(self._body, position):
            return Node(number(match[0]), position, match.end(), key=key)
        if match := _WORD.match(self._body, position):
            return Node(_WORDS[match[0]], position, match.end(), key=key)
        raise self._wrong(position, "a value")

    def _nested(self, position: int, path: Path, key: tuple[int, int] | None) -> Node:
        if len(self._opened) == DEPTH_LIMIT:
            raise self._wrong(position, f"nesting of at most {DEPTH_LIMIT} levels")
        self._opened.append(position)
        read = self._object if self._body[position] == "{" else self._array
        children, end = read(position + 1, path)
        self._opened.pop()
        value: Json = (
            {str(name): child.value for name, child in children.items()}
            if self._body[position] == "{"
            else [child.value for child in children.values()]
        )
        return Node(value, position, end, children, key)

    def _object(self, position: int, path: Path) -> tuple[dict[Step, Node], int]:
        members: dict[Step, Node] = {}
        position = self.space(position)
        if self._body.startswith("}", position):
            return members, position + 1
        while True:
            name, key_end = self._string(position)
            colon = self._expect(self.space(key_end), ":")
            child = self.value(self.space(colon), (*path, name), (position, key_end))
            if name in members:
                self.duplicates.append(Duplicate((*path, name), members[name].begin, position))
            members[name] = child
            position, closed = self._next(child.end, "}")
            if closed:
                return members, position

    def _array(self, position: int, path: Path) -> tuple[dict[Step, Node], int]:
        items: dict[Step, Node] = {}
        position = self.space(position)
        if self._body.startswith("]", position):
            return items, position + 1
        while True:
            index = len(items)
            items[index] = self.value(position, (*path, index), None)
            position, closed = self._next(items[index].end, "]")
            if closed:
                return items, position

    def _next(self, position: int, closer: str) -> tuple[int, bool]:
        """After a member: where the next one begins, or the bracket ends."""
        position = self.space(position)
        if self._body.startswith(closer, position):
            return position + 1, True
        return self.space(self._expect(position, ",", closer)), False

    def _expect(self, position: int, char: str, closer: str = "") -> int:
        if not self._body.startswith(char, position):
            raise self._wrong(position, f"{char} or {closer}" if closer else char)
        return position + len(char)

    def _string(self, position: int) -> tuple[str, int]:
        match = _STRING.match(self._body, position)
        if not match:
            raise self._wrong(position, "a text")
        token = match[0]
        return (json.loads(token) if "\\" in token else token[1:-1]), match.end()

    def _wrong(self, position: int, expected: str) -> JsonSyntaxError:
        return JsonSyntaxError(position, expected, tuple(self._opened))
