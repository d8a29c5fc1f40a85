"""Plain text of other tools: its first sentence, and the criteria that stand on its lines."""

import re
from dataclasses import dataclass, field

TITLE_LIMIT = 80
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_MARK = re.compile(r"(?:(?:[-*+•]|\d+[.)])(?:[ \t]+|$))?(?:\[[ xX~-]\](?=\s|$)\s*)?")
_TAB = 4


def title_from(description: str) -> str:
    """The first sentence without its full stop, cut at a blank with `…` where it is over 80 characters."""
    paragraph = " ".join(_PARAGRAPH_END.split(description.strip(), maxsplit=1)[0].split())
    sentence = _SENTENCE_END.split(paragraph, maxsplit=1)[0].strip()
    sentence = sentence.removesuffix(".").removesuffix("。").rstrip()
    if len(sentence) <= TITLE_LIMIT:
        return sentence
    head = sentence[: TITLE_LIMIT - 1]
    if sentence[TITLE_LIMIT - 1] != " " and " " in head:
        head = head[: head.rindex(" ")]
    return f"{head.rstrip()}…"


@dataclass(slots=True)
class _Line:
    text: str
    indent: int
    marked: bool
    below: "list[_Line]" = field(default_factory=list)


def criteria_from(text: str) -> list[str]:
    """One criterion a line, without list and task marks; deeper lines are joined to the one that they stand below.

    `parent: child; child`; a third level, and what is below it, is joined by `, `.
    """
    tops: list[_Line] = []
    above: list[_Line] = []
    for raw in text.expandtabs(_TAB).splitlines():
        if not raw.strip():
            continue
        line = _line(raw)
        while above and above[-1].indent >= line.indent:
            above.pop()
        if above and above[-1].marked and not line.marked and not above[-1].below:
            above[-1].text = f"{above[-1].text} {line.text}".strip()
            continue
        (above[-1].below if above else tops).append(line)
        above.append(line)
    return [joined for line in tops if (joined := _joined(line, "; "))]


def _line(raw: str) -> _Line:
    body = raw.strip()
    mark = _MARK.match(body)
    end = mark.end() if mark else 0
    return _Line(body[end:].strip(), len(raw) - len(raw.lstrip()), end > 0)


def _joined(line: _Line, between: str) -> str:
    children = [joined for child in line.below if (joined := _joined(child, ", "))]
    if not children or not line.text:
        return line.text or between.join(children)
    return f"{re.sub('[:.,;]$', '', line.text)}: {between.join(children)}"
