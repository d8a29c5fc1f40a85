"""Which of the tools that a program offers does a deed: found by name, its arguments by its schema.

So a version that renames a tool's arguments, or offers others beside it, needs no change here.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.realcli.mock.turn import Call, Tool

WRITERS = ("Write", "write_file", "write", "create")
SHELLS = ("exec_command", "shell_command", "shell", "Bash", "bash", "run_shell_command")

_PATHS = ("file_path", "filePath", "path")
_CONTENTS = ("content", "contents", "file_text")
_LINES = ("cmd", "command")
# A call that takes its time is not to be cut short by the tool, nor sent to the background.
_PATIENCE = {"timeout": 600_000, "timeout_ms": 600_000, "yield_time_ms": 30_000}
_FILLERS: Mapping[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}


@dataclass(frozen=True, slots=True)
class Writing:
    """A file with this text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line for the shell."""

    text: str


def call_for(deed: Writing | Line, tools: Sequence[Tool]) -> Call | None:
    """The call that does the deed; None where nothing that is offered can. A file is written by a shell if need be."""
    if isinstance(deed, Line):
        return _call(tools, SHELLS, lambda schema: _line(schema, deed.text))
    by_shell = f"printf %s {shlex.quote(deed.text)} > {shlex.quote(deed.path)}"
    return _call(tools, WRITERS, lambda schema: _file(schema, deed)) or call_for(Line(by_shell), tools)


def _call(
    tools: Sequence[Tool], names: Sequence[str], arguments: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Call | None:
    offered = {tool.name: tool for tool in tools}
    tool = next((offered[name] for name in names if name in offered), None)
    return Call(tool.name, _filled(tool.schema, arguments(_properties(tool.schema)))) if tool else None


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return schema.get("properties") or {}


def _file(properties: Mapping[str, Any], deed: Writing) -> dict[str, Any]:
    return {_first(_PATHS, properties): deed.path, _first(_CONTENTS, properties): deed.text}


def _line(properties: Mapping[str, Any], text: str) -> dict[str, Any]:
    name = _first(_LINES, properties)
    is_argv = properties.get(name, {}).get("type") == "array"
    patience = {key: value for key, value in _PATIENCE.items() if key in properties}
    return {name: ["bash", "-lc", text] if is_argv else text, **patience}


def _first(names: Sequence[str], properties: Mapping[str, Any]) -> str:
    return next((name for name in names if name in properties), names[0])


def _filled(schema: Mapping[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """With something of the right type for what else is required."""
    missing = [name for name in schema.get("required") or [] if name not in arguments]
    return {name: _filler(_properties(schema).get(name, {})) for name in missing} | arguments


def _filler(schema: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    return schema["enum"][0] if schema.get("enum") else _FILLERS.get(str(kind), "mock")
