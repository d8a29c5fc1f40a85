"""Which of the keys that look like commands hold commands: copied to ours only when the person asks for it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.prdfile.foreign.commands import Seen
from prd_ralph.prdfile.foreign.reading import Reading
from prd_ralph.prdfile.positions import Json, Path

# They prepare, start or publish; what they exit with says nothing of a story.
_NO_CHECKS = re.compile(
    r"(?:dev|start|serve|watch|run|install|setup|init|deploy|publish|release|format|fix|clean)(?:command|script)s?"
)
_PARTS = re.compile(r"\s*(?:&&|\|\||[;&|])\s*")
_PACKAGES = r"(?:npm|pnpm|yarn|bun|deno|composer|bundle|poetry|pipenv|uv|cargo|gem|mix|go|turbo)"
_PUBLISHES = re.compile(
    rf"{_PACKAGES} (?:run )?(?:publish|deploy|release)(?![-:.\w])|git (?:push|commit|reset|clean|checkout)\b"
    r"|make (?:deploy|publish|release|upload)(?![-:.\w])|docker push|kubectl (?:apply|delete)"
    r"|terraform (?:apply|destroy)|helm (?:install|upgrade|uninstall)|(?:ba|z|da)?sh$"
)
_STARTS = re.compile(
    rf"{_PACKAGES} (?:run )?(?:start|dev|serve|watch|install|i|ci|add|update|get)(?![-:.\w])"
    r"|make (?:run|start|serve|watch|install)(?![-:.\w])|docker(?: compose|-compose) up"
    r"|python3? -m (?:http\.server|pip)\b"
)
_PROGRAM = re.compile(
    r"ant|bash|bats|bazel|biome|black|bun|bundle|cargo|clang|cmake|composer|coverage|ctest|curl|cypress|dart|deno|diff"
    r"|docker|dotnet|dune|eslint|flake8|flutter|gcc|ghc|git|go|golangci-lint|gradle|grep|hatch|helm|jest|jq|julia|just"
    r"|kubectl|lein|lua|make|mix|mocha|mvn|mypy|ninja|nix|node|nox|npm|npx|perl|php|phpstan|phpunit|pipenv|playwright"
    r"|pnpm|poetry|prettier|psql|pylint|pyright|pytest|python3?|rake|rspec|rubocop|ruby|ruff|rustc|sbt|sh|shellcheck"
    r"|sqlite3|stack|stylelint|swift|terraform|tox|tsc|tsx|turbo|uv|uvx|vitest|vue-tsc|xcodebuild|yamllint|yarn|zig"
    r"|(?:\.{1,2}|bin|scripts)/.*|.*\.sh"
)
_PROSE = re.compile(r"(?:^|\s)(?:sure|the|an|that|it|is|are|must|should|every|when)(?:\s|$)", re.IGNORECASE)
_SETTINGS = re.compile(r"^(?:[A-Za-z_]\w*=\S*\s+)+")
_BRACKETED_END = re.compile(r"\s\([^()]*\)$")
_RUN_KEYS = ("run", "command", "cmd")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A command in a foreign key. `story` is its story's path, `()` for all; `fits` says whether it plainly is one."""

    path: Path
    command: Json
    story: Path
    fits: bool


def candidates(reading: Reading) -> tuple[Candidate, ...]:
    """Every text in the keys that look like commands, in the file's order, each place once."""
    found: dict[Path, Candidate] = {}
    for story, seen in _all(reading):
        for path, command in _texts(seen):
            fits = is_command(command, str(seen.path[-1]))
            found.setdefault(path, Candidate(path, command, story, fits))
    return tuple(found.values())


def is_command(command: Json, key: str) -> bool:
    """Whether a text under `key` plainly is a command, and one that judges.

    Under a name that ends in `command` anything but a sentence is; elsewhere it must begin with a known program.
    """
    plain = key.replace("_", "").replace("-", "").lower()
    if _NO_CHECKS.fullmatch(plain):
        return False
    if isinstance(command, list):
        return bool(command)
    line = str(command).strip()
    if not line or "\n" in line or _BRACKETED_END.search(line) or line.endswith((".", "!", "?", ":")):
        return False
    if _PROSE.search(line):
        return False
    program = _SETTINGS.sub("", line).split()[0]
    if _is_no_check(_SETTINGS.sub("", line)):
        return False
    named = plain.endswith(("command", "commands")) and not program[0].isupper()
    return named or _PROGRAM.fullmatch(program) is not None


def _is_no_check(line: str) -> bool:
    """Whether a part of the line publishes or changes what lasts, or the last part starts or installs something."""
    parts = [" ".join(part.split()) for part in _PARTS.split(line)]
    return any(map(_PUBLISHES.match, parts)) or _STARTS.match(parts[-1]) is not None


def _all(reading: Reading) -> Iterator[tuple[Path, Seen]]:
    yield from (((), seen) for seen in reading.seen)
    yield from ((story.entry.path, seen) for story in reading.stories for seen in story.seen)


def _texts(seen: Seen) -> Iterator[tuple[Path, Json]]:
    value = seen.value
    singular = str(seen.path[-1]).lower().endswith("command")
    if isinstance(value, list) and singular and all(isinstance(word, str) for word in value):
        yield seen.path, value  # a program and its arguments
        return
    yield from _texts_in(seen.path, value)


def _texts_in(path: Path, value: Json) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _texts_in((*path, index), _line_of(each))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _texts_in((*path, key), each) if isinstance(each, (str, list)) else ()


def _line_of(value: Json) -> Json:
    """Of a command with options, the command."""
    if isinstance(value, dict):
        return next((value[key] for key in _RUN_KEYS if isinstance(value.get(key), str)), None)
    return value
