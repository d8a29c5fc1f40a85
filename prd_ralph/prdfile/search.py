"""Where prd.json is looked for."""

from collections.abc import Iterator
from pathlib import Path

PLACES = ("prd.json", "scripts/ralph/prd.json", "ralph/prd.json", ".ralph/prd.json", "tasks/prd.json")


def find(start: Path, root: Path) -> Path | None:
    """The first of `candidates` that is a file."""
    return next((path for path in candidates(start, root) if path.is_file()), None)


def candidates(start: Path, root: Path) -> Iterator[Path]:
    """All of `PLACES`, in each folder from `start` up to `root` (outside it: in `start` alone)."""
    folders = [start, *(folder for folder in start.parents if folder.is_relative_to(root))]
    return (folder / place for folder in folders for place in PLACES)
