"""YAML front matter (RULES: Reading, "One file a story"): set aside before the markdown is read.

All scalars stay the text that they are written as: `id: 007` is no number, `title: no` no truth value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prd_ralph.planning.problems import unreadable

if TYPE_CHECKING:
    from yaml import Node

_FENCE = re.compile(r"---\s*")
_END = re.compile(r"(?:---|\.\.\.)\s*")
_KEY = re.compile(r"""[\w"'][^:]*:(?:\s|$)""")
_LEADING = re.compile(r"^[ \t]+")
_DEPTH_LIMIT = 20
_HINT = "write `key: value` lines, and quotes around a value with `: ` in it"
_ALIAS_HINT = "write out what is meant; a text that begins with `*` needs quotes"


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of the front matter: its values (one, or those of a list) and its line. `nested`: more than a flat list."""

    key: str
    values: tuple[str, ...]
    line: int
    nested: bool = False

    @property
    def text(self) -> str:
        return ", ".join(self.values)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stood between the `---` lines, in order; `end` is the line of the second one, 0 where there is none."""

    entries: tuple[Entry, ...] = ()
    end: int = 0

    def get(self, *keys: str) -> Entry | None:
        """The first entry that has one of these keys and a value."""
        return next((entry for key in keys for entry in self.entries if entry.key == key and entry.text), None)


def front_matter(file: str, lines: tuple[str, ...]) -> FrontMatter:
    """What the lines begin with, after blank ones. Raises PlanError where it begins as front matter and is none."""
    begin = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if begin == len(lines) or not _FENCE.fullmatch(lines[begin]):
        return FrontMatter()
    end = next((i for i in range(begin + 1, len(lines)) if _END.fullmatch(lines[i])), None)
    body = lines[begin + 1 : end]
    if not _KEY.match(next((line for line in body if line.strip()), "")):
        return FrontMatter()
    if end is None:
        raise unreadable(file, "the front matter has no end", "end it with a line `---`", begin + 1)
    return FrontMatter(tuple(_entries(file, body, begin + 2)), end + 1)


def _entries(file: str, body: tuple[str, ...], first: int) -> Iterator[Entry]:
    root = _composed(file, "\n".join(_LEADING.sub(lambda blank: blank[0].expandtabs(4), line) for line in body), first)
    if not _is(root, "mapping"):
        raise unreadable(file, "the front matter has no keys", _HINT, first)
    for key, value in root.value:
        yield Entry(str(key.value), *_values(value, first + key.start_mark.line))


def _composed(file: str, text: str, first: int) -> "Node":
    import yaml

    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                line = first + (event.start_mark.line if event.start_mark else 0)
                raise unreadable(file, f"the front matter refers to itself: *{event.anchor}", _ALIAS_HINT, line)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEPTH_LIMIT:
                raise unreadable(file, "the front matter nests too deeply", _HINT, first)
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        line = first + (mark.line if mark else 0)
        raise unreadable(file, f"the front matter cannot be read: {reason}", _HINT, line) from None
    assert root is not None, "there is a key in it"
    return root


def _values(node: "Node", line: int) -> tuple[tuple[str, ...], int, bool]:
    """A scalar or a flat list as texts; of anything deeper the texts in it, flat."""
    if _is(node, "scalar"):
        text = " ".join(str(node.value).split())
        return ((text,) if text else ()), line, False
    parts = [part for entry in node.value for part in (entry if isinstance(entry, tuple) else (entry,))]
    nested = _is(node, "mapping") or not all(_is(part, "scalar") for part in parts)
    return tuple(text for part in parts for text in _values(part, line)[0]), line, nested


def _is(node: "Node", kind: str) -> bool:
    return getattr(node, "id", "") == kind
