"""Where a work tree's git keeps its things. In a linked worktree two folders share them (gitrepository-layout)."""

import os
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.git import Git

SHARED = " (shared with other work trees, left as it is)"


@dataclass(frozen=True, slots=True)
class Places:
    """`own`: the work tree's git folder (HEAD, index); `common`: what all work trees share (config, hooks, refs).

    `algorithm` is the format of its objects.
    """

    root: Path
    own: Path
    common: Path
    algorithm: str = "sha1"

    @classmethod
    def find(cls, git: Git) -> "Places":
        """Asks git, once."""
        asked = ("--absolute-git-dir", "--git-common-dir", "--show-object-format")
        own, common, algorithm = os.fsdecode(git("rev-parse", *asked)).splitlines()
        return cls(git.root, Path(own).resolve(), (git.root / common).resolve(), algorithm)

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
