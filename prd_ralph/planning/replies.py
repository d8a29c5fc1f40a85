"""JSON objects out of an agent's reply, wherever they stand in it: in fences, in prose, one after the other.

Which of them is meant is not decided here, for that is said by what they hold.
"""

import json
import re
from collections.abc import Iterator

# A string of JSON never runs over a line's end, so a stray quote in prose hides one line at most.
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_TOKEN = re.compile(rf"{_STRING}|[{{}}]")
_BEGIN = re.compile(r'\{\s*["}]')
_TRAILING = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")
_TRIES = 50
"""So many pairs of braces may turn out to hold no JSON: a reply of nothing but braces must not take for ever."""


def objects_in(reply: str) -> tuple[str, ...]:
    """The outermost JSON objects, in order, each as text that is valid JSON. Commas before a closing bracket go."""
    return tuple(_objects(reply))


def _objects(reply: str) -> Iterator[str]:
    position = failed = 0
    for begin, end in sorted(_pairs(reply)):
        if begin < position or failed == _TRIES or not _BEGIN.match(reply, begin):
            continue
        found = _valid(reply[begin:end])
        if found is None:
            failed += 1
        else:
            yield found
            position = end


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """Where braces open, and where each is closed; quotes count from the first brace on."""
    opened: list[int] = []
    for token in _TOKEN.finditer(text, max(text.find("{"), 0)):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] == "}" and opened:
            yield opened.pop(), token.end()


def _valid(text: str) -> str | None:
    """The text, or the text without trailing commas; None where neither is JSON."""
    without = _TRAILING.sub(lambda found: found[1] or "", text)
    return next((each for each in (text, without) if _is_json(each)), None)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
