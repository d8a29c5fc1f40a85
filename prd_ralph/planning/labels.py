"""Labels (RULES: Labels): a line that says what follows it."""

import re
from dataclasses import dataclass, replace

from prd_ralph.planning.blocks import Heading, Line
from prd_ralph.planning.inline import bold_lead, masked, unwrapped
from prd_ralph.planning.sentences import is_sentence
from prd_ralph.planning.words import Word, known, plain, row_in_story

_COLON = re.compile(r"[:：]")
_ENDING = re.compile(r"\s*[:：]\s*")
_SENTENCE = re.compile(r"as an?|i want(?: to)?|so that", re.IGNORECASE)
_AREAS = {"type", "types", "tag", "tags", "label", "labels", "area", "areas"}


@dataclass(frozen=True, slots=True)
class Label:
    """`name` as written, without bold and its final colon; `value` is what follows on the line. `row` None: unknown.

    `level`: that of the heading which it is, 0 for a line. `colon`: it was written with one.
    """

    name: str
    value: str
    line: int
    row: Word | None
    bold: bool = True
    level: int = 0
    colon: bool = True

    @property
    def of_line(self) -> bool:
        """Its value ends with the line, not with the paragraph."""
        return self.row in (Word.PRIORITY, Word.DEPENDS)

    @property
    def of_area(self) -> bool:
        """It says to which of the conditional gates a story belongs (RULES: Commands)."""
        return is_area(self.name)


def is_area(name: str) -> bool:
    """Whether what is so named (a label, a column, a key) says what a story is about."""
    return plain(name) in _AREAS


def label_of(line: Line) -> Label | None:
    """The label that a line begins with, if any."""
    lead = bold_lead(line.text)
    if lead is None:
        return _known_word(line.text, line.number, bold=False)
    inner, rest = lead
    ending = _ENDING.match(rest)
    if _SENTENCE.fullmatch(plain(inner)) or (is_sentence(inner) and not rest.strip()):
        return None
    if ending or _COLON.search(inner[-1:]):
        value = rest[ending.end() :] if ending else rest.strip()
        return _label(inner, value, line.number)
    if rest.strip():
        return None
    return _known_word(inner, line.number, bold=True) or _label(inner, "", line.number, colon=False)


def _known_word(text: str, line: int, *, bold: bool) -> Label | None:
    """`Word: value`, where the word is in the table."""
    colon = _COLON.search(masked(text))
    if not colon or not known(unwrapped(text[: colon.start()])):
        return None
    return _label(text[: colon.start()], text[colon.end() :].strip(), line, bold=bold)


def _label(name: str, value: str, line: int, *, bold: bool = True, colon: bool = True) -> Label:
    name = unwrapped(name).strip().rstrip(":：").strip()
    return Label(name, value, line, row_in_story(name), bold, colon=colon)


def heading_label(heading: Heading) -> Label:
    """A sub-heading in a story is a label with nothing after it; but in `#### Priority: high` it has its value."""
    said = _known_word(heading.text, heading.line, bold=True)
    if said is not None and said.value and said.row is not None:
        return replace(said, level=heading.level)
    name = heading.text.rstrip(":：").strip()
    return Label(name, "", heading.line, row_in_story(name), level=heading.level)
