"""The versions of one file: who made them of which, and what each says.

A few git processes, however long the history is; nothing in the repository is written, not even its index.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from prd_ralph.workspace.changes import commit_changes
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.history import trailers_of
from prd_ralph.workspace.location import Location

COMMITS = 5000
"""How many versions are looked at; what is older is not known."""
BYTES = 128 << 20
"""How much is read of them, together."""
_RENAMES = 10
_LAST_S = 253_402_300_799  # the year 9999: anybody can write any date
_FORMAT = "%H%n%P%n%ct%n%s%n%(trailers:only=true,unfold=true)"
_LOG = (
    "--no-follow",
    "--topo-order",
    "--parents",
    "--no-show-signature",
    "--encoding=UTF-8",
    "-z",
    f"--format={_FORMAT}",
)

Claims = Mapping[str, bool]
Read = Callable[[bytes], Claims | None]


@dataclass(frozen=True, slots=True)
class Version:
    """The file after one commit. `parents`: the commits with the versions that it was made of; none for the first.

    `at` is UTC as `2031-03-01T08:00:00Z`. `trailers`: ours, without `Prd-Ralph-`. `claims`: what the file said; None:
    nothing that could be read. `is_oldest`: there is, or may be, an older one that is not known.
    """

    commit: str
    parents: tuple[str, ...]
    at: str
    subject: str
    trailers: Mapping[str, str] = field(default_factory=dict)
    claims: Claims | None = None
    is_oldest: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """Of one file: its versions, newest first, each before those that it was made of.

    `shallow`: the repository is; `cut`: there are more versions than are looked at.
    """

    versions: tuple[Version, ...] = ()
    shallow: bool = False
    cut: bool = False


def file_history(
    git: Git, location: Location, head: str, path: str, read: Read, most: int = COMMITS, room: int = BYTES
) -> History:
    """The versions of `path` (from the root on, with `/`) up to `head`; a renamed file is followed. Raises GitError.

    At most `most` of them, and as many as have `room` bytes together: the newest.
    """
    if "\n" in path:  # git's list of objects has one a line
        return History()
    found = _chain(git, head, path, most + 1)
    blobs = _blobs(git, [f"{version.commit}:{name}" for version, name in found])
    kept = found[: min(most, _fitting(blobs, room))]
    known, shallow = {version.commit for version, _ in kept}, _shallow(location)
    said = {blob: read(data) for blob, data in _contents(git, blobs[: len(kept)])}
    versions = (
        replace(
            version,
            claims=said.get(blob.name) if blob else {},
            is_oldest=version.commit in shallow or not known.issuperset(version.parents),
        )
        for (version, _), blob in zip(kept, blobs, strict=False)
    )
    return History(tuple(versions), bool(shallow), cut=len(kept) < len(found))


def _chain(git: Git, head: str, path: str, most: int) -> list[tuple[Version, str]]:
    """The versions, each with the name that the file had."""
    found: list[tuple[Version, str]] = []
    for _ in range(_RENAMES):
        versions = _log(git, head, path, most - len(found))
        found += [(version, path) for version in versions]
        older = _before_rename(git, versions, path) if versions and len(found) < most else None
        if older is None:
            break
        first, head, path = older
        tip = _log(git, head, path, 1)
        found = [(_made_of(each, first, tip), name) for each, name in found]
    return found


def _made_of(version: Version, first: str, tip: tuple[Version, ...]) -> Version:
    """With the last version under the older name as the parent of the first under the new one."""
    return replace(version, parents=tuple(each.commit for each in tip)) if version.commit == first else version


def _log(git: Git, head: str, path: str, most: int) -> tuple[Version, ...]:
    told = git("log", *_LOG, f"--max-count={most}", head, "--", path)
    return tuple(_version(entry) for entry in told.decode("utf-8", "replace").split("\0") if entry)


def _version(entry: str) -> Version:
    commit, parents, seconds, subject, trailers = entry.split("\n", 4)
    at = datetime.fromtimestamp(min(int(seconds or 0), _LAST_S), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Version(commit, tuple(parents.split()), at, subject, trailers_of(trailers))


def _shallow(location: Location) -> frozenset[str]:
    file = location.common_dir / "shallow"
    return frozenset(file.read_text("ascii").split()) if file.is_file() else frozenset()


def _before_rename(git: Git, versions: tuple[Version, ...], path: str) -> tuple[str, str, str] | None:
    """The commit that gave the file its name, the one before it, and the name there."""
    first = versions[-1]
    if first.parents:
        return None
    changes = commit_changes(git, [first.commit]).get(first.commit, ())
    old = next((change.before for change in changes if change.path == path and change.before), None)
    parent = git.result("rev-parse", "--verify", "-q", f"{first.commit}^").stdout.decode("ascii").strip()
    return (first.commit, parent, old) if old and parent else None


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file's content: the object's name, and its size in bytes."""

    name: str
    size: int


def _blobs(git: Git, names: list[str]) -> list[_Blob | None]:
    """One for each of `COMMIT:PATH`; None where there is no such file."""
    told = git("cat-file", "--batch-check", stdin=_lines(names)) if names else b""
    answers = (line.split(b" ") for line in told.split(b"\n")[:-1])
    return [
        _Blob(answer[0].decode("ascii"), int(answer[2])) if answer[1:2] == [b"blob"] else None for answer in answers
    ]


def _fitting(blobs: Sequence[_Blob | None], room: int) -> int:
    """How many, from the first on, have room together; what comes again takes none."""
    seen = set[str]()
    for at, blob in enumerate(blobs):
        if blob is not None and blob.name not in seen:
            seen.add(blob.name)
            room -= blob.size
            if room < 0:
                return at
    return len(blobs)


def _contents(git: Git, blobs: Iterable[_Blob | None]) -> Iterator[tuple[str, bytes]]:
    names = dict.fromkeys(blob.name for blob in blobs if blob)
    told = git("cat-file", "--batch", stdin=_lines(names)) if names else b""
    at = 0
    while at < len(told):
        end = told.index(b"\n", at)
        words = told[at:end].split(b" ")
        at = end + 1
        if len(words) == 3:  # else: an object that a partial clone does not have
            begin, at = at, at + int(words[2]) + 1
            yield words[0].decode("ascii"), told[begin : at - 1]


def _lines(names: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(name) + b"\n" for name in names)
