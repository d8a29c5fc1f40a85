"""The agent's command line as a person writes it, taken apart without a shell; and what only a shell could do."""

import re
import shlex
from difflib import get_close_matches
from pathlib import Path

from prd_ralph.errors import RalphError

PLACEHOLDERS = ("prompt_file", "prompt", "model", "root", "story_id")
_BRACES = re.compile(r"(?<!\$)\{([A-Za-z][A-Za-z_-]*)\}")
_OPERATORS = frozenset({"&&", "||", "|", "|&", "&", ";", ">", ">>", "<", "<<<", "2>", "2>&1", "&>"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_ALIKE = 0.7


def split(template: str) -> tuple[str, ...]:
    """The program and its arguments. Raises RalphError for a line that names none or cannot be meant so."""
    try:
        elements = tuple(shlex.split(template))
    except ValueError as error:
        raise RalphError(f"agent command cannot be split: {error}: {template}", "close the quotes") from error
    if not elements or not elements[0] or "{model}" in elements[0]:
        raise RalphError(f"agent command names no program: {template!r}", 'for example --agent-command "my-agent -p"')
    _refuse_operators(template, elements)
    _refuse_misspelt(elements)
    return elements


def _refuse_operators(template: str, elements: tuple[str, ...]) -> None:
    """Those that are quoted stand in the line otherwise than in the elements, and are the program's own matter."""
    as_written = set(template.split())
    for element in elements:
        if element in as_written and (element in _OPERATORS or element.endswith(";")):
            raise RalphError(
                f"agent command holds `{element}`, and no shell runs it: {template}", f"wrap it: {_wrapped(template)}"
            )


def _refuse_misspelt(elements: tuple[str, ...]) -> None:
    for name in [found for element in elements for found in _BRACES.findall(element) if found not in PLACEHOLDERS]:
        if close := get_close_matches(name.lower(), PLACEHOLDERS, 1, _ALIKE):
            known = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            message = f"agent command holds the unknown placeholder {{{name}}}"
            raise RalphError(message, f"did you mean {{{close[0]}}}? known are {known}")


def hint_when_missing(program: str, template: str) -> str:
    """What to do where there is no such program: a shell may have been expected."""
    if _ASSIGNMENT.fullmatch(program):
        return f"no shell runs it: begin the command with env: env {template}"
    if program.startswith("~"):
        return f"no shell expands ~: write {Path(program).expanduser() if program[1:2] == '/' else 'the whole path'}"
    if "$" in program or "`" in program:
        return f"no shell runs it: wrap it: {_wrapped(template)}"
    return "install it, or correct --agent-command (agent_command)"


def _wrapped(template: str) -> str:
    """A prompt within a shell line would be run as a part of it."""
    return f"sh -c {shlex.quote(template.replace('{prompt}', '{prompt_file}'))}"
