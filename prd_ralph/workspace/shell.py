"""A shell line taken apart into lists, pipes and what they substitute, as far as it is plain; pure."""

import re
from dataclasses import dataclass

FILLED_IN = "\0"
"""Stands in a command's text for what a substitution gives."""
_OPERATOR = re.compile(r"&&|\|\||\|&|[;&|)`\n]|$")


@dataclass(frozen=True, slots=True)
class Command:
    """`text`: its words, quoted as they were. `inside`: the lists of `$(…)`, backquotes, `<(…)` and of a `( … )`."""

    text: str
    inside: tuple["Lines", ...] = ()
    group: "Lines" = ()


@dataclass(frozen=True, slots=True)
class Pipe:
    """`then`: the operator that follows it in its list; empty, `)` or a backquote after the last."""

    commands: tuple[Command, ...]
    then: str


Lines = tuple[Pipe, ...]


def read(line: str) -> Lines | None:
    """The line's list; None where it is more than lists, pipes and substitutions (a here-document, a function)."""
    try:
        return _Reader(line).lines("")
    except (_OddError, RecursionError):
        return None


class _OddError(Exception):
    pass


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def lines(self, closing: str) -> Lines:
        pipes: list[Pipe] = []
        commands: list[Command] = []
        while True:
            commands.append(self._command(closing))
            operator = self._take(_OPERATOR)
            if operator in ("|", "|&"):
                continue
            pipes.append(Pipe(tuple(commands), operator))
            commands = []
            if operator == closing:
                return tuple(pipes)
            if operator in ("", ")", "`"):
                raise _OddError

    def _command(self, closing: str) -> Command:
        said, inside, group = "", list[Lines](), Lines()
        while not self._ends(said, closing):
            if self._is("(") and (said.strip() or group):
                raise _OddError  # a function, an array, a pattern
            if self._is("("):
                self._at += 1
                group = self.lines(")")
            elif (filled := self._substitution(closing)) is not None:
                inside.append(filled)
                said += FILLED_IN
            elif self._is('"'):
                said += self._quoted(inside, closing)
            else:
                said += self._plain(said)
        return Command(said, tuple(inside), group)

    def _ends(self, said: str, closing: str) -> bool:
        if self._at == len(self._text) or (closing == "`" and self._is("`")):
            return True
        if self._is("&>") or (said.endswith((">", "<")) and (self._is("&") or self._is("|"))):
            return False  # a redirection
        return self._text[self._at] in ";&|)\n"

    def _substitution(self, closing: str) -> Lines | None:
        if self._is("$(") or self._is("<(") or self._is(">("):
            self._at += 2
            return self.lines(")")
        if self._is("`") and closing != "`":
            self._at += 1
            return self.lines("`")
        return None

    def _quoted(self, inside: list[Lines], closing: str) -> str:
        said = self._take(re.compile('"'))
        while not self._is('"'):
            plain = self._is("<") or self._is(">")  # no substitution of files here
            if not plain and (filled := self._substitution(closing)) is not None:
                inside.append(filled)
                said += FILLED_IN
            else:
                said += self._take(re.compile(r"(?s)\\.|[^\\`]"))
        return said + self._take(re.compile('"'))

    def _plain(self, said: str) -> str:
        if self._is("<<") and not self._is("<<<") and not said.endswith("<"):
            raise _OddError
        if self._is("#") and (not said or said[-1].isspace()):
            self._take(re.compile(r"[^\n]*"))
            return ""
        return self._take(re.compile(r"(?s)\\.|'[^']*'|(?!\$')[^\\']"))

    def _is(self, start: str) -> bool:
        return self._text.startswith(start, self._at)

    def _take(self, what: re.Pattern[str]) -> str:
        found = what.match(self._text, self._at)
        if found is None:
            raise _OddError
        self._at = found.end()
        return found.group()
