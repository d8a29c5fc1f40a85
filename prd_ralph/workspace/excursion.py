"""The work tree as base has it for a while, and back: to see whether something failed before an attempt already.

What lies in the tree is noted first, in the run's folder: a start after a kill goes back to it.
"""

import json

from prd_ralph.ports import Candidate
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import read_plain, write_whole
from prd_ralph.workspace.git import GitError
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.setaside import back_to_candidate, lay_base
from prd_ralph.workspace.status import split_z

_NOTE = "excursion.json"


def leave(desk: Desk, candidate: Candidate, base_tree: str) -> bool:
    """From the candidate, which lies in the tree, to base. False where something stands in the way: nothing changed."""
    write_whole(desk.state / _NOTE, json.dumps([candidate.tree, base_tree]).encode("ascii"))
    try:
        lay_base(desk, candidate, base_tree)
    except GitError:
        forget(desk)
        return False
    return True


def forget(desk: Desk) -> None:
    """The candidate lies in the tree again."""
    (desk.state / _NOTE).unlink(missing_ok=True)


def come_back(desk: Desk, ground: Ground) -> None:
    """Ends what a killed run did not: the candidate lies in the tree again. `desk` is that run's."""
    try:
        tree, base_tree = json.loads(read_plain(desk.state / _NOTE) or b"")
    except ValueError:
        return
    git, index = desk.git, desk.candidate_index
    desk.indexes.copy(desk.base_index, index)
    git("read-tree", "--reset", tree, index=index)
    desk.indexes.hold(index)
    paths = split_z(git("diff-tree", "-r", "--name-only", "--no-renames", "-z", base_tree, tree))
    back_to_candidate(desk, ground, paths, frozenset())
    forget(desk)
