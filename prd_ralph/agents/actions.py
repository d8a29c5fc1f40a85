"""How an agent's actions are worded: a tool with what it was called for, and the first line of what it answered."""

from collections.abc import Mapping
from typing import Any

_TEXT_LIMIT = 2000
_TELLING = ("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "description", "prompt")


def call(name: str, arguments: Mapping[str, Any]) -> str:
    """`Bash: npm test`, `Write: src/a.py`; the name alone where no argument tells what for."""
    told = next((value for key in _TELLING if (value := arguments.get(key))), "")
    said = " ".join(map(str, told)) if isinstance(told, list) else str(told)
    return f"{name}: {short(said)}" if said.strip() else name


def short(text: str) -> str:
    """The text on one line, bounded."""
    return " ".join(text[:_TEXT_LIMIT].split())


def first_line(text: str) -> str:
    """The first line that is not blank, and how many others there are."""
    lines = [line for line in text[: 8 * _TEXT_LIMIT].splitlines() if line.strip()]
    more = f"  (and {len(lines) - 1} more lines)" if len(lines) > 2 else ""
    return f"{short(lines[0])}{more}" if lines else "(no output)"
