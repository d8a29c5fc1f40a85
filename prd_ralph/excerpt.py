"""What matters of a command's output: its last lines, and the lines in between that speak of failure."""

import re
from collections.abc import Iterable

_FAILURE = re.compile(
    r"\b(error|errors|failed|failure|failures|fail|exception|traceback|panic|assert\w*|expected|undefined|fatal)\b"
    r"|^E\s|^FAIL|✗|✕|not ok",
    re.IGNORECASE | re.MULTILINE,
)
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\n\t\x20-\x7e\x80-\U0010ffff]")
_LINE_LIMIT = 500


def plain_text(data: bytes) -> str:
    """Output as text: UTF-8 with replacement, without terminal escapes and control characters."""
    return _ESCAPES.sub("", data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))


def excerpt(data: bytes, limit: int = 4096) -> str:
    """At most about `limit` characters of the output: half for its end, half for failure lines before that.

    Leaves lines out as `…`; lines over 500 characters are cut.
    """
    lines = [cut(line, _LINE_LIMIT) for line in plain_text(data).strip("\n").split("\n")]
    if sum(len(line) + 1 for line in lines) <= limit:
        return "\n".join(lines)
    end = len(lines) - _fit(reversed(lines), limit // 2)
    marked = [number for number in range(end) if _FAILURE.search(lines[number])]
    near = sorted({near for number in marked for near in (number - 1, number, number + 1) if 0 <= near < end})
    kept = near[: _fit((lines[number] for number in near), limit // 2)]
    return "\n".join(_join(lines, [*kept, *range(end, len(lines))]))


def in_one_line(text: str, limit: int) -> str:
    """The text on one line, cut to `limit` characters."""
    return cut(" ".join(text.split()), limit)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; that something is left out is shown by the last."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _fit(lines: Iterable[str], budget: int) -> int:
    count = 0
    for line in lines:
        budget -= len(line) + 1
        if budget < 0:
            break
        count += 1
    return count


def _join(lines: list[str], numbers: list[int]) -> list[str]:
    out: list[str] = []
    last = -1
    for number in numbers:
        if number != last + 1:
            out.append("…")
        out.append(lines[number])
        last = number
    return out
