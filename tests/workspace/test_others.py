"""The person's other refs: put back after an attempt where an agent deleted or moved them."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from prd_ralph.workspace.location import discover
from prd_ralph.workspace.others import read_refs
from tests.conftest import Repo, git
from tests.workspace.looks import git_at
from tests.workspace.scene import FILES, Scene, agent, put, scene_on

THEIRS = ["refs/heads", "refs/tags", "refs/stash", "refs/notes", "refs/remotes", "refs/prs"]


@pytest.fixture
def rich(make_repo: Repo) -> Scene:
    """Branches, tags, two stash entries, a note, a remote's branch, and a ref of no known kind; some of them packed."""
    root = make_repo(FILES)
    for name in ("topic", "old"):
        git(root, "switch", "-qc", name, "main")
        put(root, {f"{name}.py": name})
        git(root, "add", "-A")
        git(root, "commit", "-qm", name)
    git(root, "switch", "-q", "main")
    git(root, "tag", "light", "topic")
    git(root, "tag", "-a", "-m", "said", "heavy", "old")
    git(root, "notes", "add", "-m", "noted", "main")
    git(root, "update-ref", "refs/remotes/origin/main", "main")
    git(root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(root, "pack-refs", "--all")
    git(root, "update-ref", "refs/prs/1/head", "topic")
    git(root, "tag", "loose", "old")
    for text in ("first", "second"):
        put(root, {"a.py": text})
        git(root, "stash", "-q")
    return scene_on(root)


def _refs(scene: Scene) -> str:
    return scene.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)", *THEIRS)


def _stash(scene: Scene) -> str:
    return scene.git("stash", "list", "--format=%H %gs")


def _reachable(scene: Scene, number: int = 1) -> set[str]:
    return set(scene.git("rev-list", f"refs/prd-ralph/r1/US-1/{number}").splitlines())


MISCHIEF = {
    "stash clear": {"refs/stash"},
    "stash drop": {"refs/stash"},
    "stash drop stash@{1}": {"refs/stash"},
    "branch -D topic": {"refs/heads/topic"},
    "branch -m topic taken": {"refs/heads/topic"},
    "branch -f topic main": {"refs/heads/topic"},
    "tag -d light": {"refs/tags/light"},
    "tag -d heavy loose": {"refs/tags/heavy", "refs/tags/loose"},
    "tag -f light main": {"refs/tags/light"},
    "tag -f -a -m x heavy main": {"refs/tags/heavy"},
    "update-ref -d refs/heads/topic": {"refs/heads/topic"},
    "update-ref -d refs/remotes/origin/main": {"refs/remotes/origin/main"},
    "symbolic-ref -d refs/remotes/origin/HEAD": {"refs/remotes/origin/HEAD"},
    "symbolic-ref refs/heads/topic refs/heads/old": {"refs/heads/topic"},
    "update-ref -d refs/prs/1/head": {"refs/prs/1/head"},
    "update-ref refs/prs/1/head main": {"refs/prs/1/head"},
    "notes remove main": {"refs/notes/commits"},
}


@pytest.mark.parametrize("command", MISCHIEF)
def test_what_an_agent_does_to_them_is_undone_and_named(rich: Scene, command: str) -> None:
    before, stash = _refs(rich), _stash(rich)
    log = (rich.root / ".git/logs/refs/stash").read_bytes()
    rich.attempt(lambda root: agent(root, *command.split()))
    assert {name.partition(":")[0] for name in rich.tampered} == MISCHIEF[command]
    assert [line for line in _refs(rich).splitlines() if "/taken " not in line] == before.splitlines()
    assert _stash(rich) == stash
    assert (rich.root / ".git/logs/refs/stash").read_bytes() == log
    rich.attempt()
    assert rich.tampered == ()


def test_what_they_were_moved_to_is_kept(rich: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "mine"})
        agent(root, "stash", "-q")
        agent(root, "switch", "-q", "topic")
        put(root, {"topic.py": "mine"})
        agent(root, "commit", "-qam", "on the person's branch")
        agent(root, "tag", "-f", "light")
        agent(root, "notes", "add", "-f", "-m", "other", "main")

    before, stash = _refs(rich), _stash(rich)
    made: list[str] = []

    def noting(root: Path) -> None:
        act(root)
        made.extend(git(root, "rev-parse", "refs/stash", "topic", "light", "refs/notes/commits").splitlines())

    candidate = rich.attempt(noting)
    assert candidate.paths == ("topic.py",)
    assert (_refs(rich), _stash(rich)) == (before, stash)
    assert rich.git("branch", "--show-current") == "main"
    assert rich.notes == ()
    assert set(made) <= _reachable(rich)


