"""Where HEAD stands, and who moved it (git's files are read where that is enough: no process an iteration)."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location

OURS = "prd-ralph: "
BRANCHES = "refs/heads/"
_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOVE = re.compile(rb"^[0-9a-f]+ ([0-9a-f]+) .*<([^>]*)> \d+ [-+]\d+\t?(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Head:
    """`commit` is empty on an unborn branch; `branch` is the short name, None where detached."""

    commit: str
    branch: str | None


@dataclass(frozen=True, slots=True)
class Move:
    """One line of a reflog: where it went, whose committer identity was in force, what git did."""

    commit: str
    email: str
    action: str


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""


def is_whole(location: Location) -> bool:
    """Whether HEAD is one: without it git takes the folder for no repository."""
    file = location.git_dir / "HEAD"
    said = _text(file) if file.is_file() else ""
    return bool(_OID.fullmatch(said)) or said.startswith("ref: refs/")


def resolve(git: Git, name: str) -> str:
    """The commit that a ref or revision names, or an empty string."""
    result = git.result("rev-parse", "--verify", "-q", f"{name}^{{commit}}")
    return result.stdout.decode("ascii").strip() if result.ok else ""


def read_head(git: Git, location: Location) -> Head:
    """HEAD as it is now; git is asked only where a plain look at its files does not tell."""
    said = _text(location.git_dir / "HEAD")
    if _OID.fullmatch(said):
        return Head(said, None)
    ref = said.removeprefix("ref: ")
    if not ref.startswith(BRANCHES) or ref == said or ref.endswith("/.invalid"):
        ref = git.result("symbolic-ref", "-q", "HEAD").stdout.decode("utf-8", "surrogateescape").strip()
    commit = _text(location.common_dir / ref) if ref else ""
    return Head(commit if _OID.fullmatch(commit) else resolve(git, "HEAD"), ref.removeprefix(BRANCHES) or None)


def reflog_size(location: Location) -> int:
    """How long HEAD's reflog is, in bytes: a mark for `moves_since`."""
    log = location.git_dir / "logs" / "HEAD"
    return log.stat().st_size if log.is_file() else 0


def moves_since(location: Location, size: int) -> tuple[Move, ...]:
    """The moves of HEAD, but for ours, since the reflog was `size` bytes long; none where it is not kept."""
    log = location.git_dir / "logs" / "HEAD"
    data = log.read_bytes() if log.is_file() else b""
    return tuple(move for move in moves(data[size:]) if not move.action.startswith(OURS))


def moves(log: bytes) -> tuple[Move, ...]:
    """A reflog's lines, the oldest first."""
    return tuple(
        Move(commit.decode("ascii"), email.decode("utf-8", "replace"), os.fsdecode(action))
        for commit, email, action in _MOVE.findall(log)
    )
