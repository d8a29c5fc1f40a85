"""Where a work tree's git keeps its things. In a linked worktree two folders share them (gitrepository-layout)."""

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.git import Git


@dataclass(frozen=True, slots=True)
class Places:
    """`own`: the work tree's git folder (HEAD, index); `common`: what all work trees share (config, hooks, refs)."""

    root: Path
    own: Path
    common: Path

    @classmethod
    def find(cls, git: Git) -> "Places":
        """Asks git, once."""
        own, common = os.fsdecode(git("rev-parse", "--absolute-git-dir", "--git-common-dir")).splitlines()
        return cls(git.root, Path(own).resolve(), (git.root / common).resolve())

    @property
    def linked(self) -> bool:
        """Whether other work trees share this repository's config and hooks with ours."""
        return self.own != self.common

    @property
    def index(self) -> Path:
        return self.own / "index"

    @property
    def index_lock(self) -> Path:
        return self.own / "index.lock"


def fresh_object(places: Places, name: str) -> bytes:
    """The body of an object that was just written, so that it lies in a file of its own (gitformat-loose);
    empty where it does not. Saves a process in each landing."""
    try:
        data = zlib.decompress((places.common / "objects" / name[:2] / name[2:]).read_bytes())
    except (OSError, zlib.error):
        return b""
    return data.partition(b"\0")[2]
