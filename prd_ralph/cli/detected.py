"""`plan --detect`: the commands that the project at hand suggests, shown; they are written only where that is asked."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from prd_ralph.console import printable
from prd_ralph.planning.detection import FILES, Proposal, detect

_LIMIT = 1 << 20
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_HINT = (
    "  hint: with $PRD_RALPH_STORY_ID one command runs each story's own tests: `pytest -q tests/$PRD_RALPH_STORY_ID`"
)


def detected(root: Path) -> tuple[Proposal, ...]:
    """What the files at the project's root propose. Large ones, and what is no regular file, propose nothing."""
    found = {name: _bytes(root / name) for name in FILES}
    return detect({name: data for name, data in found.items() if data is not None})


def told(proposals: Sequence[Proposal], *, written: bool) -> Iterator[str]:
    """Lines for stderr, commands in a column."""
    if not proposals:
        yield "detected no commands: no file here that suggests one"
        return
    yield f"detected {'and written for every story' if written else '(not written: --write-detected does)'}:"
    width = max(len(proposal.command) for proposal in proposals)
    for proposal in proposals:
        command = printable(proposal.command)
        yield f"  {proposal.kind:<9}  {command:<{width}}  ({printable(proposal.source)})"
    yield _HINT


def record(proposal: Proposal) -> dict[str, object]:
    """A proposal for `--json`."""
    return {"kind": str(proposal.kind), "command": proposal.command, "from": proposal.source}


def _bytes(path: Path) -> bytes | None:
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return None
            data = stream.read(_LIMIT + 1)
    except OSError:
        return None
    return data if len(data) <= _LIMIT else b""
