"""Files that a person has told git not to look at are the person's, though they are tracked."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import Repo, git
from tests.workspace.scene import FILES, Scene, agent, hook, put, scene_on

BITS = pytest.mark.parametrize("bit", ["--skip-worktree", "--assume-unchanged"])
LOCAL = "host = mine\n"


def _local(make_repo: Repo, bit: str) -> Scene:
    root = make_repo(FILES | {"cfg/local.py": "host = shared\n"})
    git(root, "update-index", bit, "cfg/local.py")
    put(root, {"cfg/local.py": LOCAL})
    return scene_on(root)


def _acts(root: Path) -> None:
    put(root, {"cfg/local.py": "agent\n", "a.py": "x\n"})
    agent(root, "update-index", "--no-skip-worktree", "--no-assume-unchanged", "cfg/local.py")
    agent(root, "add", "-A")
    agent(root, "commit", "-qm", "all of it")


def _replaces(root: Path) -> None:
    shutil.rmtree(root / "cfg")
    put(root, {"cfg": "a file", "a.py": "x\n"})


@BITS
@pytest.mark.parametrize("act", [_acts, _replaces])
@pytest.mark.parametrize("hooked", [False, True])
def test_they_are_put_back_named_and_land_in_nothing(make_repo: Repo, bit: str, act: object, hooked: bool) -> None:
    scene = _local(make_repo, bit)
    if hooked:
        hook(scene.root, "pre-commit", "exit 0")
    listed = scene.git("ls-files", "-v")
    assert callable(act)
    candidate = scene.attempt(act)
    assert (candidate.paths, candidate.left_out) == (("a.py",), ())
    assert "cfg/local.py" in scene.tampered
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    put(scene.root, {"cfg/local.py": "by a command\n"})
    scene.workspace.restore(candidate)
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    scene.landed(candidate)
    assert scene.git("show", "HEAD:cfg/local.py") == "host = shared"
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    assert (scene.git("ls-files", "-v"), scene.status()) == (listed, [])
    second = scene.attempt(lambda root: put(root, {"cfg/local.py": "agent again\n", "a.py": "y\n"}), story="US-2")
    assert (second.paths, scene.tampered) == (("a.py",), ("cfg/local.py",))
    scene.workspace.set_aside(scene.key("US-2", 1))
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    assert (scene.git("ls-files", "-v"), scene.status()) == (listed, [])


@BITS
@pytest.mark.parametrize("forgetful", [False, True])
def test_they_are_put_back_after_a_kill(make_repo: Repo, bit: str, forgetful: bool) -> None:
    scene = _local(make_repo, bit)
    key = scene.key()
    scene.workspace.begin(key)
    _acts(scene.root)
    if forgetful:
        shutil.rmtree(scene.root / ".git/prd-ralph")
    later = scene_on(scene.root, run="r2")
    current = later.workspace.current()
    assert current is not None
    later.workspace.resume(current)
    assert later.after(key).paths == ("a.py",)
    assert "cfg/local.py" in later.tampered
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    later.workspace.set_aside(key)
    assert (scene.root / "cfg/local.py").read_text() == LOCAL
    assert later.status() == []


@BITS
def test_one_that_is_not_there_stays_away(make_repo: Repo, bit: str) -> None:
    scene = _local(make_repo, bit)
    (scene.root / "cfg/local.py").unlink()
    candidate = scene.attempt(lambda root: put(root, {"cfg/local.py": "agent\n", "a.py": "x\n"}))
    assert (candidate.paths, scene.tampered) == (("a.py",), ("cfg/local.py",))
    assert not (scene.root / "cfg/local.py").exists()
    assert scene.status() == [" M a.py"]


def test_what_a_sparse_checkout_leaves_out_is_not_guarded(make_repo: Repo) -> None:
    root = make_repo(FILES | {"away/x.py": "x"})
    git(root, "sparse-checkout", "set", "pkg")
    scene = scene_on(root)
    candidate = scene.attempt(lambda root: put(root, {"away/x.py": "agent\n"}))
    assert (candidate.paths, scene.tampered) == (("away/x.py",), ())
