"""Words and operators to a tree. What is not read here (`case`, functions, arithmetic `for`) is no tree at all."""

from functools import lru_cache

from prd_ralph.prdfile.shell.nodes import Chain, If, Loop, Node, Not, Pipe, Series, Simple
from prd_ralph.prdfile.shell.tokens import REDIRECTS, Token, UnreadableError, tokens

_DEPTH = 50
# Linux: MAX_ARG_STRLEN. No shell can be given more, so that nothing longer passes.
_LONGEST = 131_071
_UNREAD = frozenset({"case", "select", "function", "coproc", "trap"})
_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "}"})
_ENDS = frozenset({";", "\n", "&"})
_END = Token("")


@lru_cache(maxsize=256)
def parsed(line: str) -> Node | None:
    """The line's tree; None where it is not shell, or more of it than is read here."""
    if len(line) > _LONGEST:
        return None
    try:
        parser = _Parser(list(tokens(line)))
        tree = parser.series(frozenset())
        return tree if parser.at_end else None
    except UnreadableError:
        return None


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens, self._position, self._depth = found, 0, 0

    @property
    def at_end(self) -> bool:
        return self._position >= len(self._tokens)

    @property
    def _next(self) -> Token:
        return _END if self.at_end else self._tokens[self._position]

    def _take(self) -> Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _is(self, *operators: str) -> bool:
        return not self._next.is_word and self._next.text in operators

    def _keyword(self) -> str:
        """The bare word that stands here; "" where none does."""
        return self._next.text if self._next.bare else ""

    def _expect(self, text: str) -> None:
        if self.at_end or self._next.text != text or self._next.is_word != self._next.bare:
            raise UnreadableError
        self._take()

    def series(self, closers: frozenset[str]) -> Node:
        """Up to one of the keywords `closers`, a `)` or the end."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise UnreadableError
        parts: list[tuple[Node, bool]] = []
        while True:
            while self._is(*_ENDS):
                self._take()
            if self.at_end or self._is(")") or self._keyword() in closers:
                break
            part = self._chain()
            background = self._is("&")
            parts.append((part, background))
            if not (self.at_end or self._is(*_ENDS, ")") or self._keyword() in closers):
                raise UnreadableError
        self._depth -= 1
        if not parts:
            raise UnreadableError
        return parts[0][0] if len(parts) == 1 and not parts[0][1] else Series(tuple(parts))

    def _chain(self) -> Node:
        first, rest = self._pipe(), list[tuple[str, Node]]()
        while self._is("&&", "||"):
            operator = self._take().text
            while self._is("\n", "&&", "||"):  # more than one operator is the shell's to refuse
                self._take()
            rest.append((operator, self._pipe()))
        return Chain(first, tuple(rest)) if rest else first

    def _pipe(self) -> Node:
        negated = False
        while self._keyword() in ("!", "time"):
            negated ^= self._take().text == "!"
        parts = [self._command()]
        while self._is("|", "|&"):
            self._take()
            while self._is("\n"):
                self._take()
            parts.append(self._command())
        node = parts[0] if len(parts) == 1 else Pipe(tuple(parts))
        return Not(node) if negated else node

    def _command(self) -> Node:
        keyword = self._keyword()
        if keyword in _UNREAD or keyword in _CLOSERS:
            raise UnreadableError
        compound = {"{": self._braces, "if": self._if, "while": self._while, "until": self._while, "for": self._for}
        if self._is("("):
            node = self._brackets()
        elif keyword in compound:
            self._take()
            node = compound[keyword]()
        else:
            return self._simple()
        while self._is(*REDIRECTS):
            self._redirect()
        return node

    def _simple(self) -> Node:
        words, start = list[Token](), self._position
        test = self._keyword() == "[["
        while not self.at_end:
            if self._next.is_word or (test and not self._is("\n")):
                words.append(self._take())
                test = test and words[-1].text != "]]"
            elif self._is(*REDIRECTS):
                self._redirect()
            else:
                break
        if self._is("(") or test or self._position == start:  # a function, an open `[[`, or nothing at all
            raise UnreadableError
        return Simple(tuple(words))

    def _redirect(self) -> None:
        self._take()
        if self.at_end or not self._next.is_word:
            raise UnreadableError
        self._take()

    def _brackets(self) -> Node:
        self._take()
        node = self.series(frozenset())
        self._expect(")")
        return Series(((node, False),))  # an `exit` in it leaves the brackets alone

    def _braces(self) -> Node:
        node = self.series(frozenset({"}"}))
        self._expect("}")
        return node

    def _if(self) -> Node:
        branches, otherwise, keyword = list[tuple[Node, Node]](), None, "if"
        while keyword in ("if", "elif"):
            condition = self.series(frozenset({"then"}))
            self._expect("then")
            branches.append((condition, self.series(frozenset({"elif", "else", "fi"}))))
            keyword = self._keyword()
            self._expect(keyword)
        if keyword == "else":
            otherwise = self.series(frozenset({"fi"}))
            self._expect("fi")
        return If(tuple(branches), otherwise)

    def _while(self) -> Node:
        condition = self.series(frozenset({"do"}))
        return Loop(condition, self._body())

    def _for(self) -> Node:
        while not self._is(*_ENDS):
            if self.at_end or not self._next.is_word:
                raise UnreadableError
            self._take()
        while self._is(*_ENDS):
            self._take()
        return Loop(None, self._body())

    def _body(self) -> Node:
        self._expect("do")
        body = self.series(frozenset({"done"}))
        self._expect("done")
        return body
