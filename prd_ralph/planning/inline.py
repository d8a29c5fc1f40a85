"""The text of a paragraph or cell (RULES: Text). Code spans are found first: nothing in them is changed or seen."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_TICKS = re.compile(r"`+")
_COMMENT = re.compile(r"<!--(?:-?>|.*?-->)", re.DOTALL)
_SPECIAL = re.compile(r"\\.|`+|<!--", re.DOTALL)
_MARKS = re.compile(r"\\.|\*{2,}", re.DOTALL)
_BOX = re.compile(r"\[([ xX-])\](?:\s+|$)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")


class Sort(StrEnum):
    """What a run of characters is."""

    TEXT = "text"
    CODE = "code"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters as written: a code span with its backticks, a comment, or what is between them."""

    sort: Sort
    text: str


def pieces(text: str) -> Iterator[Piece]:
    """CommonMark 6.1: a code span ends at the next run of as many backticks; where there is none, they are text."""
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in _TICKS.finditer(text):
        runs[len(run[0])].append(run.start())
    last_end = text.rfind("-->")
    begin = position = 0
    while found := _SPECIAL.search(text, position):
        sort, end = _special(text, found, runs, last_end)
        if sort is not Sort.TEXT:
            if begin < found.start():
                yield Piece(Sort.TEXT, text[begin : found.start()])
            yield Piece(sort, text[found.start() : end])
            begin = end
        position = end
    if begin < len(text):
        yield Piece(Sort.TEXT, text[begin:])


def _special(text: str, found: re.Match[str], runs: dict[int, list[int]], last_end: int) -> tuple[Sort, int]:
    """What begins here, and where it ends; no comment ends after `last_end`."""
    if found[0] == "<!--":
        comment = _COMMENT.match(text, found.start()) if found.start() < last_end else None
        return (Sort.COMMENT, comment.end()) if comment else (Sort.TEXT, found.end())
    if found[0].startswith("`"):
        same = runs[len(found[0])]
        after = bisect_right(same, found.start())
        if after < len(same):
            return Sort.CODE, same[after] + len(found[0])
    return Sort.TEXT, found.end()


def code_of(piece: Piece) -> str:
    """What a code span says: the backticks and, where there is one on either side, one blank go."""
    inner = piece.text.strip("`").replace("\n", " ")
    padded = inner.startswith(" ") and inner.endswith(" ") and inner.strip()
    return inner[1:-1] if padded else inner


def masked(text: str) -> str:
    """The same text, letter for letter as long, with code spans as `x`: to look for marks in."""
    return "".join("x" * len(piece.text) if piece.sort is Sort.CODE else piece.text for piece in pieces(text))


def without_comments(text: str) -> str:
    """HTML comments go, with the blank before each; the line ends in them stay, so that lines keep their numbers."""
    if "<!--" not in text:
        return text
    kept: list[str] = []
    dropped = False
    for piece in pieces(text):
        if piece.sort is Sort.COMMENT:
            kept.append("\n" * piece.text.count("\n"))
        elif dropped and not piece.text[0].strip() and len(kept) > 1:
            kept[-2] = kept[-2].rstrip(" \t")
            kept.append(piece.text)
        else:
            kept.append(piece.text)
        dropped = piece.sort is Sort.COMMENT
    return "".join(kept)


def unwrapped(text: str) -> str:
    """Pairs of `**` go, but not in code. A mark opens before a word and closes after one."""
    if "**" not in text:
        return text
    visible = masked(text)
    gone: list[int] = []
    opened: int | None = None
    for found in _MARKS.finditer(visible):
        before, after = visible[max(found.start() - 1, 0) : found.start()], visible[found.end() : found.end() + 1]
        if found[0].startswith("\\"):
            continue
        if opened is not None and before.strip():
            gone += [opened, found.start()]
            opened = None
        elif after.strip():
            opened = found.start()
    begins = [0, *(at + 2 for at in gone)]
    return "".join(text[begin:end] for begin, end in zip(begins, [*gone, len(text)], strict=True))


def bold_lead(text: str) -> tuple[str, str] | None:
    """`**inner**rest` (or with `__`) as inner and rest; None where the text does not begin with something bold."""
    mark = text[:2]
    if mark not in ("**", "__") or not text[2:3].strip():
        return None
    visible = masked(text)
    at = visible.find(mark, 3)
    while at > 0 and not visible[at - 1].strip():
        at = visible.find(mark, at + 1)
    return (text[2:at], text[at + 2 :]) if at > 0 else None


def box(text: str) -> str | None:
    """The mark of a task: a blank, `x` or `-`; None where there is no box."""
    found = _BOX.match(text)
    return found[1].lower() if found else None


def boxless(text: str) -> str:
    """The text without its task mark."""
    return _BOX.sub("", text, count=1)


def unlinked(text: str) -> str:
    """Links at their text, backticks off: for what names something (an id, a branch)."""
    return _LINK.sub(r"\1", text).replace("`", "").strip()
