"""Where the repository is: found by reading files, so that `status` need not start a process.

The layout is git's own (gitrepository-layout(5)): `.git` is a folder, or a file that says `gitdir: <path>`;
a linked worktree's folder names the shared one in `commondir`.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import BlockedError

_TRUE = frozenset({"true", "yes", "on", "1"})


@dataclass(frozen=True, slots=True)
class Location:
    """Absolute paths: the work tree's top, its own git folder, and the one that all its worktrees share."""

    root: Path
    git_dir: Path
    common_dir: Path

    @property
    def state(self) -> Path:
        """Where runs are recorded; no `git clean` or `git add` of an agent's reaches it."""
        return self.common_dir / "prd-ralph"

    @property
    def linked(self) -> bool:
        """Whether other work trees share this repository's config, hooks and refs with ours."""
        return self.git_dir != self.common_dir

    @property
    def index(self) -> Path:
        return self.git_dir / "index"

    @property
    def index_lock(self) -> Path:
        return self.git_dir / "index.lock"

    @property
    def object_format(self) -> str:
        """What objects are named by: `sha1` or `sha256`."""
        return _setting(self.common_dir / "config", "[extensions]", "objectformat") or "sha1"

    @property
    def file_mode(self) -> bool:
        """Whether git minds executable bits here: a file system may not have them (`core.fileMode`)."""
        return (_setting(self.common_dir / "config", "[core]", "filemode") or "true") in _TRUE


def require_git() -> None:
    """Raises BlockedError where there is no git on PATH."""
    if shutil.which("git") is None:
        raise BlockedError("git is not on PATH", "install git 2.31 or newer, or mend PATH")


def discover(start: Path) -> Location:
    """The work tree that `start` lies in, whatever `GIT_DIR` a hook may have handed on.

    Raises BlockedError: no git on PATH, no repository, a bare one, one that may not be read, or `start` inside a git
    folder.
    """
    require_git()
    try:
        return _around(start.resolve())
    except PermissionError as error:
        raise BlockedError(
            f"{error.filename} cannot be read: {error.strerror}", "mend its owner or permissions"
        ) from error


def _around(here: Path) -> Location:
    for folder in (here, *here.parents):
        git_dir = _git_dir(folder / ".git")
        if git_dir is not None:
            return _work_tree(folder, git_dir)
        if _is_git_dir(folder):
            raise BlockedError(f"no work tree here: {folder} is a git folder", "go to the repository's work tree")
    raise BlockedError(f"not a git repository: {here}", "git init")


def _git_dir(entry: Path) -> Path | None:
    """What `.git` stands for. git itself looks further up where it is no git folder; so do we where it is empty."""
    if entry.is_dir() and not _is_git_dir(entry) and any(entry.iterdir()):
        raise BlockedError(
            f"{entry} is damaged: it has no HEAD, no objects or no refs", "bring it back from a clone or a backup"
        )
    if entry.is_dir():
        return entry.resolve() if _is_git_dir(entry) else None
    if not entry.is_file():
        return None
    key, _, target = os.fsdecode(entry.read_bytes()).partition(":")
    git_dir = (entry.parent / target.strip()).resolve()
    if key != "gitdir" or not _is_git_dir(git_dir):
        raise BlockedError(f"{entry} names no git folder", "git worktree repair, or git submodule update --init")
    return git_dir


def _work_tree(root: Path, git_dir: Path) -> Location:
    if _is_bare(git_dir / "config"):  # a linked worktree has none, and may belong to a bare repository
        raise BlockedError(
            f"no work tree here: the repository in {root} is bare", "git worktree add PATH, and go there"
        )
    return Location(root, git_dir, _common_dir(git_dir))


def _is_git_dir(folder: Path) -> bool:
    head, common = folder / "HEAD", _common_dir(folder)
    return (head.is_file() or head.is_symlink()) and (common / "objects").is_dir() and (common / "refs").is_dir()


def _common_dir(git_dir: Path) -> Path:
    named = git_dir / "commondir"
    return (git_dir / os.fsdecode(named.read_bytes()).strip()).resolve() if named.is_file() else git_dir


def _is_bare(config: Path) -> bool:
    return _setting(config, "[core]", "bare") in _TRUE


def _setting(config: Path, section: str, name: str) -> str | None:
    """The last such value of a config file, in small letters; a name alone means true (git-config(1))."""
    inside, found = False, None
    text = config.read_bytes().decode("utf-8", "replace") if config.is_file() else ""
    for line in map(str.strip, text.splitlines()):
        key, equals, value = (part.strip().lower() for part in line.partition("="))
        if line.startswith("["):
            inside = line.lower() == section
        elif inside and key == name:
            found = value if equals else "true"
    return found
