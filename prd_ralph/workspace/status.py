"""`git status` and other `-z` lists as values. Paths are the file system's bytes, decoded as Python does."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.git import Git

UNTRACKED = "??"
IGNORED = "!!"
_FIELDS_BEFORE_PATH = {"1": 8, "u": 10, "?": 1, "!": 1}


@dataclass(frozen=True, slots=True)
class Entry:
    """A path that is not as in HEAD: `code` is git's `XY`, a dot for what is equal (git-status(1), format 2).

    X is index against HEAD, Y work tree against index. `conflict`: it is in conflict. `submodule`: it is one;
    `content`: its commit or a file that it tracks has changed.
    """

    path: str
    code: str
    conflict: bool = False
    submodule: bool = False
    content: bool = False

    @property
    def tracked(self) -> bool:
        return self.code not in (UNTRACKED, IGNORED)

    @property
    def staged(self) -> bool:
        """The index differs from HEAD here."""
        return self.tracked and self.code[0] != "."

    @property
    def edited(self) -> bool:
        """The work tree differs from the index here."""
        return self.tracked and self.code[1] != "."


def split_z(data: bytes) -> tuple[str, ...]:
    """A NUL-terminated list as paths."""
    return tuple(os.fsdecode(item) for item in data.split(b"\0") if item)


def join_z(paths: Iterable[str]) -> bytes:
    """The reverse of `split_z`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def status(git: Git, index: Path | None = None, ignored: bool = False, *more: str) -> tuple[Entry, ...]:
    """What differs between HEAD, the index and the work tree; each untracked file by itself.

    With `ignored`, also ignored files and folders, a folder that a pattern names as one entry ending in `/`.
    An embedded repository is one entry ending in `/`.
    """
    more = (*more, "--ignored=matching") if ignored else more
    answer = git("status", "--porcelain=v2", "--no-renames", "-z", "-uall", *more, index=index)
    return tuple(parsed(line) for line in split_z(answer))


def parsed(line: str) -> Entry:
    """A line of `git status --porcelain=v2`, headers apart."""
    kind = line[0]
    fields = line.split(" ", _FIELDS_BEFORE_PATH[kind])
    if kind in "?!":
        return Entry(fields[-1], kind * 2)
    kind_of = fields[2]  # `N...`, or of a submodule `S` and what has changed: `C` commit, `M` content, `U` untracked
    return Entry(fields[-1], fields[1], kind == "u", kind_of[0] == "S", "C" in kind_of or "M" in kind_of)


def below(path: str, folders: Iterable[str]) -> bool:
    """Whether `path` is one of `folders`, or lies in one."""
    bare = path.rstrip("/")
    return any(bare == folder or bare.startswith(folder + "/") for folder in folders)


def check_ignore(git: Git, paths: Iterable[str], index: Path) -> dict[str, str]:
    """Those of `paths` that git ignores (nothing that `index` tracks), each with the file whose rule says so."""
    answer = git(
        *("check-ignore", "-v", "-z", "--stdin"), stdin=join_z(paths), index=index, statuses=(0, 1), literal=False
    )
    fields = [os.fsdecode(field) for field in answer.split(b"\0")]
    found = zip(fields[::4], fields[2::4], fields[3::4], strict=False)
    return {path: source for source, pattern, path in found if not pattern.startswith("!")}
