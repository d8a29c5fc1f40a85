"""Whether a shell line only looks: reads, or asks how something stands.

Conservative: it does so only where each of its commands is known to. The line is read roughly, and nothing of it is
run; what is not understood acts.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

from prd_ralph.agents.lookers import looks

_LINE_LIMIT = 10_000
_OPERATORS = "();<>|&\n"
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_TIME = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_LEADING = frozenset({"while", "until", "if", "elif", "then", "else", "do", "!", "{"} | {"time", "command", "sudo"})
_CLOSING = frozenset({"done", "fi", "}", "for", "break", "continue", "exit", "set", "export"})
_SHELLS = frozenset({"bash", "sh", "zsh"})


def only_looks(line: str) -> bool:
    """Whether all commands of a shell line are known to change nothing."""
    if len(line) > _LINE_LIMIT or "`" in line:
        return False
    try:
        commands = list(_commands(line))
    except ValueError:  # an open quote
        return False
    return any(commands) and all(map(_looks, commands))


def _commands(line: str) -> Iterator[list[str]]:
    """The simple commands, without their harmless redirections; one that writes into a file is `>`."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    command: list[str] = []
    into = False
    for word in lexer:
        if into:
            into = False
            if word != "/dev/null" and not word.isdigit():
                yield [">"]
        elif word and set(word) <= set(_OPERATORS):
            into = ">" in word
            if not into and word not in ("<", "<<<"):
                yield command
                command = []
        else:
            command.append(word)
    yield command


def _looks(command: Sequence[str]) -> bool:
    words = _bare(command)
    if any("$(" in word for word in command):  # within quotes: another line
        return False
    if not words or words[0] in _CLOSING or words[0].startswith("#"):
        return True
    program, arguments = words[0].rpartition("/")[2], words[1:]
    if program in _SHELLS:
        return len(arguments) == 2 and re.fullmatch(r"-\w*c", arguments[0]) is not None and only_looks(arguments[1])
    return looks(program, arguments)


def _bare(command: Sequence[str]) -> list[str]:
    """Without what may stand before a command: assignments, keywords, `timeout 5`."""
    words = list(command)
    while words:
        if words[0] in _LEADING or _ASSIGNMENT.match(words[0]):
            del words[0]
        elif words[0] == "timeout" and len(words) > 1 and _TIME.fullmatch(words[1]):
            del words[:2]
        else:
            break
    return words
