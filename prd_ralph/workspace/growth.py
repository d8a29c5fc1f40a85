"""What became of a test file: whether all that its base tested is there still. Pure; on bytes, never on a work tree.

A file has GROWN where every line of base stands, in order (an import may name more than before). What was added may
sway the rest all the same: a `return`, a skip, a comment around it. Only where nothing of that kind can be meant is it
SAME in what it proves: a new test beside the old ones, which could as well stand in a file of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from enum import IntEnum

from prd_ralph.workspace.pythontests import same_statements

_WORDS = re.compile(r"\w+")
_QUOTED = re.compile(r"""(["'])(.*?)\1""")
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|const \{|let \{|var \{|export \{|#include\b)")
_SWAY = re.compile(
    r"skip|only|ignor|disable|pending|todo|fail|\bx(?:it|test|describe)\b|\bf(?:it|describe)\b|exit|abort|kill|return|throw"
    r"|break|continue|goto|mock|stub|spy|proto|extend|global|process|eval|\bexec|\binit\b|TestMain|setUp|tearDown"
    r"|before|after|assume|catch|rescue|cfg|#if|#define|begin|/\*|\*/|\"\"\"|'''|<!--|-->|=end|`|<<|\\$",
    re.IGNORECASE | re.MULTILINE,
)
_DECLARED = re.compile(r"\b(?:const|let|var|val|function|class|def|func|fn|type|interface|static|alias)\s+([^=(:;]+)")
_PAIRS = {")": "(", "]": "[", "}": "{"}


class Growth(IntEnum):
    SAME = 0
    GROWN = 1
    CHANGED = 2


def growth(path: str, before: bytes, after: bytes) -> Growth:
    """How much of what `before` tested `after` is sure to test."""
    if before == after:
        return Growth.SAME
    try:
        old, new = before.decode("utf-8"), after.decode("utf-8")
    except UnicodeDecodeError:
        return Growth.CHANGED
    if path.endswith(".py"):
        if same_statements(old, new):
            return Growth.SAME
        return Growth.GROWN if _stand(old, new) else Growth.CHANGED
    if not _stand(old, new):
        return Growth.GROWN if "".join(old.split()) == "".join(new.split()) else Growth.CHANGED
    return Growth.SAME if _only_beside(old.splitlines(), new.splitlines()) else Growth.GROWN


def renamed(before: bytes, after: bytes, names: Iterable[tuple[str, str]]) -> bool:
    """Whether it is the same text but for modules that bear another name now: (old, new), `calc` or `pkg.calc`."""
    return before == after or any(substituted(before, old, new) == after for old, new in names)


def substituted(text: bytes, old: str, new: str) -> bytes:
    """The text with one name in the other's place, where it is no part of a longer word."""
    pattern = rb"(?<![A-Za-z0-9])" + re.escape(old.encode()) + rb"(?![A-Za-z0-9])"
    return re.sub(pattern, lambda found: new.encode(), text)


def module_names(gone: Iterable[str], made: Iterable[str]) -> Iterator[tuple[str, str]]:
    """How modules may be called now that `gone` files are away and `made` ones are there: (old, new)."""
    news = [*made]
    for old in gone:
        for new in news:
            if _suffix(old) == _suffix(new):
                yield from _names(_bare(old).split("/"), _bare(new).split("/"))


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


def _stand(old: str, new: str) -> bool:
    """Whether every line of `old` is in `new`, in order; empty ones, and blanks at the end, apart."""
    lines = iter(new.splitlines())
    return all(any(_is_line(line, other) for other in lines) for line in old.splitlines() if line.strip())


def _is_line(line: str, other: str) -> bool:
    if line.rstrip() == other.rstrip():
        return True
    if not (_IMPORT.match(line) and _IMPORT.match(other)):
        return False
    return set(_WORDS.findall(line)) <= set(_WORDS.findall(other)) and _quoted(line) == _quoted(other)


def _quoted(line: str) -> list[str]:
    return [text for _, text in _QUOTED.findall(line)]


def _only_beside(old: list[str], new: list[str]) -> bool:
    """Whether all that was added are blocks of their own, with nothing in them that sways what stands around them."""
    words = frozenset(_WORDS.findall("\n".join(old)))
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return all(
        kind == "equal" or (kind == "insert" and _in_some_place(new, start, end, lambda block: _tame(block, words)))
        for kind, _, _, start, end in blocks
    )


def _in_some_place(lines: list[str], start: int, end: int, holds: Callable[[str], bool]) -> bool:
    """Whether it holds of the block, or of an equal one: a block moves by a line where the same line ends it."""
    first, last = start, end
    while first and lines[first - 1] == lines[last - 1]:
        first, last = first - 1, last - 1
    while True:
        if holds("\n".join(lines[first:last])):
            return True
        if last >= len(lines) or lines[first] != lines[last]:
            return False
        first, last = first + 1, last + 1


def _tame(block: str, words: frozenset[str]) -> bool:
    """`words`: what the text around it speaks of, and which must go on to mean what it meant."""
    declared = {word for names in _DECLARED.findall(_outermost(block)) for word in _WORDS.findall(names)}
    return _SWAY.search(block) is None and _is_balanced(block) and not declared & words


def _is_balanced(block: str) -> bool:
    """Whether each bracket of it finds its own within it."""
    open_ones: list[str] = []
    for letter in block:
        if letter in "([{":
            open_ones.append(letter)
        elif letter in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[letter]):
            return False
    return not open_ones


def _outermost(block: str) -> str:
    """The block without what stands in braces."""
    found, depth = "", 0
    for letter in block:
        depth -= letter == "}"
        found += letter if depth <= 0 else ""
        depth += letter == "{"
    return found
