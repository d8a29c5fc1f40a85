"""priority (RULES: priority and dependsOn): a whole number, P0 to P4, or a word for it."""

import re
from collections.abc import Iterable

from prd_ralph.planning.inline import unwrapped
from prd_ralph.planning.words import plain

_LEVELS = {
    1: "critical must urgent crítica crítico critica critico kritisch critique kritikus sürgős 紧急 关键 最高",
    2: "high should alta alto hoch haute haut élevée élevé magas 高",
    3: "medium could media medio média médio mittel moyenne moyen közepes 中",
    4: "low won't wont baja bajo baixa baixo niedrig gering basse bas faible alacsony 低",
}
_WORDS = {word: level for level, words in _LEVELS.items() for word in words.split()}
_FIRST = re.compile(
    r"[^\w]*(?:[pP](?P<p>[0-4])(?![\w.])|(?P<n>(?<!-)\d+)(?![^\W_]|\.\d)|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)?))"
)
_DIGITS = 15  # as many as every reader of JSON keeps
_HAN = re.compile(r"[\u4e00-\u9fff]+")


def priority_of(value: str) -> int | None:
    """The priority that a value begins with; the rest of it is comment. None where it has none."""
    found = _first(value)
    if not found:
        return None
    if found["p"]:
        return int(found["p"]) + 1
    if found["n"]:
        return int(found["n"]) if len(found["n"]) <= _DIGITS else None
    word = found["word"].casefold()
    if _HAN.match(word):
        return next((level for name, level in _WORDS.items() if word.startswith(name)), None)
    return _WORDS.get(word)


def is_only(value: str) -> bool:
    """Whether the value is a priority and nothing else."""
    found = _first(plain(value))
    return found is not None and priority_of(value) is not None and not plain(value)[found.end() :].strip(" .")


def _first(value: str) -> re.Match[str] | None:
    return _FIRST.match(unwrapped(value).replace("’", "'").replace("`", ""))


def filled(stated: Iterable[int | None]) -> tuple[int, ...]:
    """None stated: 1, 2, …; some: the others get the largest and one more."""
    given = tuple(stated)
    known = [number for number in given if number is not None]
    if not known:
        return tuple(range(1, len(given) + 1))
    return tuple(max(known) + 1 if number is None else number for number in given)
