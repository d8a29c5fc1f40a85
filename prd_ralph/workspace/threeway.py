"""A change brought onto another commit, as trees: nothing in the work tree is touched."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import split_z

_FILES = ("100644", "100755")
_BASE, _OURS, _THEIRS = "1", "2", "3"


@dataclass(frozen=True, slots=True)
class Merged:
    """`tree` holds both changes; where they are at odds, in `conflicts`, it is of no use."""

    tree: str
    conflicts: tuple[str, ...] = ()


def merge(git: Git, base: str, ours: str, theirs: str, scratch: Path) -> Merged:
    """`ours` with what changed from `base` to `theirs`, file by file; all are commits or trees.

    `scratch` is a folder for an index. Raises GitError.
    """
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        index = Path(folder) / "index"
        git("read-tree", "-i", "-m", "--aggressive", base, ours, theirs, index=index)
        unmerged = _unmerged(git, index)
        found = {path: _content(git, stages, Path(folder)) for path, stages in unmerged.items()}
        conflicts = tuple(sorted(path for path, entry in found.items() if entry is None))
        if conflicts:
            return Merged("", conflicts)
        orders = b"".join(_order(path, entry) for path, entry in found.items() if entry)
        git("update-index", "-z", "--index-info", stdin=orders, index=index)
        return Merged(git("write-tree", index=index).decode("ascii").strip())


Stages = dict[str, tuple[str, str]]
"""Of a path that is at odds: base, ours and theirs, as far as there are any, each a mode and a blob."""


def _unmerged(git: Git, index: Path) -> dict[str, Stages]:
    found: dict[str, Stages] = {}
    for line in split_z(git("ls-files", "-u", "-z", index=index)):
        about, _, path = line.partition("\t")
        mode, blob, stage = about.split(" ")
        found.setdefault(path, {})[stage] = (mode, blob)
    return found


def _content(git: Git, stages: Stages, folder: Path) -> tuple[str, str] | None:
    """Mode and blob of both changes in one file; None where they are at odds, or it is no text on one side."""
    if set(stages) != {_BASE, _OURS, _THEIRS} or any(mode not in _FILES for mode, _ in stages.values()):
        return None
    places = [_put(git, blob, folder / stage) for stage, (_, blob) in stages.items()]
    base, ours, theirs = places
    merged = git.result("merge-file", "-p", "-q", str(ours), str(base), str(theirs))
    if not merged.ok:
        return None
    blob = git("hash-object", "-w", "--no-filters", "--stdin", stdin=merged.stdout).decode("ascii").strip()
    modes = {stage: mode for stage, (mode, _) in stages.items()}
    return modes[_THEIRS] if modes[_OURS] == modes[_BASE] else modes[_OURS], blob


def _put(git: Git, blob: str, file: Path) -> Path:
    file.write_bytes(git("cat-file", "blob", blob))
    return file


def _order(path: str, entry: tuple[str, str]) -> bytes:
    """What `update-index --index-info` reads: the stages go, and the one entry comes."""
    mode, blob = entry
    name = path.encode("utf-8", "surrogateescape")
    return b"0 %s\t%s\0%s %s\t%s\0" % (b"0" * len(blob), name, mode.encode(), blob.encode(), name)
