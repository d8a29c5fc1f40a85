"""Which program a command starts, and which of them want a person at a terminal."""

import re
from collections.abc import Sequence

from prd_ralph.model import Check
from prd_ralph.prdfile.shell import program_of

_PLAIN = re.compile(r"\s*([A-Za-z0-9_./+-]+)(?:\s|$)")
# Of bash: what it knows itself need not be on PATH.
_WORDS = """
. alias bg break builtin caller case cd command compgen complete continue coproc declare dirs disown do done echo elif
else enable esac eval exec exit export false fc fg fi for function getopts hash help if in jobs kill let local logout
mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test then time times
trap true type typeset ulimit umask unalias unset until wait while
"""
_SHELLS_OWN = frozenset(_WORDS.split())

# Programs that take over a terminal, and the options with which they don't.
_FULL_SCREEN = {
    **dict.fromkeys(("vi", "vim", "nvim"), frozenset({"-e", "-es", "-E", "-Es", "-s", "--headless", "--version"})),
    **dict.fromkeys(("top", "htop", "atop"), frozenset({"-b", "-bn1", "-bn", "--batch", "--version"})),
    **dict.fromkeys(("nano", "pico", "mc", "fzf", "dialog", "whiptail"), frozenset({"-f", "--filter", "--version"})),
    "emacs": frozenset({"--batch", "-batch", "--script", "-script", "--version"}),
}
_CONTAINERS = frozenset({"docker", "podman", "kubectl", "nerdctl"})
_TTY_OPTION = re.compile(r"-[di]*t[di]*|--tty(?:=true)?")
_ASKING = {("git", "add"): {"-p", "-i", "--patch", "--interactive"}, ("git", "rebase"): {"-i", "--interactive"}}

_SCRIPT_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_SERVING = frozenset({"dev", "serve", "watch"})


def first_word(check: Check) -> str:
    """The program that the command starts; "" where only a shell could tell."""
    if not isinstance(check.run, str):
        return check.run[0]
    found = _PLAIN.match(check.run)
    return found[1] if found and found[1] not in _SHELLS_OWN else ""


def wants_terminal(words: Sequence[str]) -> str | None:
    """What in these words needs a person at a terminal; None where nothing does."""
    program = program_of(words)
    if not program:
        return None
    name, rest = program[0], program[1:]
    if name in _FULL_SCREEN and not _FULL_SCREEN[name] & set(rest):
        return name
    if name in _CONTAINERS:
        return _container(name, rest)
    if rest and (asked := _ASKING.get((name, rest[0]), set()) & set(rest)):
        return f"{name} {rest[0]} {min(asked)}"
    return None


def goes_on(words: Sequence[str]) -> str | None:
    """What in these words watches or serves until it is ended; None where nothing does, or something bounds it."""
    program = program_of(words)
    if not program or "timeout" in words:
        return None
    name, rest = program[0], program[1:]
    if name == "tail" and {"-f", "-F", "--follow"} & set(rest):
        return "tail -f"
    if option := {"--watch", "--watchAll", "--watch=true", "--watchAll=true"} & set(rest):
        return min(option)
    script = rest[1:] if rest[:1] == ("run",) else rest
    served = name in _SCRIPT_RUNNERS and len(script) == 1 and script[0] in _SERVING
    return " ".join(program) if served else None


def _container(name: str, rest: Sequence[str]) -> str | None:
    """`docker run -it`: only the options before the image, whose command has options of its own."""
    words = list(rest[1:] if rest[:1] == ("compose",) else rest)
    if words[:1] not in (["run"], ["exec"]):
        return None
    for word in words[1:]:
        if not word.startswith("-") or word == "--":
            return None
        if _TTY_OPTION.fullmatch(word):
            return f"{name} {words[0]} {word}"
    return None
