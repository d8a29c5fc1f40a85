"""Files as a commit holds them: read by git alone, and made by it in a folder of ours.

There nothing of an agent's is read: which attributes count is the commit's to say, not the work tree's.
"""

import hashlib
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.files import lstat, reached, read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import join_z, split_z

SUBMODULE = 0o160000
_EXECUTABLE = stat.S_IXUSR


@dataclass(frozen=True, slots=True)
class Blob:
    """A tree's entry: its mode as git has it, the object's name."""

    mode: int
    name: str


@dataclass(frozen=True, slots=True)
class Holding:
    """A commit, and what it holds by path below `folder` (empty, or ending in `/`: a submodule's).

    `git_dir` is its repository's folder: an agent may have taken the submodule's own `.git` away.
    """

    commit: str
    git_dir: Path
    blobs: Mapping[str, Blob]
    folder: str = ""

    def files(self) -> Iterator[str]:
        """The paths of files and links, relative to the work tree's root."""
        return (self.folder + path for path, blob in self.blobs.items() if blob.mode != SUBMODULE)

    def attributes(self) -> Iterator[str]:
        """The files, relative to `folder`, that say how others are checked out."""
        return (path for path in self.blobs if path.rsplit("/", 1)[-1] == ".gitattributes")

    def blob(self, path: str) -> Blob:
        return self.blobs[path.removeprefix(self.folder)]


@dataclass(frozen=True, slots=True)
class Made:
    """A file or link as git would check it out: its mode as lstat has it, its bytes (a link's target)."""

    mode: int
    data: bytes


def hold(git: Git, commit: str, git_dir: Path, folder: str = "") -> Holding:
    """What `commit` holds. Raises GitError."""
    listed = split_z(git(f"--git-dir={git_dir}", "ls-tree", "-r", "-z", "--full-tree", commit))
    entries = (line.partition("\t") for line in listed)
    blobs = {path: Blob(int(about.split()[0], 8), about.split()[2]) for about, _, path in entries}
    return Holding(commit, git_dir, blobs, folder)


def submodules(git: Git, top: Holding, paths: Iterable[str]) -> Iterator[Holding]:
    """What the submodules at `paths` hold at the commits that `top` names; those that are not there are left out."""
    for path in paths:
        told = git.result("-C", path, "rev-parse", "--show-prefix", "--absolute-git-dir")
        prefix, _, git_dir = told.stdout.decode("utf-8", "surrogateescape").partition("\n")
        commit = top.blob(path).name
        if told.ok and not prefix and git.result("-C", path, "cat-file", "-e", commit).ok:
            yield hold(git, commit, Path(git_dir.removesuffix("\n")), f"{path}/")


def stands(root: Path, path: str, blob: Blob, file_mode: bool) -> bool:
    """Whether `root/path` is the blob to the byte; links of its folders' are the caller's to look for.

    `file_mode`: an executable bit counts.
    """
    found = lstat(f"{root}/{path}")
    if found is None or not _is_of(found.st_mode, blob.mode, file_mode):
        return False
    data = _content(root / path, found.st_mode)
    return data is not None and object_name(data, len(blob.name)) == blob.name


def is_made(root: Path, path: str, made: Made, file_mode: bool) -> bool:
    """Whether `root/path` is what git would make of it, reached through no link."""
    found = lstat(root / path) if reached(root, path) else None
    if found is None or not _is_of(found.st_mode, made.mode, file_mode):
        return False
    return _content(root / path, found.st_mode) == made.data


def _is_of(found: int, wanted: int, file_mode: bool) -> bool:
    """Whether a mode of a file's is another's, as far as git can hold it; its owner reads it."""
    if stat.S_IFMT(found) != stat.S_IFMT(wanted):
        return False
    if stat.S_ISLNK(found):
        return True
    return bool(found & stat.S_IRUSR) and not (file_mode and (found ^ wanted) & _EXECUTABLE)


def object_name(data: bytes, length: int) -> str:
    """What git calls a blob of these bytes; `length` of a name in letters, which tells the algorithm."""
    algorithm = "sha1" if length == len(hashlib.sha1(usedforsecurity=False).hexdigest()) else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def made(git: Git, holding: Holding, paths: Iterable[str], state: Path) -> dict[str, Made]:
    """The files at `paths` (of `holding.files()`) as git checks them out, with an index and in a folder of ours.

    Raises BlockedError where what git has of them is not what it was.
    """
    where = f"--git-dir={holding.git_dir}"
    inner = {path.removeprefix(holding.folder): path for path in paths}
    entries = {path: holding.blobs[path] for path in (*holding.attributes(), *inner)}
    read_blobs(git, (blob.name for blob in entries.values()), where)
    scratch = Path(tempfile.mkdtemp(dir=state, prefix="protect."))
    try:
        work, index = scratch / "work", scratch / "index"
        work.mkdir()
        listed = join_z(f"{blob.mode:o} {blob.name}\t{path}" for path, blob in entries.items())
        git(where, f"--work-tree={work}", "update-index", "-z", "--index-info", stdin=listed, index=index)
        git(
            *(where, f"--work-tree={work}", "checkout-index", "-f", "-q", "-z", "--stdin"),
            stdin=join_z(inner),
            index=index,
        )
        return {path: _read(work / name) for name, path in inner.items()}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _read(path: Path) -> Made:
    mode = path.lstat().st_mode
    return Made(mode, _content(path, mode) or b"")


def _content(path: Path, mode: int) -> bytes | None:
    """A file's bytes, of any size, or a link's target; None where it cannot be read."""
    return bytes(path.readlink()) if stat.S_ISLNK(mode) else read_plain(path)


def read_blobs(git: Git, names: Iterable[str], *where: str) -> dict[str, bytes]:
    """The bytes of blobs by their names. Raises BlockedError for one that is gone, or not what its name says.

    git itself takes an object's bytes for what they are: an agent may have written others under its name.
    """
    wanted = sorted(set(names))
    asked = "".join(f"{name}\n" for name in wanted).encode("ascii")
    answer = git(*where, "cat-file", "--batch", stdin=asked) if wanted else b""
    found: dict[str, bytes] = {}
    for name in wanted:
        header, _, answer = answer.partition(b"\n")
        fields = header.split()  # the name, the kind, the size (git-cat-file(1))
        size = int(fields[2]) if fields[-1].isdigit() else -1
        found[name], answer = answer[: max(size, 0)], answer[size + 1 :]
        if size < 0 or object_name(found[name], len(name)) != name:
            raise BlockedError(f"git's object {name} is damaged or gone", "git fsck; bring it back from a clone")
    return found
