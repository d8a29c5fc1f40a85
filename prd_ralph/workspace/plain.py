"""A landing where nothing of the person's would run: the same commit, by plumbing.

Without hooks, signatures and filters `git commit` with a temporary index does no more than this, in twice the time;
and here HEAD moves by compare-and-swap, so that a commit of somebody's can't slip in between.
"""

import os
import re
import stat
import time
from dataclasses import dataclass

from prd_ralph.errors import ForeignChangeError
from prd_ralph.ports import Landed, LandingRefused, LandingRequest
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import lstat, read_plain, walk
from prd_ralph.workspace.head import Head, read_head
from prd_ralph.workspace.landing import Footing, executable
from prd_ralph.workspace.objects import Entry
from prd_ralph.workspace.texts import said

_FILTERS = ("filter", "ident", "working-tree-encoding")
_NO_FILTER = frozenset({b"unspecified", b"unset"})
_SETTINGS = r"^(core\.hookspath|commit\.gpgsign|i18n\.commitencoding)$"
_IDENT = re.compile(r"(.*>) (\d+) ([-+]\d{4})\s*", re.DOTALL)
_NOW_S = 60


@dataclass(frozen=True, slots=True)
class Signature:
    """Who authors and who commits, as `Name <address>`, each with a time zone as `+0100`."""

    author: tuple[str, str]
    committer: tuple[str, str]


def signature(desk: Desk) -> Signature | None:
    """Whose name plain landings bear; None where landings here are not plain.

    Seen before an agent can edit what decides it; the guard keeps it so.
    """
    idents = [desk.git.result("var", f"GIT_{who}_IDENT") for who in ("AUTHOR", "COMMITTER")]
    found = [_IDENT.fullmatch(told.stdout.decode("utf-8", "surrogateescape")) for told in idents]
    present = [match for match in found if match and abs(time.time() - int(match[2])) < _NOW_S]  # else: a date is set
    if len(present) < len(found) or not _applies(desk):
        return None
    author, committer = ((match[1], match[3]) for match in present)
    return Signature(author, committer)


def _applies(desk: Desk) -> bool:
    told = desk.git.result("config", "-z", "--get-regexp", _SETTINGS).stdout.split(b"\0")
    # One is our own: plumbing turns the hooks off by core.hooksPath.
    if len([setting for setting in told if setting]) > 1 or _has_hooks(desk):
        return False
    attributes = desk.git("check-attr", "-z", *_FILTERS, "--", *desk.memory).split(b"\0")
    return {*attributes[2::3]} <= _NO_FILTER


def tree_of(desk: Desk, footing: Footing, request: LandingRequest) -> str:
    """The landing's tree: the candidate's with prd.json flipped and progress.txt as it is on disk.

    Empty where git might store the bytes otherwise: line ends of Windows are for a filter to decide on.
    """
    files: dict[bytes, Entry | None] = {}
    for path in footing.committed:
        file = desk.root / path
        found = lstat(file)
        there = found is not None and stat.S_ISREG(found.st_mode)
        data = request.prd if path == footing.prd else read_plain(file) if there else None
        if data is not None and b"\r" in data:
            return ""
        mode = b"100755" if executable(file) else b"100644"
        files[os.fsencode(path)] = None if data is None else (mode, desk.objects.add("blob", data, sync=True))
    return desk.objects.overlay(request.candidate.tree, files, sync=True)


def commit(
    desk: Desk, footing: Footing, tree: str, signature: Signature, request: LandingRequest
) -> Landed | LandingRefused:
    """Makes the commit. Raises ForeignChangeError for a moved HEAD."""
    git, message = desk.git, request.message
    author, committer = (f"{name} {int(time.time())} {zone}" for name, zone in (signature.author, signature.committer))
    name = desk.objects.commit(tree, (footing.base,), message, author, committer, sync=True)
    ref = f"refs/heads/{footing.branch}" if footing.branch else "HEAD"
    moved = git.result("update-ref", "-m", f"commit: {message.partition(chr(10))[0]}", ref, name, footing.base)
    head = read_head(git, desk.location)
    if moved.ok and head == Head(name, footing.branch):
        return Landed(name, tuple(sorted({*request.candidate.paths, *footing.committed})))
    if moved.ok or head != Head(footing.base, footing.branch):
        raise ForeignChangeError("somebody committed or switched branch during a landing", "see what, and run again")
    return LandingRefused(said(moved), by_hook=False)


def _has_hooks(desk: Desk) -> bool:
    files = walk(desk.location.common_dir / "hooks")
    return any(file.suffix != ".sample" and os.access(file, os.X_OK) for file in files)
