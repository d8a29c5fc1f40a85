"""A start that finds an attempt in the work tree."""

import shutil

import pytest

from prd_ralph.ports import Current, Landed
from tests.conftest import Repo, git
from tests.workspace.scene import FILES, FLIPPED, Scene, agent, hook, persons, put, scene_on


def _current(scene: Scene) -> Current:
    current = scene.workspace.current()
    assert current is not None
    return current


def _later(scene: Scene, *, forgetful: bool = False) -> Scene:
    """The next run; `forgetful`: its state folder was deleted."""
    if forgetful:
        shutil.rmtree(scene.root / ".git/prd-ralph")
    return scene_on(scene.root, run="r2")


FORGETFUL = pytest.mark.parametrize("forgetful", [False, True], ids=["state kept", "state gone"])


@FORGETFUL
def test_an_ended_attempt_that_lies_as_it_was_goes_on(scene: Scene, forgetful: bool) -> None:
    before = persons(scene.root)
    scene.attempt(lambda root: put(root, {"a.py": "x", "new.py": "n"}))
    put(scene.root, {"progress.txt": "entry\n"})
    later = _later(scene, forgetful=forgetful)
    assert later.workspace.resume(_current(later)) == ()
    candidate = later.attempt(lambda root: put(root, {"second.py": "2", "mine.txt": "agent"}))
    assert candidate.paths == ("a.py", "new.py", "second.py")
    assert persons(scene.root) == before
    later.landed(candidate)
    assert later.status() == ["?? mine.txt", "?? notes/todo.md"]


@FORGETFUL
def test_what_was_changed_since_is_listed(scene: Scene, forgetful: bool) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x", "new.py": "n"}))
    put(scene.root, {"new.py": "edited", "mine.txt": "edited", "fresh.py": "f", "prd.json": "{}"})
    (scene.root / "pkg/b.py").unlink()
    later = _later(scene, forgetful=forgetful)
    recorded = _current(later)
    assert later.workspace.resume(recorded) == ("fresh.py", "mine.txt", "new.py", "pkg/b.py")
    assert _current(later) == recorded
    assert (scene.root / "new.py").read_text() == "edited"


@FORGETFUL
def test_a_killed_attempt_is_adopted(scene: Scene, forgetful: bool) -> None:
    before, index = persons(scene.root), scene.git("ls-files", "-s", "-v")
    key = scene.key()
    scene.workspace.begin(key)
    put(scene.root, {"a.py": "x", "new.py": "n", "mine.txt": "agent", "staged.py": "s", "pkg/b.py": "hidden"})
    (scene.root / "notes/todo.md").unlink()
    agent(scene.root, "add", "staged.py")
    agent(scene.root, "commit", "-qm", "by the agent")
    agent(scene.root, "add", "new.py")
    agent(scene.root, "update-index", "--assume-unchanged", "pkg/b.py")
    agent(scene.root, "update-index", "--skip-worktree", "a.py")
    later = _later(scene, forgetful=forgetful)
    different = later.workspace.resume(_current(later))
    assert set(different) == {"a.py", "new.py", "mine.txt", "notes/todo.md", "staged.py", "pkg/b.py"}
    candidate = later.after(key)
    assert candidate.paths == ("a.py", "new.py", "pkg/b.py", "staged.py")
    assert later.head is not None
    assert scene.git("rev-parse", "HEAD") == scene.base
    assert {path: text for path, (_, text) in persons(scene.root).items()} == {
        path: text for path, (_, text) in before.items()
    }
    later.workspace.restore(candidate)
    later.workspace.set_aside(key)
    assert later.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert scene.git("ls-files", "-s", "-v") == index


def test_git_files_and_ignored_ones_are_put_back_after_a_kill(scene: Scene) -> None:
    before, config = persons(scene.root), (scene.root / ".git/config").read_bytes()
    key = scene.key()
    scene.workspace.begin(key)
    agent(scene.root, "switch", "-qc", "elsewhere")
    agent(scene.root, "config", "user.name", "evil")
    put(scene.root, {".git/hooks/pre-commit": "#!/bin/sh\nexit 1\n", "run.log": "agent", "mine.txt": "agent"})
    later = _later(scene)
    later.workspace.resume(_current(later))
    later.after(key)
    assert scene.git("branch", "--show-current") == "main"
    assert persons(scene.root) == before
    assert (scene.root / ".git/config").read_bytes() == config
    assert set(later.tampered) == {".git/config", ".git/hooks/pre-commit", "mine.txt"}


