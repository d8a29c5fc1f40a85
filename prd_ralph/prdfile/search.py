"""Where prd.json is looked for."""

from pathlib import Path

PLACES = ("prd.json", "scripts/ralph/prd.json", "ralph/prd.json", ".ralph/prd.json", "tasks/prd.json")


def find(start: Path, root: Path) -> Path | None:
    """The first of `PLACES` that is a file, in each folder from `start` up to `root` (outside it: in `start` alone)."""
    folders = [start, *(folder for folder in start.parents if folder.is_relative_to(root))]
    places = (folder / place for folder in folders for place in PLACES)
    return next((path for path in places if path.is_file()), None)
