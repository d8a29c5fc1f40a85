"""Bytes to text and back, so that not one byte is lost."""

import codecs
import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from prd_ralph.errors import Problem, ProblemsError

SIZE_LIMIT = 4 << 20
_UTF8_HINT = "save the file as UTF-8"
_FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """A file's characters without its byte order mark. `encoded` gives the very bytes back."""

    body: str
    bom: bool = False

    def encoded(self) -> bytes:
        return (codecs.BOM_UTF8 if self.bom else b"") + self.body.encode("utf-8")

    def spliced(self, start: int, end: int, piece: str) -> "Text":
        """The same text with the characters from `start` to before `end` replaced."""
        return Text(self.body[:start] + piece + self.body[end:], self.bom)


def decoded(data: bytes, file: str) -> Text:
    """UTF-8, with or without a byte order mark. Raises ProblemsError for all else, and for an empty file."""
    if len(data) > SIZE_LIMIT:
        raise _refused(file, f"larger than {SIZE_LIMIT >> 20} MiB", "split it into several files, or name another one")
    encoding = next((name for mark, name in _FOREIGN_MARKS if data.startswith(mark)), "")
    if encoding or b"\0" in data[:4]:
        raise _refused(file, f"the file is {encoding or 'UTF-16'}, not UTF-8", _UTF8_HINT)
    bom = data.startswith(codecs.BOM_UTF8)
    try:
        body = (data[len(codecs.BOM_UTF8) :] if bom else data).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"the file is not UTF-8: byte 0x{error.object[error.start]:02x}"
        raise _refused(file, message, _UTF8_HINT, line) from None
    if not body.strip():
        raise _refused(file, "the file is empty", "make it: `prd-ralph plan PRD.md`")
    return Text(body, bom)


def _refused(file: str, message: str, hint: str, line: int | None = None) -> ProblemsError:
    return ProblemsError([Problem(message, hint, file, line, "")])


class Lines:
    """The lines of a text, found once however many are asked for, and not at all when none is."""

    def __init__(self, body: str) -> None:
        self._body = body

    def at(self, position: int) -> int:
        """The line of a character, from 1."""
        return bisect_left(self._ends, position) + 1

    @cached_property
    def _ends(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self._body)]


def shown(value: object, limit: int = 60) -> str:
    """A value as JSON on one line, cut to `limit` characters, safe to print."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return printable(text if len(text) <= limit else text[: limit - 1] + "…")


def printable(text: str) -> str:
    """Control characters, line ends and lone surrogates become escapes."""
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
