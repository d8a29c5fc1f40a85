"""The one commit of a story: candidate, flipped prd.json and progress.txt on base; the person's hooks run.

prd.json is flipped in a temporary index alone, its entry marked assume-unchanged: so hooks and stashing frameworks
leave the file on disk as it is, and whenever a hook or we are killed, no flag stands there without a commit.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import ForeignChangeError
from prd_ralph.model import ProcessEnd, ProcessResult
from prd_ralph.ports import Landed, LandingRefused, LandingRequest
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import is_file, lstat, make, reached, read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import OURS, Head, read_head
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


@dataclass(frozen=True, slots=True)
class Made:
    """A commit: its tree, parents, message, and the paths that it changed against its first parent."""

    tree: str
    parents: tuple[str, ...]
    message: str
    paths: tuple[str, ...]


def intend(desk: Desk, footing: Footing, request: LandingRequest) -> Intended:
    """Makes the landing's index: the candidate's, with prd.json flipped and progress.txt as it is on disk."""
    git, index = desk.git, desk.landing_index
    desk.indexes.copy(desk.candidate_index, index)
    options = [path for path in footing.committed if path != footing.prd]
    if footing.prd in footing.committed:
        blob = git("hash-object", "-w", "--stdin", "--path", footing.prd, stdin=request.prd).decode("ascii").strip()
        mode = "100755" if executable(git.root / footing.prd) else "100644"
        options += ["--cacheinfo", f"{mode},{blob},{footing.prd}", "--assume-unchanged", footing.prd]
    if not options:
        return Intended(index, request.candidate.tree, request)
    git("update-index", "--add", "--remove", "--replace", *options, index=index)
    return Intended(index, git("write-tree", index=index).decode("ascii").strip(), request)


def executable(path: Path) -> bool:
    """Whether git would give the file the mode 100755."""
    found = lstat(path)
    return found is not None and bool(found.st_mode & stat.S_IXUSR)


def commit(desk: Desk, footing: Footing, intended: Intended, config: Mapping[str, str]) -> Landed | LandingRefused:
    """Makes the commit and believes only what HEAD says afterwards. Raises ForeignChangeError for a moved HEAD."""
    git = desk.git
    before = {path: _held(git.root / path) for path in (footing.prd, *footing.committed)}
    result = git.commit(intended.request.message, "--allow-empty", index=intended.index, config=config)
    head = read_head(git, desk.location)
    _put_back(desk, before)
    if head == Head(footing.base, footing.branch):
        return _refused(git, footing, intended, result)
    if _is_as_intended(desk, head, footing, intended):
        return Landed(head.commit, tuple(sorted({*intended.request.candidate.paths, *footing.committed})))
    commit = made(git, head.commit)
    named = intended.request.message.strip() in commit.message
    ours = result.ok or named or commit.tree == intended.tree
    if not ours or head.branch != footing.branch or commit.parents != (footing.base,):
        if named and len(commit.parents) == 1:
            _undo(git, commit.parents[0], head.commit, intended)
        raise ForeignChangeError("somebody committed or switched branch during a landing", "see what, and run again")
    if commit.tree == intended.tree:
        return Landed(head.commit, commit.paths)
    _undo(git, footing.base, head.commit, intended)
    return _changed(commit, footing, intended)


def _is_as_intended(desk: Desk, head: Head, footing: Footing, intended: Intended) -> bool:
    """The normal case, seen without a process: on the run's branch stands our tree, with base as its only parent."""
    if head.branch != footing.branch:
        return False
    said = desk.objects.read(head.commit).partition(b"\nauthor ")[0].split()
    return said == [word.encode("ascii") for word in ("tree", intended.tree, "parent", footing.base)]


def _changed(commit: Made, footing: Footing, intended: Intended) -> LandingRefused:
    foreign = sorted(set(commit.paths) - {*intended.request.candidate.paths, *footing.committed})
    if foreign:
        return LandingRefused(f"a commit hook added files that are not the story's: {', '.join(foreign)}", True)
    return LandingRefused("a commit hook changed what was to be committed", by_hook=True, changed=True)


def _undo(git: Git, to: str, landed: str, intended: Intended) -> None:
    reason = f"{OURS}{intended.request.key.story} landing undone"
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


def _held(path: Path) -> tuple[int, bytes] | None:
    """Mode and bytes of a file, or of a link; None for anything else."""
    found = lstat(path)
    if found is None or not is_file(found):
        return None
    data = os.fsencode(path.readlink()) if stat.S_ISLNK(found.st_mode) else read_plain(path)
    return None if data is None else (found.st_mode, data)


def _put_back(desk: Desk, before: Mapping[str, tuple[int, bytes] | None]) -> None:
    """Hooks are anybody's code: what they have put in the place of a memory file is moved, never written through."""
    for path, held in before.items():
        if held is not None and not (reached(desk.root, path) and _held(desk.root / path) == held):
            make(desk.root, path, *held, desk.attic)


def made(git: Git, commit: str) -> Made:
    """Reads a commit, in one process."""
    form = ("--root", "-r", "--always", "--name-only", "--no-renames", "-z", "-m", "--first-parent")
    header, _, paths = git("diff-tree", *form, "--format=%T %P%n%B", commit).partition(b"\0")
    oids, _, message = header.decode("utf-8", "surrogateescape").partition("\n")
    tree, *parents = oids.split()
    return Made(tree, tuple(parents), message, split_z(paths.removeprefix(b"\n")))
