"""Commands that could never prove anything: what hides their exit status is told, not refused."""

import re
from collections.abc import Iterable, Iterator

from prd_ralph.errors import Problem
from prd_ralph.model import Check, Prd, Story
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
# What hides a status stands at the end; over a very long command the patterns would take minutes.
_LOOKED_AT = 4096
_HINT = "let the command's own exit status be the last word"


def lint(data: bytes, file: str) -> tuple[Problem, ...]:
    """The shell lines of a valid file whose exit status says nothing of what they run. `file`: its name in messages."""
    return tuple(_masked(read_source(data, file)))


def masked(prd: Prd, stories: Iterable[Story], extra: Iterable[Check], file: str) -> tuple[Problem, ...]:
    """The same of what judges these stories, `extra` (a run's own commands) among it; each command once."""
    given, found = tuple(extra), dict[str, Problem]()
    for story in stories:
        for check in prd.checks_for(story, given):
            if isinstance(check.run, str) and check.run not in found and (fault := _fault(check.run)):
                own = check in story.checks
                found[check.run] = Problem(
                    fault, _HINT, file, story.line if own else None, story=story.id if own else ""
                )
    return tuple(found.values())


def _masked(source: Source) -> Iterator[Problem]:
    for path, command in commands_in(source):
        fault = _fault(_shell_line(command))
        if fault and path[0] != "setup":
            yield source.problem(path, fault, _HINT)


def _fault(line: str) -> str | None:
    end = line.strip()[-_LOOKED_AT:]
    cause = next((cause for pattern, cause in _MASKED if pattern.fullmatch(end)), None)
    return f"the exit status of {shown(line)} can be masked: {cause}" if cause else None


def _shell_line(command: Json) -> str:
    run = command.get("run") if isinstance(command, dict) else command
    return run if isinstance(run, str) else ""
