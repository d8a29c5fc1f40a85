"""Fresh checkouts of a tree, as linked work trees outside of the person's: the `Checkouts` port."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prd_ralph.workspace.git import Git


class GitCheckouts:
    """Makes its checkouts in `folder`, outside the work tree."""

    def __init__(self, git: Git, folder: Path) -> None:
        self._git = git
        self._folder = folder

    @contextmanager
    def of(self, tree: str) -> Iterator[Path]:
        """The checkout's folder; at the end it is gone."""
        path = self._folder / tree
        commit = self._git("commit-tree", tree, "-p", "HEAD", stdin=b"prd-ralph: checked out to be verified\n")
        self._git("worktree", "add", "-q", "--detach", str(path), commit.decode("ascii").strip())
        try:
            yield path
        finally:
            self._git("worktree", "remove", "--force", str(path))
