"""A start that finds an attempt in the work tree: on what ground it began, and what differs since."""

import shutil

from prd_ralph.model import AttemptKey
from prd_ralph.ports import Candidate, Current
from prd_ralph.workspace import refs
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.ground import Ground, copy_index, load, save
from prd_ralph.workspace.head import moves_since, reflog_size, resolve
from prd_ralph.workspace.reclaim import AGENT_EMAIL, committers
from prd_ralph.workspace.status import join_z, split_z

_NOW = "refs/worktree/prd-ralph/now"


def find_base(desk: Desk, current: Current, head: str) -> str:
    """The base to go on from: HEAD, unless only the killed attempt's own agent has moved it."""
    if current.ended or head == current.base:
        return head
    ground = load(desk.of(current.key.run).ground_file)
    moves = moves_since(desk.places, ground.log_size) if ground else ()
    if moves:
        return current.base if all(move.email == AGENT_EMAIL for move in moves) else head
    emails = set(committers(desk.git, current.base, head).values())
    return current.base if emails == {AGENT_EMAIL} else head


def find_ground(desk: Desk, current: Current, base: str) -> Ground:
    """The ground that the attempt began on, from its run's folder; where that is gone, as much as `current` holds."""
    old = desk.of(current.key.run)
    ground = load(old.ground_file)
    if ground is not None and ground.base == base and old.base_index.is_file():
        if old.state != desk.state:
            shutil.copytree(old.state / "kept", desk.state / "kept", dirs_exist_ok=True)
            copy_index(old.base_index, desk.base_index)
            save(ground, desk.ground_file)
        return ground
    _rebuild_index(desk, base)
    ground = Ground(base, frozenset(current.known_untracked), log_size=reflog_size(desk.places))
    save(ground, desk.ground_file)
    return ground


def _rebuild_index(desk: Desk, base: str) -> None:
    """An index that equals `base`, from the person's, without bits that would hide a change."""
    git, index = desk.git, desk.base_index
    copy_index(desk.places.index, index)
    git("read-tree", "--reset", base, index=index)
    listed = split_z(git("ls-files", "-v", "-z", index=index))
    sparse = git("config", "--type=bool", "--get", "core.sparseCheckout", statuses=(0, 1)).strip() == b"true"
    hidden = [line[2:] for line in listed if line[0].islower() or (line[0] == "S" and not sparse)]
    if hidden:
        paths = join_z(hidden)
        git("update-index", "--no-assume-unchanged", "-z", "--stdin", stdin=paths, index=index)
        if not sparse:
            git("update-index", "--no-skip-worktree", "-z", "--stdin", stdin=paths, index=index)


def differing(desk: Desk, current: Current, candidate: Candidate) -> tuple[str, ...]:
    """The paths that lie otherwise in the work tree than `current` recorded; prd.json and progress.txt apart."""
    now = Current(current.key, current.base, candidate.tree, current.ended)
    files = desk.laid_over(frozenset(current.known_untracked))
    refs.write(desk.git, desk.root, [refs.current_record(now, files, _NOW)])
    answer = desk.git("diff-tree", "-r", "--name-only", "--no-renames", "-z", current.tree, _NOW)
    desk.git("update-ref", "-d", _NOW)
    return tuple(path for path in split_z(answer) if not desk.own(path))


def landed(desk: Desk, current: Current) -> bool:
    """Whether HEAD is the landing that `current` had begun."""
    if current.landing_tree is None:
        return False
    git = desk.git
    said = git("rev-list", "--no-commit-header", "-1", "--format=%T %P", "HEAD").decode("ascii").split()
    return said == [current.landing_tree, current.base]


def kept_before(desk: Desk, key: AttemptKey) -> str | None:
    """The commit under the attempt's ref, if it was kept."""
    return resolve(desk.git, refs.attempt_ref(key)) or None
