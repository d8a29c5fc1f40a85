"""Which test runners a command calls by name, as far as its text tells: what is not plain is not guessed at."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Run = str | tuple[str, ...]
"""A verification command: a shell line, or an argv."""

_UNREAD = re.compile(r"[`()\n]|<<|(?:^|\s)#|(?:^|[;&|])\s*(?:if|for|while|until|case|function|!|\{)\s")
_NEGATION = re.compile(r"\$\?|(?:^|[;&|({])\s*(?:!|if|case|until|while)\s")
_LISTS = frozenset({"&&", "||", ";"})
_PIPES = frozenset({"|", "|&", "&"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_REDIRECTION = re.compile(r"&?[<>][<>&|]*")
_PYTHON = re.compile(r"python[0-9.]*|pypy[0-9.]*")
# What runs the program that is named after it, with how many words of its own.
_BEFORE: Mapping[tuple[str, ...], int] = {
    ("env",): 0,
    ("time",): 0,
    ("nice",): 0,
    ("exec",): 0,
    ("command",): 0,
    ("timeout",): 1,
    ("npx",): 0,
    ("bunx",): 0,
    ("yarn",): 0,
    ("pnpm", "exec"): 0,
    ("pnpm",): 0,
    ("uv", "run"): 0,
    ("poetry", "run"): 0,
    ("pipenv", "run"): 0,
    ("pdm", "run"): 0,
    ("bundle", "exec"): 0,
}
_QUIET = frozenset({"--version", "-V", "--help", "-h", "--json", "-json"})


@dataclass(frozen=True, slots=True)
class Program:
    """A runner as it is called. `closings`: the names under which its closing lines are known.

    `settled`: no setting in a file makes it silent; of others only an output without any word is worth a remark.
    `quiet`: arguments (or beginnings of them) that make it say something else, or nothing.
    """

    label: str
    closings: tuple[str, ...]
    settled: bool = False
    quiet: tuple[str, ...] = ()


_PYTEST = Program(
    "pytest",
    ("pytest", "pytest -qq"),
    True,
    ("-qq", "-qqq", "--co", "--collect-only", "--fixtures", "--markers", "--cache-show", "-p"),
)
_PROGRAMS: Mapping[tuple[str, ...], Program] = {
    ("pytest",): _PYTEST,
    ("py.test",): _PYTEST,
    ("python", "-m", "pytest"): _PYTEST,
    ("python", "-m", "unittest"): Program("unittest", ("unittest",), True),
    ("behave",): Program("behave", ("behave",), False, ("-f", "--format", "--steps", "--tags-help")),
    ("jest",): Program("jest", ("jest",), False, ("--listTests", "--reporters", "--showConfig", "--init")),
    ("vitest",): Program("vitest", ("vitest",), False, ("list", "--reporter", "bench")),
    ("mocha",): Program("mocha", ("mocha", "TAP"), False, ("-R", "--reporter", "--dry-run")),
    ("ava",): Program("ava", ("ava", "TAP", "TAP lines"), False),
    ("playwright", "test"): Program("playwright", ("playwright",), False, ("--list", "--reporter", "--ui")),
    ("node", "--test"): Program("node --test", ("TAP",), True, ("--test-reporter",)),
    ("deno", "test"): Program("deno", ("deno",), True, ("--reporter", "--no-run")),
    ("bun", "test"): Program("bun", ("bun",), True, ("--reporter",)),
    ("go", "test"): Program("go test", ("go test",), True, ("-c", "-list", "-exec", "-n")),
    ("gotestsum",): Program("gotestsum", ("gotestsum",), False, ("--format", "-f")),
    ("cargo", "test"): Program("cargo test", ("cargo test",), False, ("--no-run", "--list", "--format")),
    ("cargo", "nextest"): Program("nextest", ("nextest",), False, ("list", "archive")),
    ("ctest",): Program(
        "ctest",
        ("ctest",),
        True,
        ("-Q", "--quiet", "-N", "--show-only", "--print-labels", "--build-and-test", "-S", "-D", "-T"),
    ),
    ("prove",): Program("prove", ("prove",), False, ("-Q", "--QUIET", "--formatter", "-D")),
    ("rspec",): Program("rspec", ("rspec",), False, ("-f", "--format", "--init", "-o", "--out")),
    ("phpunit",): Program("phpunit", ("phpunit",), False, ("--no-output", "--no-results", "--list")),
    ("pest",): Program("pest", ("pest",), False, ("--list", "--init")),
    ("mix", "test"): Program("mix test", ("ExUnit",), False, ("--formatter",)),
}
_LONGEST = max(map(len, _PROGRAMS))


@dataclass(frozen=True, slots=True)
class Calls:
    """The runners that a command calls by name, in order. `last` is the one that it ends with, called plainly: nothing
    takes its output away."""

    programs: tuple[Program, ...] = ()
    last: Program | None = None


def calls_of(run: Run) -> Calls:
    """What is called. Of a line that can't be read as a plain list of commands: nothing."""
    if isinstance(run, tuple):
        found = _program(run)
        return Calls((found[0],), found[0] if _speaks(*found) else None) if found else Calls()
    commands = tuple(_simple_commands(run))
    found_all = [found for words, _ in commands if (found := _program(words))]
    last = _program(commands[-1][0]) if commands and commands[-1][1] else None
    return Calls(tuple(program for program, _ in found_all), last[0] if last and _speaks(*last) else None)


