"""The work tree as base has it for a while, and back: to see what commands say without an attempt's work.

`current` says so meanwhile, so that a start after a kill goes back too.
"""

from collections.abc import Iterable

from prd_ralph.errors import BlockedError
from prd_ralph.ports import Candidate, Current
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import lstat
from prd_ralph.workspace.git import GitError
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.setaside import back_to_candidate, lay_base
from prd_ralph.workspace.status import split_z, status
from prd_ralph.workspace.texts import listed


def leave(desk: Desk, candidate: Candidate, base_tree: str) -> bool:
    """From the candidate, which lies in the tree, to base. False where something stands in the way: nothing changed."""
    try:
        lay_base(desk, candidate, base_tree)
    except GitError:
        return False
    return True


def come_back(desk: Desk, ground: Ground, current: Current) -> tuple[str, ...]:
    """After a kill: tracked paths are as `current` recorded them. What lay in their place is moved away; says so."""
    git, index = desk.git, desk.candidate_index
    desk.indexes.copy(desk.base_index, index)
    lines = split_z(git("ls-tree", "-r", "-z", "--full-tree", current.tree))
    apart = frozenset((*current.known_untracked, *desk.memory))
    entries = [line for line in lines if line.partition("\t")[2] not in apart]
    git("read-tree", "--empty", index=index)
    git("update-index", "-z", "--index-info", stdin=b"".join(_raw(line) for line in entries), index=index)
    desk.indexes.hold(index)
    changed = [entry.path for entry in status(git, index) if entry.edited and not desk.own(entry.path)]
    there = [path for path in changed if path not in ground.known and lstat(desk.root / path)]
    moved = {path: desk.attic.take(desk.root, path) for path in there}
    gone = split_z(git("diff-tree", "-r", "--name-only", "--diff-filter=D", "-z", ground.base, current.tree))
    back_to_candidate(desk, ground, gone, frozenset())
    why = "the run was killed while commands looked at base"
    return tuple(f"{path} was moved away: {why}; it is kept: {place}" for path, place in moved.items() if place)


def refuse_edited(paths: Iterable[str]) -> None:
    """After a kill while no attempt's work was away: what differs from base is a command's doing or the person's, and
    only the person can say which. Raises BlockedError.
    """
    edited = sorted(paths)
    if edited:
        raise BlockedError(
            f"the last run was killed while commands ran, and not committed is: {listed(tuple(edited))}",
            "git commit or git stash what is yours, git restore the rest; then run again",
        )


def _raw(line: str) -> bytes:
    return line.encode("utf-8", "surrogateescape") + b"\0"
