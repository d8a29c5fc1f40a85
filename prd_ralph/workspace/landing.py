"""The one commit of a story: candidate, flipped prd.json and progress.txt on base; the person's hooks run.

prd.json is flipped in a temporary index alone, its entry marked assume-unchanged: so hooks and stashing frameworks
leave the file on disk as it is, and whenever a hook or we are killed, no flag stands there without a commit.
"""

import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import ForeignChangeError
from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.ports import Landed, LandingRefused, LandingRequest
from prd_ralph.workspace.files import lstat
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import Head, read_head
from prd_ralph.workspace.places import Places
from prd_ralph.workspace.status import Entry, split_z, status

_HOOK = 1


@dataclass(frozen=True, slots=True)
class Footing:
    """What a landing stands on. `committed` are the memory files that go into commits (not ignored).

    `known`: untracked paths that are no part of the candidate.
    """

    base: str
    branch: str | None
    prd: str
    committed: tuple[str, ...]
    known: frozenset[str]


@dataclass(frozen=True, slots=True)
class Intended:
    """The commit to be made, as an index and a tree."""

    index: Path
    tree: str
    request: LandingRequest


def intend(git: Git, candidate_index: Path, index: Path, footing: Footing, request: LandingRequest) -> Intended:
    """Makes `index` the landing's: the candidate's, with prd.json flipped and progress.txt as it is on disk."""
    shutil.copy2(candidate_index, index)
    options = [path for path in footing.committed if path != footing.prd]
    if footing.prd in footing.committed:
        blob = git("hash-object", "-w", "--stdin", "--path", footing.prd, stdin=request.prd).decode("ascii").strip()
        mode = "100755" if _executable(git.root / footing.prd) else "100644"
        options += ["--cacheinfo", f"{mode},{blob},{footing.prd}", "--assume-unchanged", footing.prd]
    if not options:
        return Intended(index, request.candidate.tree, request)
    git("update-index", "--add", "--remove", "--replace", *options, index=index)
    return Intended(index, git("write-tree", index=index).decode("ascii").strip(), request)


def _executable(path: Path) -> bool:
    found = lstat(path)
    return found is not None and bool(found.st_mode & stat.S_IXUSR)


def commit(
    git: Git, places: Places, footing: Footing, intended: Intended, config: Mapping[str, str]
) -> Landed | LandingRefused:
    """Makes the commit and believes only what HEAD says afterwards. Raises ForeignChangeError for a moved HEAD."""
    before = {path: _bytes(git.root / path) for path in (footing.prd, *footing.committed)}
    result = git.commit(intended.request.message, "--allow-empty", index=intended.index, config=config)
    head = read_head(git, places)
    if head == Head(footing.base, footing.branch):
        _put_back(git.root, before)
        return _refused(git, footing, intended, result)
    return _verified(git, footing, intended, head, before)


def _verified(
    git: Git, footing: Footing, intended: Intended, head: Head, before: Mapping[str, bytes | None]
) -> Landed | LandingRefused:
    tree, parents, changed = made(git, head.commit)
    if head.branch != footing.branch or parents != [footing.base]:
        _put_back(git.root, before)
        if tree == intended.tree and len(parents) == 1:
            _undo(git, parents[0], head.commit, intended)
        raise ForeignChangeError(
            f"HEAD moved to {(parents[0] if tree == intended.tree and parents else head.commit)[:10]} during a landing",
            "see who committed there, and run again",
        )
    if tree == intended.tree:
        return Landed(head.commit, changed)
    _undo(git, footing.base, head.commit, intended)
    _put_back(git.root, before)
    foreign = sorted(set(changed) - {*intended.request.candidate.paths, *footing.committed})
    if foreign:
        return LandingRefused(f"a commit hook added files that are not the story's: {', '.join(foreign)}", True)
    return LandingRefused("a commit hook changed what was to be committed", by_hook=True, changed=True)


def _undo(git: Git, to: str, landed: str, intended: Intended) -> None:
    reason = f"prd-ralph: {intended.request.key.story} landing undone"
    git("update-ref", "-m", reason, "HEAD", to, landed)


def _refused(git: Git, footing: Footing, intended: Intended, result: ProcessResult) -> LandingRefused:
    said = (result.stderr + result.stdout).decode("utf-8", "replace").strip()
    text = said or result.error or f"git commit ended with {result.exit_code} ({result.end}) and said nothing"
    if result.end is not ProcessEnd.EXITED or result.exit_code != _HOOK:
        return LandingRefused(text, by_hook=False)
    return LandingRefused(text, by_hook=True, changed=any(_by_hook(entry, footing) for entry in _look(git, intended)))


def _look(git: Git, intended: Intended) -> tuple[Entry, ...]:
    return status(git, intended.index)


def _by_hook(entry: Entry, footing: Footing) -> bool:
    own = entry.path == footing.prd or entry.path in footing.committed or entry.path in footing.known
    return not own and (entry.edited or not entry.tracked)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _put_back(root: Path, before: Mapping[str, bytes | None]) -> None:
    for path, data in before.items():
        if _bytes(root / path) != data and data is not None:
            (root / path).write_bytes(data)


def made(git: Git, commit: str) -> tuple[str, list[str], tuple[str, ...]]:
    """A commit's tree, its parents, and the paths that it changed against the first."""
    form = ("--root", "-r", "--always", "--name-only", "--no-renames", "-z", "-m", "--first-parent")
    header, _, paths = git("diff-tree", *form, "--format=%T %P", commit).partition(b"\0")
    tree, *parents = header.decode("ascii").split()
    return tree, parents, split_z(paths.removeprefix(b"\n"))