def test_stashing_and_taking_it_back_is_nothing(rich: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        agent(root, "stash", "-q")
        agent(root, "stash", "pop", "-q")

    before = _refs(rich), _stash(rich)
    assert rich.attempt(act).paths == ("a.py",)
    assert (rich.tampered, (_refs(rich), _stash(rich))) == ((), before)


def _does(command: str, root: Path) -> None:
    agent(root, *command.split())


def test_what_agents_made_is_theirs_to_move_in_later_attempts(rich: Scene) -> None:
    before = _refs(rich)
    rich.attempt(lambda root: agent(root, "branch", "mine"))
    assert rich.tampered == ()
    for command in ("branch -f mine topic", "branch -D mine", "branch mine"):
        rich.attempt(partial(_does, command))
        assert rich.tampered == ()
    assert _refs(rich).replace(f"refs/heads/mine {rich.base} \n", "") == before


def _fetches(root: Path) -> None:
    git(root, "update-ref", "refs/remotes/origin/main", "topic")


def _commits_elsewhere(root: Path) -> None:
    git(root, "worktree", "add", "-q", str(root.parent / "beside"), "topic")
    git(root.parent / "beside", "commit", "-q", "--allow-empty", "-m", "a person's")


def _stashes(root: Path) -> None:
    put(root, {"a.py": "a person's"})
    git(root, "stash", "-q")


def _agent_pushes(root: Path) -> None:
    agent(root, "update-ref", "refs/remotes/origin/main", "topic")


@pytest.mark.parametrize("act", [_fetches, _commits_elsewhere, _stashes, _agent_pushes])
def test_what_a_person_moves_meanwhile_and_what_is_known_of_remotes_stays(
    rich: Scene, act: Callable[[Path], None]
) -> None:
    moved: list[str] = []

    def noting(root: Path) -> None:
        act(root)
        moved.append(_refs(rich))

    before = _refs(rich)
    rich.attempt(noting)
    assert rich.tampered == ()
    assert [_refs(rich)] == moved != [before]


def test_a_branch_that_nobody_is_known_to_have_moved_is_named_and_left(rich: Scene) -> None:
    was, to = rich.git("rev-parse", "topic"), rich.git("rev-parse", "old")
    rich.attempt(lambda root: put(root, {".git/refs/heads/topic": to + "\n"}))
    told = f"refs/heads/topic: {was[:10]} -> {to[:10]} (left as it is: somebody else may have moved it)"
    assert rich.tampered == (told,)
    assert rich.git("rev-parse", "topic") == to
    assert was in _reachable(rich)


def test_what_cannot_be_put_back_is_named_and_kept(rich: Scene) -> None:
    was = rich.git("rev-parse", "topic")

    def act(root: Path) -> None:
        agent(root, "branch", "-D", "topic")
        agent(root, "branch", "topic/inner", "main")

    rich.attempt(act)
    (told,) = rich.tampered
    assert told.startswith(f"refs/heads/topic: {was[:10]} -> deleted (cannot be put back: ")
    assert was in _reachable(rich)
    assert rich.git("rev-parse", "topic/inner") == rich.base


def test_all_of_them_deleted_at_once(rich: Scene) -> None:
    before, stash = _refs(rich), _stash(rich)

    def act(root: Path) -> None:
        agent(root, "pack-refs", "--all")
        (root / ".git/packed-refs").unlink()
        shutil.rmtree(root / ".git/logs")

    rich.attempt(act)
    assert (_refs(rich), _stash(rich)) == (before, stash)
    assert rich.git("rev-parse", "HEAD") == rich.base


def test_a_person_who_stashes_while_an_agent_drops_loses_nothing(rich: Scene) -> None:
    theirs: list[str] = []
    dropped = rich.git("rev-parse", "stash@{0}")

    def act(root: Path) -> None:
        agent(root, "stash", "drop", "-q")
        git(root, "stash", "store", "-m", "a person's", git(root, "commit-tree", "-p", "old", "-m", "x", "old^{tree}"))
        theirs.extend(_stash(rich).splitlines())

    rich.attempt(act)
    assert rich.tampered == (f"refs/stash: dropped {dropped[:10]} (left as it is: somebody else may have moved it)",)
    assert _stash(rich).splitlines() == theirs
    assert dropped in _reachable(rich)


def test_in_a_linked_work_tree_they_are_named_and_kept(make_repo: Repo, tmp_path: Path) -> None:
    main = make_repo(FILES)
    git(main, "branch", "topic")
    for text in ("first", "second"):
        put(main, {"a.py": text})
        git(main, "stash", "-q")
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    scene = scene_on(tmp_path / "side")
    entries = _stash(scene)
    dropped = scene.git("rev-parse", "stash@{1}")

    def act(root: Path) -> None:
        agent(root, "branch", "-D", "topic")
        agent(root, "stash", "drop", "-q", "stash@{1}")

    scene.attempt(act)
    shared = " (shared with other work trees, left as it is)"
    assert scene.tampered == (
        f"refs/heads/topic: {scene.base[:10]} -> deleted{shared}",
        f"refs/stash: dropped {dropped[:10]}{shared}",
    )
    assert "topic" not in scene.git("branch", "--format=%(refname:short)").split()
    assert _stash(scene) != entries
    assert dropped in _reachable(scene)


def test_a_run_that_was_killed_has_them_put_back_by_the_next(rich: Scene) -> None:
    before, stash = _refs(rich), _stash(rich)
    key = rich.key()
    rich.workspace.begin(key)
    agent(rich.root, "branch", "-D", "topic")
    agent(rich.root, "stash", "clear")
    later = scene_on(rich.root, run="r2")
    current = later.workspace.current()
    assert current is not None
    later.workspace.resume(current)
    later.after(key)
    assert {name.partition(":")[0] for name in later.tampered} == {"refs/heads/topic", "refs/stash"}
    assert (_refs(rich), _stash(rich)) == (before, stash)


def test_they_are_read_as_git_reads_them_and_by_git_where_they_are_no_files(rich: Scene) -> None:
    location, git_of = discover(rich.root), git_at(rich.root)
    rich.attempt()  # our own refs are passed over
    (rich.root / ".git/refs/heads/topic.lock").touch()
    (rich.root / ".git/refs/heads/\udc85").write_text(rich.base)
    read = read_refs(git_of, location)
    assert len(read) == 12
    (rich.root / ".git/reftable").mkdir()
    assert read_refs(git_of, location) == read
