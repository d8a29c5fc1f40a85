"""What is proposed, and the small readings that all of the finders share."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Files = Mapping[str, bytes]

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')


class Kind(StrEnum):
    """What a command is for, in the order in which it is to run: what is quick and names the cause goes first."""

    LINT = "lint"
    TYPECHECK = "typecheck"
    BUILD = "build"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Proposal:
    """`source` says what suggests the command: `package.json:12 scripts.test`."""

    kind: Kind
    command: str
    source: str


def text_of(files: Files, name: str) -> str:
    """A file's text, "" where there is none or it is no text."""
    try:
        return files.get(name, b"").decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""


def json_of(files: Files, name: str) -> dict[str, Any]:
    """The object in a JSON file, comments and trailing commas forgiven; empty where there is none."""
    text = text_of(files, name)
    value = _loaded(text) or _loaded(_TRAILING.sub(_string, _COMMENT.sub(_string, text)))
    return value if isinstance(value, dict) else {}


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _string(found: re.Match[str]) -> str:
    """Strings stay, what is no string goes."""
    return found[1] or ""


def toml_of(files: Files, name: str) -> dict[str, Any]:
    """The table of a TOML file; empty where there is none."""
    try:
        return tomllib.loads(text_of(files, name))
    except (ValueError, RecursionError):
        return {}


def within(value: Any, *keys: str) -> Any:
    """What stands under these keys, one in the other; None where they lead nowhere."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def at(files: Files, name: str, pattern: str, what: str = "", after: str = "") -> str:
    """`NAME:LINE what`: the first line of the file that has the pattern, from one that has the pattern `after` on."""
    text = text_of(files, name)
    begin = re.search(after, text)
    found = re.compile(pattern, re.MULTILINE).search(text, begin.start() if begin else 0)
    number = text.count("\n", 0, found.start()) + 1 if found else None
    return " ".join(filter(None, (f"{name}:{number}" if number else name, what)))
