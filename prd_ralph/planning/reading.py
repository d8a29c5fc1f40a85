"""Bytes to lines (RULES: Reading). CRLF, a byte order mark and a missing last newline make no difference."""

import codecs
import hashlib
import re
from collections.abc import Iterable

from prd_ralph.planning.problems import unreadable

SIZE_LIMIT = 10_000_000
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SAVE = "save it as UTF-8 text"


def lines_of(file: str, data: bytes) -> tuple[str, ...]:
    """The file's lines without their ends. Raises PlanError for what is too large, not text, or empty."""
    if len(data) > SIZE_LIMIT:
        raise unreadable(
            file, f"larger than {SIZE_LIMIT // 1_000_000} MB", "plan a smaller file, or a folder of stories"
        )
    if data.startswith(_WIDE):
        raise unreadable(file, "the file is UTF-16, not UTF-8", _SAVE)
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise unreadable(file, "the file is not text: it has a NUL byte", "name a markdown file", line)
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise unreadable(file, f"the file is not UTF-8: byte 0x{error.object[error.start]:02x}", _SAVE, line) from None
    if not text.strip():
        raise unreadable(file, "the file is empty", "write a PRD with a heading `## User Stories` into it")
    return tuple(text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n"))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digest_of_all(files: Iterable[tuple[str, bytes]]) -> str:
    """The sha256 of a folder: of its files' digests and names, in natural order."""
    told = "".join(f"{digest(data)}  {file}\n" for file, data in sorted(files, key=lambda entry: natural(entry[0])))
    return hashlib.sha256(told.encode()).hexdigest()


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """The key of natural order: 2 before 10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
