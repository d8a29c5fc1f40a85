"""git's objects, made and read without a process: loose files and trees (git's gitformat-loose, user-manual).

Where an attempt stands is recorded several times an iteration; done by git, that cost more than all else together
(docs/decisions/0006-objects-in-process.md). Nothing here passes a filter, runs a hook or moves a ref.
"""

import hashlib
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from prd_ralph.workspace.git import Git

FOLDER = b"40000"
_WHO = "prd-ralph <prd-ralph@prd-ralph.invalid>"
_REMEMBERED = 256
Entry = tuple[bytes, str]
"""A tree's entry: the mode in octal, the object's name."""


class Objects:
    """The object store of one repository. `algorithm` is its object format: `sha1` or `sha256`."""

    def __init__(self, git: Git, folder: Path, algorithm: str) -> None:
        self._git = git
        self.folder = folder
        self._algorithm = algorithm
        self._trees: dict[str, dict[bytes, Entry]] = {}

    def add(self, kind: str, body: bytes, sync: bool = False) -> str:
        """Stores an object, unless it is there; its name. `sync`: it is on the disk when this returns."""
        data = b"%s %d\0" % (kind.encode("ascii"), len(body)) + body
        name = hashlib.new(self._algorithm, data, usedforsecurity=False).hexdigest()
        path = self._path(name)
        if not path.exists():
            if not path.parent.is_dir():
                path.parent.mkdir(exist_ok=True)
            draft = path.with_name(f"tmp_obj_{os.getpid()}")
            with os.fdopen(vacant(draft, 0o444), "wb") as file:
                file.write(zlib.compress(data, 1))
                if sync:
                    file.flush()
                    os.fsync(file.fileno())
            draft.replace(path)
        elif sync:
            _sync(path)
        return name

    def read(self, name: str) -> bytes:
        """The object's body; git is asked where it is no loose file."""
        with suppress(OSError, zlib.error):
            return zlib.decompress(self._path(name).read_bytes()).partition(b"\0")[2]
        answer = self._git("cat-file", "--batch", stdin=name.encode("ascii") + b"\n")
        return answer.partition(b"\n")[2][:-1]

    def may_hold(self, name: str) -> bool:
        """Whether the object is a file of its own, or there is a place where it may be packed."""
        elsewhere = (*(self.folder / "pack").glob("*.idx"), *(self.folder / "info").glob("alternates"))
        return self._path(name).is_file() or bool(elsewhere)

    def overlay(self, tree: str, files: Mapping[bytes, Entry | None], sync: bool = False) -> str:
        """`tree` (empty: none) with `files` laid over it by path; None takes a path out. The new tree's name."""
        return self._overlay(tree, files, sync) or self.add("tree", b"", sync)

    def commit(
        self,
        tree: str,
        parents: tuple[str, ...],
        message: str,
        author: str = "",
        committer: str = "",
        sync: bool = False,
    ) -> str:
        """A commit; its name. `author` and `committer` as git writes them, `Name <address> seconds zone`; else ours."""
        ours = f"{_WHO} {int(time.time())} +0000"
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {author or ours}", f"committer {committer or ours}", "", message]
        return self.add("commit", "\n".join(lines).encode("utf-8", "surrogateescape"), sync)

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / name[2:]

    def _overlay(self, tree: str, files: Mapping[bytes, Entry | None], sync: bool) -> str:
        entries = dict(self._entries(tree)) if tree else {}
        below: dict[bytes, dict[bytes, Entry | None]] = {}
        for path, entry in files.items():
            name, _, rest = path.partition(b"/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            elif entry is None:
                entries.pop(name, None)
            else:
                entries[name] = entry
        for name, inner in below.items():
            mode, folder = entries.pop(name, (b"", ""))
            if changed := self._overlay(folder if mode == FOLDER else "", inner, sync):
                entries[name] = (FOLDER, changed)
        return self.add("tree", b"".join(_written(entries)), sync) if entries else ""

    def _entries(self, tree: str) -> dict[bytes, Entry]:
        if tree not in self._trees:
            if len(self._trees) >= _REMEMBERED:
                self._trees.clear()
            self._trees[tree] = dict(_parsed(self.read(tree), len(tree) // 2))
        return self._trees[tree]


def _sync(path: Path) -> None:
    """An object that a record made may not be on the disk yet."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def vacant(path: Path, mode: int) -> int:
    """A new file to write to, in the place of one that a killed run, or a trap, has left."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags, mode)
    except FileExistsError:
        path.unlink()
        return os.open(path, flags, mode)


def _parsed(body: bytes, size: int) -> Iterator[tuple[bytes, Entry]]:
    """A tree's entries: mode, blank, name, NUL, the object's name in `size` bytes."""
    start = 0
    while start < len(body):
        end = body.index(b"\0", start)
        mode, _, name = body[start:end].partition(b" ")
        start = end + 1 + size
        yield name, (mode, body[end + 1 : start].hex())


def _written(entries: Mapping[bytes, Entry]) -> Iterator[bytes]:
    """In git's order: a folder sorts as if its name ended in `/`."""
    for name in sorted(entries, key=lambda name: name + b"/" if entries[name][0] == FOLDER else name):
        mode, target = entries[name]
        yield mode + b" " + name + b"\0" + bytes.fromhex(target)
