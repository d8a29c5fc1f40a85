"""Of files that every change may touch, the part that says how tests run; pure."""

import configparser
import json
import re
import tomllib
from collections.abc import Callable

_PYTHON_TOOLS = ("pytest", "tox", "nox", "hatch", "pdm", "poe", "taskipy", "coverage")
_PACKAGE_KEYS = ("jest", "mocha", "ava", "vitest", "c8", "nyc", "tap")
_INI = ("tool:pytest", "pytest", "aliases", "tox", "testenv")
_TESTING = re.compile(r"(?:pre|post)?(?:test|check|verify|lint)\b.*")
_FAULTS = (ValueError, RecursionError, configparser.Error)


def part_on_tests(path: str, data: bytes | None, words: frozenset[str]) -> object:
    """What a file says of how tests run, to be compared; None where it is no such file, or says nothing of it.

    `words` of the commands: scripts that they name are part of it. A file that cannot be read is its whole text.
    """
    reader = _READERS.get(path.rsplit("/", 1)[-1])
    if reader is None or data is None:
        return None
    try:
        return reader(data.decode("utf-8"), words) or None
    except _FAULTS:
        return data


def _pyproject(text: str, words: frozenset[str]) -> object:
    top = tomllib.loads(text)
    tool, project = _table(top, "tool"), _table(top, "project")
    found: dict[str, object] = {name: tool[name] for name in _PYTHON_TOOLS if name in tool}
    if plugins := _table(project, "entry-points").get("pytest11"):
        found["pytest11"] = plugins
    return found


def _cargo(text: str, words: frozenset[str]) -> object:
    top = tomllib.loads(text)
    parts = {"test": top.get("test"), "lib": _table(top, "lib").get("test"), "bench": top.get("bench")}
    parts["autotests"] = _table(top, "package").get("autotests")
    return {key: part for key, part in parts.items() if part is not None}


def _ini(text: str, words: frozenset[str]) -> object:
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections() if name.startswith(_INI)}


def _package(text: str, words: frozenset[str]) -> object:
    top = json.loads(text)
    scripts = _table(top, "scripts") if isinstance(top, dict) else {}
    found: dict[str, object] = {name: top[name] for name in _PACKAGE_KEYS if name in top}
    found |= {f"scripts.{name}": each for name, each in scripts.items() if name in words or _TESTING.fullmatch(name)}
    return found


def _table(top: object, key: str) -> dict[str, object]:
    value = top.get(key) if isinstance(top, dict) else None
    return value if isinstance(value, dict) else {}


_READERS: dict[str, Callable[[str, frozenset[str]], object]] = {
    "pyproject.toml": _pyproject,
    "Cargo.toml": _cargo,
    "setup.cfg": _ini,
    "package.json": _package,
    "composer.json": _package,
}
