"""Commands (RULES: Commands): of all that a document says, what may be executed."""

import json
import re
from collections.abc import Iterable, Iterator

from prd_ralph.planning.blocks import Fence
from prd_ralph.planning.inline import Piece, Sort, code_of, pieces, unwrapped

_SHELLS = {"", "sh", "bash", "shell", "zsh", "verify"}
_CONSOLE = "console"
_VERIFY = "verify"
_PROMPT = "$ "
_BEFORE = re.compile(r"(?:.*?\S(?:\s*[:：]\s*|\s+[–—-]\s+))?(?:run:?\s+)?", re.IGNORECASE | re.DOTALL)
_BETWEEN = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*[.;,]?\s*|\s+[-–—]\s.*|\s*[–—]\s*.*|\s*\(.*\)\s*[.;,]?|\s+(?:passes|must pass|exits|succeeds)\b.*",
    re.IGNORECASE | re.DOTALL,
)


class JsonCommand(str):
    """A command that is written as JSON: a list of words, or an object with options. It is kept as such."""


def commands_in(text: str) -> tuple[str, ...]:
    """The commands of a line: `[text:] [Run] CODE [and CODE] [- comment]`; none where it says anything else."""
    parts = list(pieces(unwrapped(text)))
    codes = [at for at, piece in enumerate(parts) if piece.sort is Sort.CODE]
    if not codes or not _BEFORE.fullmatch(_between(parts, 0, codes[0])):
        return ()
    last, *others = codes
    found = [code_of(parts[last])]
    for at in others:
        if not _BETWEEN.fullmatch(_between(parts, last + 1, at)):
            break
        found.append(code_of(parts[at]))
        last = at
    rest = _between(parts, last + 1, len(parts))
    return tuple(filter(str.strip, found)) if _AFTER.fullmatch(rest) else ()


def _between(parts: list[Piece], begin: int, end: int) -> str:
    return "".join(piece.text for piece in parts[begin:end])


def of_fence(fence: Fence) -> tuple[str, ...]:
    """The commands of a fence, a line each; `\\` at a line's end continues it. None in other languages."""
    if fence.language == _CONSOLE:
        return tuple(_lines(_console(fence.content.split("\n"))))
    commands = tuple(_lines(fence.content.split("\n"))) if fence.language in _SHELLS else ()
    return tuple(map(_read, commands)) if fence.language == _VERIFY else commands


def _read(command: str) -> str:
    """C074: in a fence `verify` a line may be the very JSON that prd.json is to hold. (`[ -f x ]` is none.)"""
    if not command.startswith(("[", "{")):
        return command
    try:
        json.loads(command)
    except (ValueError, RecursionError):
        return command
    return JsonCommand(command)


def _console(lines: Iterable[str]) -> Iterator[str]:
    """What was typed: the lines with a prompt and their continuations."""
    going_on = False
    for line in lines:
        if going_on or line.lstrip().startswith(_PROMPT):
            yield line.lstrip().removeprefix("> ") if going_on else line
            going_on = line.endswith("\\")


def _lines(lines: Iterable[str]) -> Iterator[str]:
    begun: list[str] = []
    for line in lines:
        text = line.strip()
        if not begun and (not text or text.startswith("#")):
            continue
        text = text if begun else text.removeprefix(_PROMPT).strip()
        begun.append(text.removesuffix("\\").rstrip())
        if not text.endswith("\\"):
            yield " ".join(filter(None, begun))
            begun = []
    if begun:
        yield " ".join(filter(None, begun))


def once(commands: Iterable[str]) -> tuple[str, ...]:
    """Doubles are dropped."""
    return tuple(dict.fromkeys(commands))
