"""Which files of the project a shell line runs, as far as words tell; pure."""

import re
import shlex
from collections.abc import Iterable, Iterator

_NEXT = re.compile(r"[;&|()`\n]+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_BEFORE = frozenset({"env", "time", "nice", "exec", "command", "sudo", "then", "do", "else", "if", "while", "!", "{"})
_RUNNERS_OF = frozenset({"npx", "bunx", "uv", "poetry", "pipenv", "hatch", "pdm", "rye", "run", "xvfb-run"})
_READERS = re.compile(
    r"(?:ba|z|da|k)?sh|source|\.|python[\d.]*|pypy3?|node|deno|bun|ruby|perl|php|Rscript|lua|tsx|ts-node"
)
_TOOLS = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "gmake": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "rake": ("Rakefile",),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "ctest": ("CMakeLists.txt",),
    "pre-commit": (".pre-commit-config.yaml",),
}
TOOL_FILES = frozenset(name for names in _TOOLS.values() for name in names)
"""What tools go by, as `make` by its Makefile."""


def words(lines: Iterable[str]) -> frozenset[str]:
    """All the words of the lines."""
    return frozenset(word for line in lines for part in _NEXT.split(line) for word in split(part))


def scripts(lines: Iterable[str]) -> frozenset[str]:
    """Relative paths that the lines run: a program that is a path, what an interpreter reads, what a tool goes by."""
    return frozenset(path for line in lines for part in _NEXT.split(line) for path in run_by(split(part)))


def looped(lines: Iterable[str]) -> frozenset[str]:
    """The words that loops of the lines go over, as `checks/*` in `for each in checks/*; do …`."""
    parts = (split(part) for line in lines for part in _NEXT.split(line))
    return frozenset(_plain(word) for part in parts if part[:1] == ["for"] and "in" in part for word in part[3:])


def is_one_of(path: str, named: frozenset[str]) -> bool:
    """Whether `path` is a script of these, be it from a folder below the root that a command goes to."""
    return any(path == name or path.endswith(f"/{name}") for name in named)


def split(text: str) -> list[str]:
    """The words of a part of a line, without quotes."""
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # a quote whose other end is in another part
        return text.replace("'", " ").replace('"', " ").split()


def after_prefixes(parts: list[str]) -> list[str]:
    """A command's words from its program on: without variables, keywords, and programs that start another one."""
    at = 0
    while at < len(parts) and (parts[at] in _BEFORE | _RUNNERS_OF or _ASSIGNED.match(parts[at])):
        at += 1
    return parts[at:]


def run_by(parts: list[str]) -> Iterator[str]:
    """The paths that one command runs, by its words."""
    program, *rest = after_prefixes(parts) or [""]
    name = program.rsplit("/", 1)[-1]
    yield from _TOOLS.get(name, ())
    if _READERS.fullmatch(name):
        yield from _read_by(rest)
    elif "/" in program:
        yield _plain(program)


def _read_by(rest: list[str]) -> Iterator[str]:
    """What an interpreter is given to run: its first argument, a module, or a line of its own."""
    for at, word in enumerate(rest):
        if word in ("-m", "-c") or re.fullmatch(r"-[a-z]*c", word):
            following = rest[at + 1] if at + 1 < len(rest) else ""
            if word == "-m":
                module = following.replace(".", "/")
                yield from (f"{module}.py", f"{module}/__main__.py") if module else ()
            else:
                yield from scripts([following])
            return
        if not word.startswith("-") and word != "run":
            yield _plain(word)
            return


def _plain(path: str) -> str:
    return path.removeprefix("./")
