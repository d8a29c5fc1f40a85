"""What became of a test file: whether all that its base tested is there still. Pure; on bytes, never on a work tree.

Where every line of base stands, in order (an import may name more than before), a file has grown. What was added may
sway the rest all the same. SAME in what it proves it is only in Python, whose syntax can be read, and only where a new
test stands beside the old ones, which could as well stand in a file of its own. It was TURNED off where what was added
skips, leaves, comments out, swallows or shadows. All else that was added has merely GROWN: of other languages no list
of words could tell what is harmless.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from itertools import islice

from prd_ralph.workspace.pythontests import same_statements, shadows
from prd_ralph.workspace.turning import hides_its_end, outside_of_braces, turns_off

_COMPARED = 300
_MOVES = 20
_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"""(["'])(.*?)\1""")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|const \{|let \{|var \{|export \{|#include\b)")
_OFF = re.compile(
    r"\bskip(?:if|unless|test|now)?\b|SkipTest|TestSkipped|xfail|expectedFailure|importorskip|\.only\b|\bonly\("
    r"|\bx(?:it|test|describe)\b|\bf(?:it|describe)\b|[@\[]\s*(?:ignore|disabled)|DISABLED_|\bpending\b|\bassume"
    r"|\b_?exit\b|atexit|\babort\b|\bkill|__test__|pytestmark|collect_|#if|#define|=begin|<!--|\bset \+|TestMain"
    r"|setattr|\bsys\.modules|builtins|\b(?:jest|vi)\.(?:mock|spy)|\bprototype\b|expect\.extend",
    re.IGNORECASE,
)
_DECLARED = re.compile(
    r"\b(?:const|let|var|val)\s+([^=(:;)]+)|\bclass\s+([\w$]+)"
    r"|\b(?:function|def|func|fn|type|interface|static|alias)\s+([^=(:;\n]+)"
    r"|^[ \t]*([\w-]+)[ \t]*\(\)[ \t]*\{",
    re.MULTILINE,
)
_RETURNS = re.compile(r"^\s*(?:return|raise|throw|break|continue|goto)\b", re.MULTILINE)
_BEGINS = re.compile(r"\bdef\b|\bfunction\b|\bfunc\b|\bfn\b|\bfun\b|=>|\bdo\b|->|\bvoid\b")
_COMMENT = re.compile(r"#|//|--|\\$|<<")
_QUOTES = ('"""', "'''", "`")
_PAIRS = {")": "(", "]": "[", "}": "{"}


class Growth(IntEnum):
    SAME = 0
    GROWN = 1
    TURNED = 2
    CHANGED = 3


def growth(path: str, before: bytes, after: bytes) -> Growth:
    """How much of what `before` tested `after` is sure to test."""
    if before == after:
        return Growth.SAME
    try:
        old, new = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return Growth.CHANGED
    python = path.endswith(".py")
    if python and same_statements(old, new):
        return Growth.SAME
    was, lines = old.split("\n"), new.split("\n")
    there = _found(was, lines)
    if there is None:
        return Growth.GROWN if not python and _laid_out(old) == _laid_out(new) else Growth.CHANGED
    blocks = tuple(_between(there, len(lines)))
    if python:
        on = all(_in_some_place(lines, *block, lambda text: _leaves_on(text, frozenset())) for block in blocks)
        return Growth.GROWN if on and not shadows(old, new) else Growth.TURNED
    words = frozenset(_WORDS.findall(old))

    def leaves_on(text: str) -> bool:
        return _leaves_on(text, words) and not turns_off(path, text, words)

    on = all(_in_some_place(lines, *block, leaves_on) for block in blocks)
    return Growth.GROWN if on and not hides_its_end(path, was, lines) else Growth.TURNED


def renamed(before: bytes, after: bytes, names: Iterable[tuple[str, str]]) -> bool:
    """Whether it is the same text but for modules that bear another name now: (old, new), `calc` or `pkg.calc`."""
    there = ((old, new) for old, new in names if old.encode("utf-8", "surrogateescape") in before)
    return before == after or any(substituted(before, old, new) == after for old, new in there)


def substituted(text: bytes, old: str, new: str) -> bytes:
    """The text with one name in the other's place, where it is no part of a longer word."""
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(old.encode("utf-8", "surrogateescape")) + rb"(?![A-Za-z0-9])"
    return re.sub(pattern, lambda found: new.encode("utf-8", "surrogateescape"), text)


def module_names(gone: Iterable[str], made: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """How modules may be called now that `gone` files are away and `made` ones are there: (old, new).

    Of a great many files the first alone are compared, so that this is soon done.
    """
    news = [*islice(made, _COMPARED)]
    pairs = ((old, new) for old in islice(gone, _COMPARED) for new in news if _suffix(old) == _suffix(new))
    names = (name for old, new in pairs for name in _names(_bare(old).split("/"), _bare(new).split("/")))
    return tuple(islice(dict.fromkeys(names), _COMPARED))


def _names(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    yield ".".join(old), ".".join(new)
    yield "/".join(old), "/".join(new)
    differing = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) == len(new) and len(differing) == 1:
        yield differing[0]


def _suffix(path: str) -> str:
    return path.rsplit("/", 1)[-1].partition(".")[2]


def _bare(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + name.partition(".")[0]


def _laid_out(text: str) -> tuple[str, list[str]]:
    """The text without its blanks, and the lines with a comment: what is joined to one is no longer said."""
    lines = [line.strip() for line in text.split("\n")]
    return "".join(text.split()), [line for line in lines if _COMMENT.search(line)]


def _found(old: list[str], new: list[str]) -> list[int] | None:
    """Where each line of `old` is in `new`, in order; empty ones, and blanks at the end, apart. None: not all are."""
    places = iter(enumerate(new))
    found: list[int] = []
    for line in filter(str.strip, old):
        place = next((at for at, other in places if _is_line(line, other)), None)
        if place is None:
            return None
        found.append(place)
    return found


def _between(places: list[int], end: int) -> Iterator[tuple[int, int]]:
    """The blocks of lines that are not at `places`: where each begins and ends."""
    for before, after in zip([-1, *places], [*places, end], strict=True):
        if after - before > 1:
            yield before + 1, after


def _is_line(line: str, other: str) -> bool:
    if line.rstrip() == other.rstrip():
        return True
    if not (_IMPORT.match(line) and _IMPORT.match(other)):
        return False
    return set(_WORDS.findall(line)) <= set(_WORDS.findall(other)) and _quoted(line) == _quoted(other)


def _quoted(line: str) -> list[str]:
    return [text for _, text in _QUOTED.findall(line)]


def _in_some_place(lines: list[str], start: int, end: int, holds: Callable[[str], bool]) -> bool:
    """Whether it holds of the block, or of an equal one: a block moves by a line where the same line ends it."""
    first, last = start, end
    while start - first < _MOVES and first and lines[first - 1] == lines[last - 1]:
        first, last = first - 1, last - 1
    for _ in range(2 * _MOVES):
        if holds("\n".join(lines[first:last])):
            return True
        if last >= len(lines) or lines[first] != lines[last]:
            return False
        first, last = first + 1, last + 1
    return False


def _leaves_on(block: str, words: frozenset[str]) -> bool:
    """Whether it skips nothing, ends nothing, closes what it opens, and gives none of `words` another meaning."""
    returned = _RETURNS.search(block)
    if _OFF.search(block) or not _is_balanced(block) or (returned and not _BEGINS.search(block[: returned.start()])):
        return False
    return not frozenset(_declared(outside_of_braces(block))) & words


def _declared(text: str) -> Iterator[str]:
    found = (word for names in _DECLARED.findall(text) for name in names for word in _WORDS.findall(name))
    return (word for word in found if not word.isdigit())


def _is_balanced(block: str) -> bool:
    """Whether each bracket, comment and long quote finds its other end within it."""
    open_ones: list[str] = []
    if block.count("/*") != block.count("*/") or any(block.count(quote) % 2 for quote in _QUOTES):
        return False
    for letter in block:
        if letter in "([{":
            open_ones.append(letter)
        elif letter in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[letter]):
            return False
    return not open_ones
