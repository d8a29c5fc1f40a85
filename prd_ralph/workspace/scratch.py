"""A clone to try things in: what the repository holds at a commit, and no way back to it."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from prd_ralph.errors import BlockedError
from prd_ralph.ports import Processes
from prd_ralph.workspace.git import Git

# What git(1) hands on to hooks and aliases would make commands in the clone work on another repository.
_OF_A_REPOSITORY = frozenset(
    {
        *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE"),
        *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"),
    }
)


@dataclass(frozen=True, slots=True)
class Scratch:
    """The clone's work tree `root`, a folder `logs` beside it, and how it is made what it was: tracked files only."""

    root: Path
    logs: Path
    commit: str
    git: Git
    laid: Mapping[str, bytes]

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """An environment for what runs in the clone: it names no other repository, and none is found above."""
        return _apart(env, self.root.parent)

    def restore(self) -> None:
        """Tracked files go back to the commit, with what was laid over them. Raises GitError, BlockedError."""
        folder = self.root / ".git"
        if folder.is_symlink() or not folder.is_dir():
            raise BlockedError("a command has taken the scratch clone's .git away", "leave that command out")
        (folder / "index.lock").unlink(missing_ok=True)  # a killed command's
        self.git("reset", "-q", "--hard", self.commit)
        for path, data in self.laid.items():
            _lay(self.root, path, data)


@contextmanager
def scratch_clone(
    processes: Processes, root: Path, env: Mapping[str, str], commit: str, laid: Mapping[str, bytes]
) -> Iterator[Scratch]:
    """A clone of the repository in `root` at `commit`, in a temporary folder, gone at the end. Raises GitError.

    The objects are read where they are, nothing is written there; no hook runs, and no remote leads back. `laid` are
    files over it, by their paths from the root on.
    """
    with TemporaryDirectory(prefix="prd-ralph-audit-", ignore_cleanup_errors=True) as name:
        folder = Path(os.path.realpath(name))
        clone, logs = folder / (root.name or "clone"), folder / "logs.prd-ralph"
        logs.mkdir()
        options = ("--shared", "--no-checkout", "--template=", "--origin", "origin", "-q")
        env = _apart(env, folder)
        Git(processes, root, env)("clone", *options, "--", str(root), str(clone))
        git = Git(processes, clone, env)
        git("remote", "remove", "origin")
        scratch = Scratch(clone, logs, commit, git, laid)
        scratch.restore()
        yield scratch


def _lay(root: Path, path: str, data: bytes) -> None:
    """Never through a link: what a command, or the commit, has put there may lead back to the person's file."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.parent.resolve().is_relative_to(root):
        raise BlockedError(f"{path} is behind a link in the commit", "commit what you have, or name the file itself")
    if file.is_file() and not file.is_symlink() and file.read_bytes() == data:
        return
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    file.write_bytes(data)


def _apart(env: Mapping[str, str], folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in env.items() if name not in _OF_A_REPOSITORY}
    return {**kept, "GIT_CEILING_DIRECTORIES": str(folder)}
