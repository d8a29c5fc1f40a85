"""The person's other refs: branches, tags, the stash, notes, what is known of remotes. Not HEAD's branch, not ours.

They are read without a process. Which of them are put back after an attempt, and why:
docs/decisions/0009-other-refs.md.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.model import AGENT_EMAIL
from prd_ralph.workspace.files import Store
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import BRANCHES, OURS, moves
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.texts import SHARED, said

REPLACE = "refs/replace/"
STASH = "refs/stash"
_REMOTES = "refs/remotes/"
_SYMBOLIC = "ref: "
_PASSED_OVER = frozenset({"prd-ralph", "worktree", "bisect", "rewritten"})  # ours, and those of one work tree
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Change:
    """A ref that an attempt moved, or deleted (`after` empty). `known`: nobody but the agent did it.

    `entries`: what was dropped from the stash.
    """

    ref: str
    before: str
    after: str
    known: bool = False
    entries: tuple[str, ...] = ()

    @property
    def reversible(self) -> bool:
        """A branch or the stash may be somebody's work: it is left where it is not certain whose move this was."""
        return self.known or not self.after or not self.ref.startswith((BRANCHES, STASH))

    def __str__(self) -> str:
        if self.entries:
            return f"{self.ref}: dropped {', '.join(entry[:_SHOWN] for entry in self.entries)}"
        return f"{self.ref}: {_short(self.before)} -> {_short(self.after) or 'deleted'}"


def read_refs(git: Git, location: Location) -> dict[str, str]:
    """Each ref with its object's name, or `ref: NAME` where it stands for another ref."""
    if (location.common_dir / "reftable").is_dir():
        told = git("for-each-ref", "--format=%(refname) %(objectname) %(symref)")
        rows = (os.fsdecode(line).split(" ") for line in told.splitlines())
        found = {ref: _SYMBOLIC + target if target else name for ref, name, target in rows}
        return {ref: value for ref, value in found.items() if ref.split("/")[1] not in _PASSED_OVER}
    return dict(_packed(location.common_dir / "packed-refs")) | dict(_loose(location.common_dir / "refs", "refs/"))


def stash_log(location: Location) -> bytes:
    """The stash is its log: a line an entry, the newest last."""
    log = location.common_dir / "logs" / STASH
    return log.read_bytes() if log.is_file() else b""


def changes(
    git: Git, location: Location, before: Mapping[str, str], now: Mapping[str, str], stash: bytes, branch: str | None
) -> tuple[Change, ...]:
    """What an attempt did to the refs that were there `before` it; new ones, and a person's moves, are left out."""
    gone = [
        ref
        for ref, value in sorted(before.items())
        if now.get(ref) != value and ref != f"{BRANCHES}{branch}" and not ref.startswith(REPLACE)
    ]
    looked_at = [_change(git, ref, before[ref], now.get(ref, "")) for ref in gone if ref != STASH or not stash]
    if stash and STASH in before:
        looked_at.append(_stash_change(before.get(STASH, ""), now.get(STASH, ""), stash, stash_log(location)))
    return tuple(change for change in looked_at if change)


def commits(git: Git, found: Iterable[Change]) -> tuple[str, ...]:
    """The commits that `found` are about: what the refs said, and what an attempt had them say."""
    names = [name for change in found for name in (change.before, change.after, *change.entries)]
    asked = "".join(f"{name}^{{commit}}\n" for name in names if name and not name.startswith(_SYMBOLIC))
    told = git("cat-file", "--batch-check", stdin=asked.encode("ascii")).decode("ascii") if asked else ""
    rows = (line.split(" ") for line in told.splitlines())
    return tuple(dict.fromkeys(row[0] for row in rows if row[1:2] == ["commit"]))


def put_back(git: Git, location: Location, found: Iterable[Change], stash: bytes, reason: str) -> tuple[str, ...]:
    """Puts the refs back, each as long as nobody moves it meanwhile; names all of them, and why one is left."""
    return tuple(f"{change}{_put_back(git, location, change, stash, reason)}" for change in found)


def _put_back(git: Git, location: Location, change: Change, stash: bytes, reason: str) -> str:
    if location.linked:
        return SHARED
    if not change.reversible:
        return " (left as it is: somebody else may have moved it)"
    message = ("-m", f"{OURS}{reason} put back")
    if change.before.startswith(_SYMBOLIC):
        told = git.result("symbolic-ref", *message, change.ref, change.before.removeprefix(_SYMBOLIC))
    else:
        expected = [] if change.after.startswith(_SYMBOLIC) else [change.after or "0" * len(change.before)]
        told = git.result("update-ref", "--no-deref", *message, change.ref, change.before, *expected)
    if told.ok and change.ref == STASH and stash:
        log = location.common_dir / "logs" / STASH
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(stash)
    return "" if told.ok else f" (cannot be put back: {said(told)})"


def guard_replaced(git: Git, location: Location, before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Makes refs/replace what it was, new ones gone: each makes git show one object as another. Names them."""
    names = sorted(ref for ref in before.keys() | now.keys() if ref.startswith(REPLACE))
    names = [ref for ref in names if before.get(ref) != now.get(ref)]
    if names and not location.linked:
        lines = (f"update {ref} {before[ref]}\n" if ref in before else f"delete {ref}\n" for ref in names)
        git("update-ref", "--stdin", stdin=os.fsencode("".join(lines)))
    return tuple(name + (SHARED if location.linked else "") for name in names)


def keep_stash(location: Location, store: Store) -> str:
    """The stash's log as it is, by its name in `store`; empty where there is none."""
    data = stash_log(location)
    return store.add(data) if data else ""


def _change(git: Git, ref: str, before: str, after: str) -> Change | None:
    """None for what is a person's own: a fetch, a commit in another work tree."""
    if not after:
        return Change(ref, before, "")
    if ref.startswith(_REMOTES):
        return None
    if after.startswith(_SYMBOLIC):
        return Change(ref, before, after, known=True)
    told = os.fsdecode(git.result("log", "-g", "-1", "--format=%H %ge", ref, "--").stdout).strip()
    commit, _, email = told.partition(" ")
    if commit == after and email != AGENT_EMAIL:
        return None
    return Change(ref, before, after, known=commit == after)


def _stash_change(before: str, after: str, log: bytes, now: bytes) -> Change | None:
    """Dropping moves the ref without a trace: the two logs tell."""
    old, new = moves(log), moves(now)
    left = {move.commit for move in new}
    dropped = tuple(move.commit for move in old if move.commit not in left)
    others = [move for move in new if move.email != AGENT_EMAIL and move.commit not in {move.commit for move in old}]
    if not dropped and (before == after or others):
        return None
    return Change(STASH, before, after, known=not others, entries=dropped)


def _packed(file: Path) -> Iterator[tuple[str, str]]:
    """Lines `OBJECT REF`; others tell how the file was written, or what a tag stands for."""
    for line in file.read_bytes().splitlines() if file.is_file() else ():
        name, _, ref = os.fsdecode(line).partition(" ")
        if ref.startswith("refs/") and ref.split("/")[1] not in _PASSED_OVER:
            yield ref, name


def _loose(folder: Path | str, prefix: str) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if prefix != "refs/" or entry.name not in _PASSED_OVER:
                    yield from _loose(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file() and not entry.name.endswith(".lock"):
                yield prefix + entry.name, os.fsdecode(Path(entry.path).read_bytes()).strip()


def _short(value: str) -> str:
    return value if value.startswith(_SYMBOLIC) else value[:_SHOWN]
