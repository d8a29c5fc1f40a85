"""Commands that could never prove anything: what hides their exit status is told, not refused."""

import re
from collections.abc import Iterator

from prd_ralph.errors import Problem
from prd_ralph.prdfile.commands import commands_in
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.source import Source
from prd_ralph.prdfile.text import shown

_GREEN = r"(?:true|:|exit\s+0|/bin/true)"
_MASKED = (
    (re.compile(rf"\s*{_GREEN}\s*"), "it exits with 0 whatever the project is like"),
    (re.compile(rf".*\|\|\s*(?:{_GREEN}|echo\b[^|&;]*)\s*", re.DOTALL), "what follows `||` makes every failure a pass"),
    (re.compile(rf".*[;\n]\s*(?:{_GREEN}|echo\b[^|&;\n]*)\s*", re.DOTALL), "its last part passes whatever was before"),
    (re.compile(r".*[^&>]&\s*", re.DOTALL), "a command in the background is not waited for"),
)


def lint(data: bytes, file: str) -> tuple[Problem, ...]:
    """The shell lines of a valid file whose exit status says nothing of what they run. `file`: its name in messages."""
    return tuple(_masked(read_source(data, file)))


def _masked(source: Source) -> Iterator[Problem]:
    for path, command in commands_in(source):
        line = _shell_line(command)
        cause = next((cause for pattern, cause in _MASKED if pattern.fullmatch(line)), None)
        if cause and path[0] != "setup":
            message = f"the exit status of {shown(line)} can be masked: {cause}"
            yield source.problem(path, message, "let the command's own exit status be the last word")


def _shell_line(command: Json) -> str:
    run = command.get("run") if isinstance(command, dict) else command
    return run if isinstance(run, str) else ""
