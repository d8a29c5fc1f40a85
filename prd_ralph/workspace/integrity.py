"""Whether objects are what their names say. git does not look when it reads them: who can write into `.git/objects` can
put another text under the name of a test, and every checkout of it holds that text from then on.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from prd_ralph.workspace.files import is_file, lstat
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import split_z

_LINK = "160000"
_FOLDER = "040000"
_CHUNK = 1 << 20
_AT_ONCE = 8 << 20


def forged(git: Git, checkout: Path) -> Iterator[str]:
    """Paths of a fresh checkout whose objects are false, those of its submodules too. (Commits are seen to by git.)

    Files that bear their name in their bytes are looked at without git; what was filtered on its way is read again.
    """
    top = git("-C", str(checkout), "rev-parse", "HEAD^{tree}").decode("ascii").strip()
    asked, sizes = {top: "/"}, {top: 0}
    for mode, oid, size, path in _entries(git, checkout):
        if mode == _LINK:
            if (checkout / path / ".git").exists():
                yield from (f"{path}/{name}" for name in forged(git, checkout / path))
        elif mode == _FOLDER:
            asked[oid], sizes[oid] = path, 0
        elif _digest(checkout / path, oid) not in (oid, ""):
            asked[oid], sizes[oid] = path, size
    yield from (asked[oid] for part in _parts(sizes) for oid in false_objects(git, checkout, part))


def _entries(git: Git, checkout: Path) -> Iterator[tuple[str, str, int, str]]:
    """Mode, object, size (0 for what is no file) and path of all that HEAD holds."""
    for line in split_z(git("-C", str(checkout), "ls-tree", "-r", "-t", "-l", "-z", "--full-tree", "HEAD")):
        about, _, path = line.partition("\t")
        mode, _, oid, size = about.split()
        yield mode, oid, int(size) if size.isdigit() else 0, path


def _digest(file: Path, like: str) -> str:
    """The name that git would give the file's bytes; nothing where there is none (a sparse checkout leaves it out)."""
    found = lstat(file)
    if found is None or not is_file(found):
        return ""
    digest = _hash(like)
    if stat.S_ISLNK(found.st_mode):
        target = os.fsencode(file.readlink())
        digest.update(b"blob %d\0" % len(target) + target)
        return digest.hexdigest()
    digest.update(b"blob %d\0" % found.st_size)
    with file.open("rb") as stream:
        while data := stream.read(_CHUNK):
            digest.update(data)
    return digest.hexdigest()


def _hash(like: str) -> "hashlib._Hash":
    """SHA-1, or SHA-256 in a repository of that format."""
    return hashlib.sha256() if len(like) == hashlib.sha256().digest_size * 2 else hashlib.sha1(usedforsecurity=False)


def _parts(sizes: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """The objects, as many at once as may be held."""
    part: list[str] = []
    held = 0
    for oid, size in sizes.items():
        if part and held + size > _AT_ONCE:
            yield tuple(part)
            part, held = [], 0
        part.append(oid)
        held += size
    yield tuple(part)


def false_objects(git: Git, folder: Path, oids: Iterable[str]) -> Iterator[str]:
    """Those whose bytes, as git reads them, are others than their names say; and those that it cannot read.

    Of the repository around `folder`; all of them together have to fit into memory.
    """
    wanted = tuple(oids)
    asked = "".join(f"{oid}\n" for oid in wanted).encode("ascii")
    answer = git("-C", str(folder), "cat-file", "--batch", stdin=asked)
    for oid in wanted:
        header, _, rest = answer.partition(b"\n")
        words = header.split()
        if len(words) != 3:
            yield oid
            answer = rest
            continue
        kind, size = words[1], int(words[2])
        digest = _hash(oid)
        digest.update(b"%s %d\0" % (kind, size) + rest[:size])
        if digest.hexdigest() != oid:
            yield oid
        answer = rest[size + 1 :]
