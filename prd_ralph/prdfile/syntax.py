"""What a person most likely did where a text is no JSON."""

import re

from prd_ralph.errors import Problem
from prd_ralph.prdfile.positions import JsonSyntaxError
from prd_ralph.prdfile.text import Lines, printable

_MERGE_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)
_LINE_LIMIT = 100
_STARTS = (
    (("...", "…"), "`...` stands where JSON is expected", "fill in what it stands for, or remove it"),
    (("//", "/*", "#"), "a comment: JSON has none", 'remove it, or keep it under a key of its own, as "_comment"'),
    (("'",), "single quotes", 'write texts and keys in double quotes: "…"'),
    (("“", "”", "„", "‘", "’"), "curly quotes", 'write texts and keys in straight double quotes: "…"'),
    (("```",), "a markdown fence", "keep only what stands between the fences"),
    (("True", "False"), "True and False are Python", "write true or false"),
    (("None", "undefined", "NaN", "Infinity", "-Infinity"), "not a JSON value", "write null, or leave the key out"),
)


def explained(body: str, error: JsonSyntaxError, file: str) -> Problem:
    """One problem that tells line, column, the line itself and the likely cause."""
    position, cause, hint = _diagnosis(body, error)
    line = Lines(body).at(position)
    start = body.rfind("\n", 0, position) + 1
    end = body.find("\n", position)
    source = body[start : end if end >= 0 else len(body)].strip()
    if len(source) > _LINE_LIMIT:
        left = max(0, position - start - _LINE_LIMIT // 2)
        source = "…" + body[start + left : start + left + _LINE_LIMIT].split("\n")[0] + "…"
    message = f"not JSON, column {position - start + 1}: {cause}: {printable(source)}"
    return Problem(message, hint, file, line, "")


def _diagnosis(body: str, error: JsonSyntaxError) -> tuple[int, str, str]:
    position, expected = error.position, error.expected
    if marker := _MERGE_MARKER.search(body):
        return marker.start(), "git's merge markers", "resolve the conflict"
    for starts, cause, hint in _STARTS:
        if body.startswith(starts, position):
            return position, cause, hint
    if expected.startswith("nesting"):
        return position, f"{expected} expected", "this can't be a file of stories"
    if position >= len(body):
        return _truncated(body, error)
    return _bracket(body, error) or _missing(body, error) or _other(body, error)


def _truncated(body: str, error: JsonSyntaxError) -> tuple[int, str, str]:
    position = max(0, len(body.rstrip()) - 1)
    line = Lines(body).at(error.opened[-1])
    opener = body[error.opened[-1]]
    return position, f"the file ends before the `{opener}` of line {line} is closed", "is the file truncated?"


def _bracket(body: str, error: JsonSyntaxError) -> tuple[int, str, str] | None:
    position, expected = error.position, error.expected
    char = body[position]
    if char not in "]}":
        return None
    before = _last(body, position)
    if expected in ("a value", "a text") and body[before : before + 1] == ",":
        return before, f"a comma before `{char}`", "remove the comma"
    if expected[-1] in "]}" and error.opened:
        line = Lines(body).at(error.opened[-1])
        opener = body[error.opened[-1]]
        return position, f"`{char}` where `{expected[-1]}` closes the `{opener}` of line {line}", "close it first"
    return None


def _missing(body: str, error: JsonSyntaxError) -> tuple[int, str, str] | None:
    position, expected = error.position, error.expected
    if expected == ":":
        return position, "a colon is missing after the key", 'write "key": value'
    if expected.startswith(","):
        return _last(body, position), "a comma is missing after this", "put a comma between the two"
    if expected == "the end":
        return position, "more text after the end of the JSON", "remove it, or a bracket too many before it"
    return None


def _other(body: str, error: JsonSyntaxError) -> tuple[int, str, str]:
    position, expected = error.position, error.expected
    if body[position] == '"':
        return position, *_broken_string(body, position)
    if body[position] == ",":
        return position, "a comma too many", "remove it"
    if expected == "a text":
        return position, "a key in double quotes is expected", 'write "key": value'
    return position, f"{expected} is expected", "texts need double quotes, numbers no leading zeros or signs"


def _broken_string(body: str, position: int) -> tuple[str, str]:
    match = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').match(body, position)
    stop = body[match.end() : match.end() + 2] if match else ""
    if stop.startswith("\\"):
        return f"`{printable(stop)}` is no escape of JSON", "write a backslash as two: \\\\"
    if stop[:1] in ("\n", "\r", ""):
        return "a text that isn't closed on its line", 'close it with ", write a line end within as \\n'
    return f"a raw control character ({printable(stop[:1])}) in a text", "write it as an escape"


def _last(body: str, position: int) -> int:
    """The last character before `position` that is no white space."""
    return max(0, len(body[:position].rstrip()) - 1)
