"""What differs between two trees, by the names of the objects."""

from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import split_z


@dataclass(frozen=True, slots=True)
class Changed:
    """A path, and the blobs that it names in either tree; empty where it is not there."""

    path: str
    before: str
    after: str


def difference(git: Git, before: str, after: str) -> tuple[Changed, ...]:
    """The paths that differ between two trees (or commits), renames as two of them."""
    return tuple(_parsed(split_z(git("diff-tree", "-r", "--no-renames", "--no-abbrev", "-z", before, after))))


def _parsed(fields: tuple[str, ...]) -> Iterator[Changed]:
    """`:mode mode name name status`, then the path (git-diff-tree(1))."""
    for about, path in zip(fields[::2], fields[1::2], strict=True):
        _, _, old, new, _ = about.split(" ")
        yield Changed(path, old if old.strip("0") else "", new if new.strip("0") else "")
