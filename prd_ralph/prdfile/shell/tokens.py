"""A shell line as words and operators (POSIX.1-2017, XCU 2.3, and what bash adds)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SPACE = re.compile(r"(?:[ \t\r]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r"&&|\|\||\|&|&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||[;&|\n()]|<(?!\()|>(?!\()")
_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`;&|<>()]+")
_SINGLE = re.compile(r"'[^']*'")
_ANSI = re.compile(r"\$'(?:[^'\\]|\\.)*'", re.DOTALL)
_DOUBLE = re.compile(r"[^\"\\$`]+|\\.", re.DOTALL)
_BACKTICKS = re.compile(r"`(?:[^`\\]|\\.)*`", re.DOTALL)
_QUOTED = {"'": _SINGLE, "`": _BACKTICKS, "$": _ANSI}
_CLOSERS = {"$(": ")", "<(": ")", ">(": ")", "(": ")", "${": "}", "{": "}"}
_DEPTH = 50

REDIRECTS = frozenset({"<", ">", ">>", "<&", ">&", "<>", ">|", "&>", "&>>", "<<", "<<-", "<<<"})


class UnreadableError(Exception):
    """More of the shell than is read here, or none of it."""


@dataclass(frozen=True, slots=True)
class Token:
    """`text` of a word is without its quotes; `bare`: nothing in it was quoted or put in by the shell."""

    text: str
    is_word: bool = False
    bare: bool = False


def tokens(line: str) -> Iterator[Token]:
    """Raises UnreadableError for a quote or bracket that nothing closes."""
    position, waiting, last = 0, list[tuple[str, str]](), ""
    while position < len(line):
        if skipped := _SPACE.match(line, position) or _COMMENT.match(line, position):
            position = skipped.end()
        elif found := _OPERATOR.match(line, position):
            position, last = found.end(), found[0]
            yield Token(last)
            if last == "\n":
                position = _after_documents(line, position, waiting)
        else:
            position, word = _word(line, position)
            if last in ("<<", "<<-"):
                waiting.append((last, word.text))
            last = ""
            if not (word.bare and word.text.isdigit() and line[position : position + 1] in ("<", ">")):
                yield word


def _after_documents(line: str, position: int, waiting: list[tuple[str, str]]) -> int:
    """Behind the here-documents that begin in this line."""
    for operator, end in waiting:
        while position < len(line):
            stop = line.find("\n", position)
            text = line[position : stop if stop >= 0 else len(line)]
            position = stop + 1 if stop >= 0 else len(line)
            if (text.lstrip("\t") if operator == "<<-" else text) == end:
                break
    waiting.clear()
    return position


def _word(line: str, position: int) -> tuple[int, Token]:
    text: list[str] = []
    bare = True
    while position < len(line):
        if plain := _PLAIN.match(line, position):
            text.append(plain[0])
            position = plain.end()
        elif line[position] in " \t\r\n;&|)" or (line[position] in "<>(" and not _opens(line, position)):
            break
        else:
            start, position = position, _piece(line, position)
            text.append(_unquoted(line[start:position]))
            bare = False
    return position, Token("".join(text), True, bare)


def _opens(line: str, position: int) -> bool:
    return line.startswith(("<(", ">("), position)


def _piece(line: str, position: int, depth: int = 0) -> int:
    """The end of what begins here with a quote, backslash, `$` or `<(`."""
    char = line[position]
    if char == '"':
        return _double(line, position + 1, depth)
    if line.startswith(("$(", "${", "<(", ">("), position):
        return _bracket(line, position + 2, _CLOSERS[line[position : position + 2]], depth + 1)
    if char == "\\" or (char == "$" and not line.startswith("$'", position)):
        return min(position + (2 if char == "\\" else 1), len(line))
    if not (found := _QUOTED[char].match(line, position)):
        raise UnreadableError
    return found.end()


def _double(line: str, position: int, depth: int) -> int:
    while position < len(line) and line[position] != '"':
        found = _DOUBLE.match(line, position)
        position = found.end() if found else _piece(line, position, depth)
    if position >= len(line):
        raise UnreadableError
    return position + 1


def _bracket(line: str, position: int, closer: str, depth: int) -> int:
    """Behind the bracket that closes `$(`, `${` or a bracket within one."""
    if depth > _DEPTH:
        raise UnreadableError
    while position < len(line):
        char = line[position]
        if char == closer:
            return position + 1
        if char in "\"'`\\" or line.startswith(("$(", "${", "$'"), position):
            position = _piece(line, position, depth)
        elif char in "({" and _CLOSERS[char] == closer:
            position = _bracket(line, position + 1, closer, depth + 1)
        else:
            position += 1
    raise UnreadableError


def _unquoted(piece: str) -> str:
    if piece[0] in "'\"" and len(piece) > 1:
        return re.sub(r'\\([\\"$`])', r"\1", piece[1:-1]) if piece[0] == '"' else piece[1:-1]
    return piece[1:] if piece[0] == "\\" else piece
