"""The published schema, applied; its errors in words."""

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from prd_ralph.assets import asset
from prd_ralph.errors import Problem
from prd_ralph.prdfile.keys import COMMAND_KEYS, closest, meant_by
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Source
from prd_ralph.prdfile.text import printable, shown

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

_TYPES = {
    "string": "a text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "array": "a list",
    "object": "an object",
}
_HINTS = {
    "userStories": "write a list with at least one story: `prd-ralph demo` shows a file that works",
    "passes": "write true or false without quotes; false for what is still to be done",
    "priority": "write a number, lower is sooner; leave the key out for last",
    "verificationCommands": 'write a list of commands, as ["npm test"], or leave the key out',
    "dependsOn": 'write a list of story ids, as ["US-001"]',
    "acceptanceCriteria": "write a list of sentences",
    "id": 'give the story an id, as "US-001"',
    "title": "say in a few words what is to be done",
    "project": 'give the project a name: "project": "…"',
    "run": 'name the command: "run": "npm test"',
    "when": 'write "always" or "land"',
    "timeout": "write a number of seconds",
    "protect": '"auto", or a list: ["tests/acceptance/**"]',
    "env": 'write texts: {"CI": "1"}',
}
# What other tools call the one key that a command must have.
_RUN_WORDS = frozenset({"cmd", "command", "exec", "shell", "script"})
# What misses or differs, as a rule, where another tool's file has `userStories` too.
_FOREIGN_MISSING = frozenset({"id", "title", "passes"})
_FOREIGN_TYPES = frozenset({"priority", "acceptanceCriteria", "dependsOn", "userStories"})


def violations(source: Source) -> Iterator[tuple[Problem, bool]]:
    """Each violation of the schema in words, and whether it is typical of another tool's file."""
    for error in _validator().iter_errors(source.root.value):
        path: Path = tuple(error.absolute_path)
        value: Any = error.instance
        if error.validator == "required":
            yield from _missing(source, path, error, value)
        elif error.validator == "additionalProperties":
            yield from _unknown(source, path, value)
        else:
            message = f"{_name(path, error)} {_wrong(error, value)}"
            foreign = error.validator == "type" and _key(path) in _FOREIGN_TYPES
            yield source.problem(path, message, _hint(path, error, value)), foreign


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(asset("schemas/prd.schema.json").read_text(encoding="utf-8")))


def _missing(source: Source, path: Path, error: "ValidationError", value: Any) -> Iterator[tuple[Problem, bool]]:
    # jsonschema makes one error of each missing key, and names the key in its message alone.
    wanted: Any = error.validator_value
    for key in wanted:
        if error.message.startswith(repr(key)):
            near = next((other for other in value if other not in wanted and meant_by(other, (key,))), None)
            hint = f"is {near!r} meant to be {key!r}?" if near else _HINTS.get(key, "")
            yield source.problem(path, f"{key!r} is missing", hint), key in _FOREIGN_MISSING


def _unknown(source: Source, path: Path, value: Any) -> Iterator[tuple[Problem, bool]]:
    for key in value:
        if key not in COMMAND_KEYS:
            meant = "run" if key.lower() in _RUN_WORDS and "run" not in value else None
            near = meant or meant_by(key, COMMAND_KEYS) or closest(key, COMMAND_KEYS)
            hint = f"did you mean {near!r}?" if near else f"a command may have {', '.join(COMMAND_KEYS)}"
            yield source.problem((*path, key), f"unknown key {shown(key)} in a command", hint), False


def _hint(path: Path, error: "ValidationError", value: Any) -> str:
    """What to do; where nothing better is known, what the schema says of the place."""
    if value is None:
        return "remove it" if _in_list(path) else "remove the key, or fill it in"
    schema: Any = error.schema
    described = str(schema.get("description", "see the schema")).split(". ")[0].rstrip(".")
    return _HINTS.get(_key(path), described)


def _key(path: Path) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _in_list(path: Path) -> bool:
    return bool(path) and isinstance(path[-1], int)


def _name(path: Path, error: "ValidationError") -> str:
    schema: Any = error.schema
    return str(schema.get("title", "an entry")) if _in_list(path) else printable(str(path[-1]))


def _wrong(error: "ValidationError", value: Any) -> str:
    limit: Any = error.validator_value
    match error.validator:
        case "type":
            names = [limit] if isinstance(limit, str) else limit
            return f"must be {' or '.join(_TYPES[name] for name in names)}, not {_told(value)}"
        case "minItems":
            return "has no stories in it" if error.absolute_path[-1] == "userStories" else "must not be an empty list"
        case "pattern" | "minLength":
            return "must not be blank"
        case "maxLength":
            return f"must have at most {limit} characters, not {len(value)}"
        case "minimum":
            return f"must be {limit} or more, not {shown(value)}"
        case "maximum":
            return f"must be at most {limit}, not {shown(value)}"
        case "exclusiveMinimum":
            return f"must be more than {limit}, not {shown(value)}"
        case "const":
            return f"must be {shown(limit)} or a list, not {shown(value)}"
        case "enum":
            return f"must be {' or '.join(shown(item) for item in limit)}, not {shown(value)}"
        case _:
            return f"does not fit the schema ({error.validator})"


def _told(value: Json) -> str:
    return f"the text {shown(value)}" if isinstance(value, str) else shown(value)
