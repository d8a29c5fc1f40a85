"""A start that finds an attempt in the work tree: on what ground it began, and what differs since."""

import stat
from dataclasses import replace
from pathlib import Path

from prd_ralph.model import AGENT_EMAIL, AttemptKey
from prd_ralph.ports import Candidate, Current, Landed
from prd_ralph.workspace import refs
from prd_ralph.workspace.begin import own_hooks
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Kept, lstat, read_plain
from prd_ralph.workspace.ground import Ground, keep_meta, load
from prd_ralph.workspace.head import OURS, Head, moves_since, read_head, reflog_size, resolve
from prd_ralph.workspace.landing import made
from prd_ralph.workspace.others import keep_stash, read_refs
from prd_ralph.workspace.reclaim import committers
from prd_ralph.workspace.status import split_z
from prd_ralph.workspace.unwatched import mark_again


def find_ground(desk: Desk, current: Current) -> Ground | None:
    """The ground that the attempt began on, as its run's folder holds it."""
    return load(desk.of(current.key.run).ground_file)


def find_base(desk: Desk, current: Current, ground: Ground | None) -> Head:
    """The commit and the branch to go on from. Undoes a landing of `current`'s that a hook had spoilt."""
    head = read_head(desk.git, desk.location)
    if _is_botched(desk, current):
        desk.git("update-ref", "-m", f"{OURS}landing undone", "HEAD", current.base, head.commit)
        head = replace(head, commit=current.base)
    if current.ended or not _only_agent_moved(desk, current, ground, head.commit):
        return head
    return Head(current.base, ground.branch if ground else head.branch)


def _only_agent_moved(desk: Desk, current: Current, ground: Ground | None, head: str) -> bool:
    """Whether HEAD is on base, or nobody but the killed attempt's agent has moved it."""
    if head == current.base:
        return True
    if ground and (moves := moves_since(desk.location, ground.log_size)):
        return all(move.email == AGENT_EMAIL for move in moves)
    return set(committers(desk.git, current.base, head).values()) == {AGENT_EMAIL}


def take_ground(desk: Desk, current: Current, ground: Ground | None, base: str) -> Ground:
    """The ground to go on from: `ground` with its index and copies, or as much of it as `current` holds."""
    known = frozenset(current.known_untracked)
    marked = known | (ground.absent if ground else frozenset())
    _rebuild_index(desk, base, marked)  # an agent may have had its hands on the old one
    if ground is None or ground.base != base:
        files = _recorded(desk, current)
        hooks = own_hooks(desk)
        return Ground(
            base=base,
            known=known,
            files={path: file for path, file in files.items() if path in known},
            meta=keep_meta(desk.location, hooks, desk.store, {}),
            own_hooks=hooks,
            refs=read_refs(desk.git, desk.location),
            stash=keep_stash(desk.location, desk.store),
            memory={path: file for path, file in files.items() if path in desk.memory},
            log_size=reflog_size(desk.location),
            saw_ignored=False,
        )
    return replace(ground, known=known, saw_ignored=not current.ended)


def _recorded(desk: Desk, current: Current) -> dict[str, Kept]:
    """The person's untracked files and the memory, as blobs of `current`.

    Modes beyond the executable bit are taken as they are on disk.
    """
    listed = split_z(desk.git("ls-tree", "-r", "-z", current.tree))
    entries = (line.partition("\t") for line in listed)
    wanted = frozenset((*current.known_untracked, *desk.memory))
    blobs = {path: about.split() for about, _, path in entries if path in wanted}
    oids = "".join(f"{oid}\n" for _, _, oid in blobs.values()).encode("ascii")
    answer = desk.git("cat-file", "--batch", stdin=oids) if blobs else b""
    found: dict[str, Kept] = {}
    for path, (mode, _, _) in blobs.items():
        header, _, answer = answer.partition(b"\n")
        size = int(header.split()[2])
        found[path] = Kept(_mode(desk.root / path, int(mode, 8)), desk.store.add(answer[:size]), (0, 0, 0, 0, 0), True)
        answer = answer[size + 1 :]
    return found


def _mode(path: Path, recorded: int) -> int:
    found = lstat(path)
    if found is not None and stat.S_IFMT(found.st_mode) == stat.S_IFMT(recorded):
        return found.st_mode if not (found.st_mode ^ recorded) & stat.S_IXUSR else recorded
    return recorded


def _rebuild_index(desk: Desk, base: str, wanted: frozenset[str]) -> None:
    """An index that equals `base`, from the person's, without bits that would hide a change but on `wanted`."""
    git, index = desk.git, desk.base_index
    if read_plain(desk.location.index) is not None:
        desk.indexes.take(desk.location.index, index)
    else:
        desk.attic.take(desk.state, index.name) if lstat(index) else None
    if not git.result("read-tree", "--reset", base, index=index).ok:  # no index that git can read
        index.unlink()
        git("read-tree", base, index=index)
    mark_again(git, index, wanted)
    desk.indexes.hold(index)


def as_it_lies(desk: Desk, current: Current, candidate: Candidate) -> str:
    """The work tree now, as a tree like the one that `current` recorded."""
    return refs.laid_over(desk, candidate.tree, desk.laid_over(frozenset(current.known_untracked)), {})


def differing(desk: Desk, before: str, now: str, *options: str) -> frozenset[str]:
    """The paths that are not the same in two trees; prd.json and progress.txt apart."""
    answer = desk.git("diff-tree", "-r", "--name-only", "--no-renames", "-z", *options, before, now)
    return frozenset(path for path in split_z(answer) if not desk.own(path))


def newcomers(desk: Desk, current: Current, base: str, now: str) -> frozenset[str]:
    """Files that neither `current` nor base has: where no agent has run since, they are the person's."""
    return differing(desk, current.tree, now, "--diff-filter=A") & differing(desk, base, now, "--diff-filter=A")


def landing_of(desk: Desk, current: Current) -> Landed | None:
    """The landing that `current` had begun, where HEAD is that commit."""
    if not _landed(desk, current):
        return None
    head = read_head(desk.git, desk.location).commit
    return Landed(head, made(desk.git, head).paths)


def _landed(desk: Desk, current: Current) -> bool:
    """Whether HEAD is the landing that `current` had begun; what an agent committed never is."""
    if current.landing_tree is None:
        return False
    told = desk.git("rev-list", "--no-commit-header", "-1", "--format=%T %P%n%ce", "HEAD").decode("utf-8", "replace")
    said, _, email = told.partition("\n")
    return said.split() == [current.landing_tree, current.base] and email.strip() != AGENT_EMAIL


def _is_botched(desk: Desk, current: Current) -> bool:
    """Whether HEAD is a landing of `current`'s that a hook had changed, and that we were killed before undoing."""
    if current.landing_tree is None or _landed(desk, current):
        return False
    parents, _, message = desk.git("log", "-1", "--format=%P%n%B", "HEAD").decode("utf-8", "replace").partition("\n")
    return parents == current.base and f"Prd-Ralph-Run: {current.key.run}" in message.splitlines()


def kept_before(desk: Desk, key: AttemptKey) -> str | None:
    """The commit under the attempt's ref, if it was kept."""
    return resolve(desk.git, refs.attempt_ref(key)) or None
