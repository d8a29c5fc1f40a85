"""Patterns as in .gitignore(5), matched to paths alone: no work tree is asked that somebody may have rearranged.

One difference: a later `!pattern` takes files out again though a folder of theirs matches, as people expect it to.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

_MAGIC = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line. `regex` is for a path from the root, or where it is not `anchored`, from any folder.

    `negated`: it takes out again what others have named. `stem`: the leading folders that are written out.
    """

    regex: str
    anchored: bool
    negated: bool
    stem: str


class Patterns:
    """Lines of patterns; the last that names a path decides. Paths are relative to the root, with `/`."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._patterns = tuple(pattern for pattern in map(parsed, lines) if pattern)
        groups = groupby(self._patterns, key=lambda pattern: pattern.negated)
        self._groups = tuple(reversed([(negated, _joined(group)) for negated, group in groups]))

    def __bool__(self) -> bool:
        return any(not pattern.negated for pattern in self._patterns)

    def match(self, path: str) -> bool:
        """Whether the file `path` is meant, or a folder that it lies in."""
        for negated, regex in self._groups:
            if regex.fullmatch(path):
                return not negated
        return False

    def stems(self) -> tuple[str, ...]:
        """Folders (or files) that whatever is meant lies in; an empty one is the root."""
        return tuple(sorted({pattern.stem for pattern in self._patterns if not pattern.negated}))


def parsed(line: str) -> Pattern | None:
    """None for a comment or an empty line."""
    text = line if line.endswith("\\ ") else line.rstrip(" ")
    negated = text.startswith("!")
    body = text[1:] if negated else text
    folder = body.endswith("/")
    body = body[:-1] if folder else body
    if not body or line.startswith("#"):
        return None
    anchored = "/" in body
    parts = _plain(body.removeprefix("/").split("/"))
    below = "/.+" if folder else "(?:/.+)?"
    return Pattern("".join(_regex(parts)) + below, anchored, negated, _stem(parts) if anchored else "")


def _joined(patterns: Iterable[Pattern]) -> re.Pattern[str]:
    """One expression for them all: there may be many paths."""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for pattern in patterns:
        kinds[pattern.anchored].append(pattern.regex)
    anchored, anywhere = ("|".join(kinds[kind]) for kind in (True, False))
    either = [*([anchored] if anchored else []), *([f"(?:.*/)?(?:{anywhere})"] if anywhere else [])]
    return re.compile("|".join(either), re.DOTALL)


def _plain(parts: list[str]) -> list[str]:
    """Any folders, and then any folders, are any folders."""
    return [part for at, part in enumerate(parts) if part != "**" or parts[at + 1 : at + 2] != ["**"]]


def _stem(parts: list[str]) -> str:
    """The leading folders that are written out."""
    plain = [*parts]
    for at, part in enumerate(parts):
        if _MAGIC.search(part):
            plain = parts[:at]
            break
    return "/".join(plain)


def _regex(parts: list[str]) -> Iterator[str]:
    last = len(parts) - 1
    for at, part in enumerate(parts):
        if part != "**":
            yield _segment(part) + ("/" if at < last and parts[at + 1 :] != ["**"] else "")
        elif at < last:
            yield "(?:.*/)?"
        else:
            yield "/.+" if at else ".+"


def _segment(text: str) -> str:
    """One part of a path, of which `*` `?` and `[…]` match no `/`."""
    found, at = "", 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            found, at = found + re.escape(text[at + 1]), at + 2
        elif letter == "[" and (end := _class_end(text, at)):
            found, at = found + _class(text[at + 1 : end]), end + 1
        else:
            found += {"*": "[^/]*", "?": "[^/]"}.get(letter, re.escape(letter))
            at += 1
    return found


def _class_end(text: str, start: int) -> int:
    """Where the `]` is that ends the class; 0 for none: then the `[` is one of the text's."""
    first = start + 1 + (text[start + 1 : start + 2] in ("!", "^"))
    return max(text.find("]", first + 1), 0)


def _class(inner: str) -> str:
    negated = inner[:1] in ("!", "^")
    letters = (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    letters = letters.replace("^", "\\^").replace("&", "\\&").replace("~", "\\~").replace("|", "\\|")
    return f"(?!/)[{'^' if negated else ''}{letters}]"