def test_a_persons_commit_since_is_the_new_base(scene: Scene) -> None:
    key = scene.key()
    scene.workspace.begin(key)
    put(scene.root, {"new.py": "n"})
    put(scene.root, {"pkg/b.py": "fixed"})
    git(scene.root, "commit", "-qm", "a person's fix", "pkg/b.py")
    later = _later(scene)
    later.workspace.resume(_current(later))
    assert later.after(key).paths == ("new.py",)
    assert scene.git("log", "-1", "--format=%s") == "a person's fix"


def test_a_file_of_the_persons_made_since_is_known_from_the_next_attempt_on(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    put(scene.root, {"later.log": "the person's, ignored\n"})
    later = _later(scene)
    assert later.workspace.resume(_current(later)) == ()
    later.attempt(lambda root: put(root, {"later.log": "agent"}))
    assert later.notes == ("put back as it was, though git ignores it: later.log",)


def test_a_landing_that_was_cut_off_is_finished(scene: Scene) -> None:
    outcome = scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    assert isinstance(outcome, Landed)
    later = _later(scene)
    found = later.workspace.landing_of(_current(later))
    assert found is not None
    assert found.commit == outcome.commit
    assert set(found.paths) <= set(outcome.paths)
    (scene.root / "prd.json").write_bytes(FLIPPED)
    later.workspace.settle(outcome.commit)
    assert later.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert later.workspace.current() is None
    later.landed(later.attempt(lambda root: put(root, {"a.py": "y"}), story="US-2"), story="US-2")


def test_a_reset_of_the_persons_after_a_landing_is_not_undone(scene: Scene) -> None:
    scene.land(scene.attempt(lambda root: put(root, {"a.py": "x"})))
    git(scene.root, "reset", "-q", "--soft", "HEAD~1")
    later = _later(scene)
    assert later.workspace.landing_of(_current(later)) is None
    assert (
        scene_on(scene.root, run="r3").workspace.landing_of(Current(scene.key(number=1), scene.base, "x", ended=True))
        is None
    )


def test_a_landing_that_a_hook_had_spoilt_is_undone(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x\n"}))
    hook(scene.root, "pre-commit", "git add -A")
    scene.land(candidate)
    current = _current(scene)
    spoilt = git(scene.root, "commit-tree", "-p", scene.base, "-m", "feat: x\n\nPrd-Ralph-Run: r1", current.tree)
    git(scene.root, "update-ref", "HEAD", spoilt)
    later = _later(scene)
    assert later.workspace.landing_of(current) is None
    assert later.workspace.resume(current) == ()
    assert scene.git("rev-parse", "HEAD") == scene.base


@pytest.mark.parametrize("sparse", [True, False])
def test_a_sparse_checkout_is_rebuilt_sparse(make_repo: Repo, sparse: bool) -> None:
    root = make_repo(FILES | {"away/x.py": "x"})
    if sparse:
        git(root, "sparse-checkout", "set", "pkg")
    scene = scene_on(root)
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    later = _later(scene, forgetful=True)
    assert later.workspace.resume(_current(later)) == ()
    later.workspace.set_aside(scene.key(number=1))
    assert later.status() == []
    assert (root / "away/x.py").exists() is not sparse


def test_a_state_folder_that_is_not_whole_is_as_good_as_none(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    (scene.root / ".git/prd-ralph/runs/r1/ground.json").write_text("{")
    later = _later(scene)
    assert later.workspace.resume(_current(later)) == ()


def test_the_same_run_goes_on_from_its_own_folder(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    again = scene_on(scene.root, run="r1")
    assert again.workspace.resume(_current(again)) == ()
    assert again.workspace.set_aside(scene.key(number=1)) == ()
    assert again.status() == ["?? mine.txt", "?? notes/todo.md"]
