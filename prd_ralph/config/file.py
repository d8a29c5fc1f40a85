"""prd-ralph.toml: read with the line of every key."""

import re
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from prd_ralph.errors import Problem

FILE_NAME = "prd-ralph.toml"
_KEY = r"""(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*"""
_STATEMENT = re.compile(rf"^\s*(\[*)\s*{_KEY}(?:\.\s*{_KEY})?[=.\]]")
_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The top-level values, the lines of keys (from 1, as far as they were found), and what is wrong with the file.

    A key within a table has the name `table.key` in `lines`.
    """

    values: dict[str, Any]
    lines: dict[str, int]
    problems: tuple[Problem, ...] = ()

    def line(self, name: str) -> int | None:
        """Where the key stands; else where its table begins."""
        return self.lines.get(name) or self.lines.get(name.partition(".")[0])


def read_file(root: Path) -> ConfigFile:
    """Reads the file in `root`; one that is not there is empty. Never raises for what the file is or holds."""
    path = root / FILE_NAME
    try:
        if not path.exists() and not path.is_symlink():
            return ConfigFile({}, {})
        mode = path.stat().st_mode
        if not S_ISREG(mode):
            return _broken(f"is {'a folder' if S_ISDIR(mode) else 'no regular file'}", "put a TOML file there")
        data = path.read_bytes()
    except OSError as error:
        return _broken(f"cannot be read: {error.strerror}", "mend or remove it")
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _broken("is not UTF-8", "save it as UTF-8", data.count(b"\n", 0, error.start) + 1)
    return _parse(source)


def _broken(message: str, hint: str, line: int | None = None) -> ConfigFile:
    return ConfigFile({}, {}, (Problem(message, hint, file=FILE_NAME, line=line),))


def _parse(source: str) -> ConfigFile:
    import tomllib

    try:
        values = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = _AT.search(str(error))
        line = int(found[1]) if found and found[1] else max(1, len(source.splitlines()))
        return _broken(f"is not TOML: {_AT.sub('', str(error))}", "https://toml.io shows how it is written", line)
    except RecursionError:
        return _broken("is nested too deeply", "keep it flat")
    return ConfigFile(values, _lines(source, values))


def _lines(source: str, values: dict[str, Any]) -> dict[str, int]:
    """Where each top-level key, and each key of a table, first stands.

    A line that looks like `key =` may lie inside a multi-line text: it is a statement if all before it is whole TOML.
    """
    found: dict[str, int] = {}
    lines = source.replace("\r\n", "\n").split("\n")
    table: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        match = _STATEMENT.match(line)
        if not match:
            continue
        keys = tuple(name for name in match.groups()[1:] if name is not None)
        path = keys if match[1] else (*table, *keys)
        new = [name for name in _names(path) if name not in found and _holds(values, name)]
        if (new or match[1]) and _is_whole("\n".join(lines[: number - 1])):
            found.update(dict.fromkeys(new, number))
            table = keys if match[1] else table
    return found


def _names(path: tuple[str, ...]) -> tuple[str, ...]:
    """`a` and `a.b`: what stands deeper is named after that."""
    return (path[0], ".".join(path[:2]))


def _holds(values: dict[str, Any], name: str) -> bool:
    top, _, key = name.partition(".")
    return top in values and (not key or (isinstance(values[top], dict) and key in values[top]))


def _is_whole(source: str) -> bool:
    import tomllib

    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        return False
    return True
