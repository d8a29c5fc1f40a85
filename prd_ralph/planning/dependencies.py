"""dependsOn (RULES: priority and dependsOn): the ids at a value's start; what follows is comment."""

import re
from dataclasses import dataclass

from prd_ralph.planning.ids import Index, id_at
from prd_ralph.planning.inline import unlinked, unwrapped

_NOTHING = re.compile(
    r"(?:none|nothing|no|n/a|-|–|—|ningun[ao]|keine?|aucune?|nenhum[a]?|无|nincs(?:enek)?)(?![^\W_])", re.IGNORECASE
)
_SEPARATOR = re.compile(
    r"\s*(?:[,、，;&+/]\s*(?:(?:and|und|y|et|és|e)\s+|和\s*)?|\s(?:and|und|y|et|és|e)\s+|和\s*)", re.IGNORECASE
)
_RANGE = re.compile(r"\s*(?:[–—]|\s-\s|\s(?:to|through|bis|hasta|até|à|a)\s|至|到)\s*", re.IGNORECASE)
_BRACKET = re.compile(r"\s*\([^()]*\)|\s*\[[^][]*\]")
_OPEN, _CLOSE = re.compile(r"[\s(\[]*"), re.compile(r"[)\]]*")
_NUMBER = re.compile(r"#?\d+(?P<dotted>(?:\.\d+)*)(?![A-Za-z0-9À-ɏ]|\.\d)")


@dataclass(frozen=True, slots=True)
class Depends:
    """The ids that a value names, and those that no story has."""

    ids: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def depends_of(value: str, index: Index) -> Depends | None:
    """What a value says; None where it is neither ids nor a word for none."""
    text = unlinked(unwrapped(value)).strip()
    if _NOTHING.match(text):
        return Depends()
    ids: list[str] = []
    unknown: list[str] = []
    position, begin = 0, None
    while (found := _next(text, position, index)) is not None:
        written, position = found
        story_id = index.find(written)
        if story_id is None:
            unknown.append(written)
        else:
            ids += index.between(begin, story_id) if begin else (story_id,)
        reach = _RANGE.match(text, position)
        begin = story_id if reach else None
        separator = reach or _SEPARATOR.match(text, position)
        if not separator:
            break
        position = separator.end()
    return Depends(tuple(dict.fromkeys(ids)), tuple(unknown)) if ids or unknown else None


def _next(text: str, position: int, index: Index) -> tuple[str, int] | None:
    """The id that stands next, and where it ends with all brackets after it; None where something else stands there."""
    opening = _OPEN.match(text, position)
    position = opening.end() if opening else position
    found = _NUMBER.match(text, position) or id_at(text, position, strict=False)
    if not found:
        return None
    written = found[0]
    number = found.re is _NUMBER and not found["dotted"]
    known = number or index.find(written) is not None or (found.re is not _NUMBER and index.knows_prefix(written))
    if not known and not id_at(text, position):
        return None
    end = found.end()
    closing = _CLOSE.match(text, end)
    end = closing.end() if closing else end
    while bracket := _BRACKET.match(text, end):
        end = bracket.end()
    return written, end
