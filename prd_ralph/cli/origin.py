"""Whether the PRD is still what prd.json was planned of."""

from collections.abc import Iterator
from pathlib import Path

from prd_ralph.cli.markdown import read_markdown
from prd_ralph.errors import Problem, RalphError
from prd_ralph.prdfile import origin_of


def moved_on(data: bytes, file: str, root: Path) -> Iterator[Problem]:
    """A finding where the PRD that a valid prd.json names has changed since, or is gone. `file`: its name."""
    origin = origin_of(data, file)
    if origin is None:
        return
    hint = f"prd-ralph plan {origin.path} --merge takes up what has changed; with --diff it only shows it"
    try:
        now = read_markdown(origin.path, root).sha256
        message = "" if now == origin.sha256 else f"the PRD {origin.path} has moved on since this was planned of it"
    except RalphError as error:
        message = f"the PRD cannot be looked at: {error}"
        hint = "put it back, or plan from where it is now: prd-ralph plan FILE --merge"
    if message:
        yield Problem(message, hint, file, origin.line, "/source/sha256")


def moved_to(before: bytes | None, after: bytes, file: str) -> Iterator[str]:
    """A line where a merge was made of another PRD than the plan before it. Both are valid files."""
    old, new = (origin_of(data, file) if data else None for data in (before, after))
    if old and new and old.path != new.path:
        yield f"warning: {file} was planned of {old.path}, and follows {new.path} now"