def expects_failure(run: Run) -> bool:
    """Whether the line turns a status round, or looks at it: then tests that fail may be what is wanted."""
    return any(map(_NEGATION.search, (run,) if isinstance(run, str) else run))


def is_filtered(run: Run) -> bool:
    """Whether a pipe may take lines out of the output."""
    return any("|" in word.replace("||", "") for word in ((run,) if isinstance(run, str) else run))


def _simple_commands(line: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The words of each simple command, and whether it is sure to run, with its output as the line's own."""
    if _UNREAD.search(line):
        return
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:  # a quotation that does not end
        return
    words: list[str] = []
    plain = True
    for token in [*tokens, ";"]:
        if token in _LISTS or token in _PIPES:
            if words:
                yield tuple(words), plain and token not in _PIPES
            words, plain = [], token in ("&&", ";")
        elif _REDIRECTION.fullmatch(token):
            plain = plain and token == ">&" and words[-1:] == ["2"]
            words = [*words, token]
        else:
            words.append(token)


def _program(words: tuple[str, ...]) -> tuple[Program, tuple[str, ...]] | None:
    """The runner that a simple command is a call of, and its arguments."""
    words = _bare(words)
    if not words:
        return None
    name = words[0].rsplit("/", 1)[-1]
    words = ("python" if _PYTHON.fullmatch(name) else name, *words[1:])
    if words[:3] == ("python", "-m", "coverage"):
        words = words[2:]
    if words[:3] == ("coverage", "run", "-m"):
        words = ("python", *words[2:])
    for size in range(_LONGEST, 0, -1):
        if program := _PROGRAMS.get(words[:size]):
            return program, words[size:]
    return None


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without what stands before the program: assignments, `npx`, `timeout 60`."""
    while words:
        if words[0].startswith("PYTEST_ADDOPTS="):
            return ()
        if _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        before = next((each for each in (words[:2], words[:1]) if each in _BEFORE), None)
        if before is None:
            return words
        words = words[len(before) + _BEFORE[before] :]
        if words and words[0].startswith("-"):  # an option of what stands before: which words are its is not known
            return ()
    return words


def _speaks(program: Program, arguments: tuple[str, ...]) -> bool:
    """Whether it ends with its closing lines, called so."""
    options = {word.partition("=")[0] for word in arguments}
    return not options & (_QUIET | set(program.quiet)) and sum(word in ("-q", "--quiet") for word in arguments) < 2
