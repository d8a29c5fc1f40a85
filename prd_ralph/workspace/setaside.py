"""Takes changes out of the work tree: after the checks back to the candidate, when given up back to base."""

from collections.abc import Iterable
from pathlib import Path

from prd_ralph.ports import Candidate
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import clear_way, is_file, is_folder, lstat
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.status import UNTRACKED, Entry, join_z, status


def back_to_candidate(
    desk: Desk, ground: Ground, paths: Iterable[str], left_out: frozenset[str]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Puts tracked paths back as the candidate's index has them.

    `paths` are the candidate's. Returns what else has appeared, which is not the agent's, and what was put back.
    """
    entries = status(desk.git, desk.candidate_index)
    untouchable = ground.known | left_out
    ours = [entry for entry in entries if entry.path not in untouchable and not desk.own(entry.path)]
    edited = [entry.path for entry in ours if entry.edited]
    came_back = [entry.path for entry in ours if _again(entry, frozenset(paths))]
    for path in came_back:
        desk.attic.take(desk.root, path)
    for path in edited:
        clear_way(desk.root, path, desk.attic, overwrite=True)
    if edited:
        git = desk.git
        git("checkout-index", "-f", "-q", "-u", "-z", "--stdin", stdin=join_z(edited), index=desk.candidate_index)
    desk.indexes.hold(desk.candidate_index)
    appeared = frozenset(entry.path for entry in ours if entry.code == UNTRACKED) - frozenset(came_back)
    return appeared, (*came_back, *edited)


def _again(entry: Entry, paths: frozenset[str]) -> bool:
    """A file that the candidate had deleted."""
    return entry.code == UNTRACKED and entry.path in paths


def back_to_base(desk: Desk, ground: Ground, candidate: Candidate, base_tree: str) -> tuple[str, ...]:
    """From the candidate (which must lie in the work tree) to base; what no ref holds is moved away and named.

    Unlanded bytes of prd.json and progress.txt stay: both trees have the same of them.
    """
    special = lay_base(desk, candidate, base_tree)
    unheld = [entry.path for entry in status(desk.git) if _nobodys(desk, entry, ground)]
    for path in unheld:
        desk.attic.take(desk.root, path)
        _drop_empty(desk.root, Path(path).parent)
    return (*special, *unheld)


def lay_base(desk: Desk, candidate: Candidate, base_tree: str) -> list[str]:
    """Tracked paths from the candidate to base; what stood in the way and git cannot see is moved away and named."""
    index = desk.state / "aside.index"
    desk.indexes.copy(desk.candidate_index, index)
    special = [path for path in candidate.paths if _is_special(desk.root / path)]
    for path in special:
        desk.attic.take(desk.root, path)
    if candidate.tree != base_tree:
        desk.git("read-tree", "--no-sparse-checkout", "-u", "-m", candidate.tree, base_tree, index=index)
    return special


def _is_special(path: Path) -> bool:
    """A FIFO, socket or device: git does not see it."""
    found = lstat(path)
    return found is not None and not is_file(found) and not is_folder(found)


def _nobodys(desk: Desk, entry: Entry, ground: Ground) -> bool:
    return entry.code == UNTRACKED and entry.path not in ground.known and not desk.own(entry.path)


def _drop_empty(root: Path, folder: Path) -> None:
    """Removes the folders that a moved file leaves empty."""
    while folder != Path() and not any((root / folder).iterdir()):
        (root / folder).rmdir()
        folder = folder.parent
