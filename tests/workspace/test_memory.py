"""prd.json and progress.txt stay the files that they are; our own drafts are nobody's work."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError
from tests.conftest import git
from tests.workspace.scene import Scene, put, scene_on

NOTES = "# Progress\n\nnot committed yet\n"


def _gone(path: Path) -> None:
    path.unlink()


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _foldered(path: Path) -> None:
    path.unlink()
    put(path, {"inner": "x"})


def _linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("a.py")


def _hard_linked(path: Path) -> None:
    path.unlink()
    path.hardlink_to(path.with_name("mine.txt"))


ACTS = [_gone, _piped, _foldered, _linked, _hard_linked]


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("how", ["by the agent", "by a command", "and killed"])
def test_what_is_no_file_any_more_is_put_back_as_before_the_attempt(
    scene: Scene, act: Callable[[Path], None], how: str
) -> None:
    path = scene.root / "progress.txt"
    put(scene.root, {"progress.txt": NOTES})
    key = scene.key()
    scene.workspace.begin(key)
    if how == "by a command":
        candidate = scene.after(key)
        act(path)
        scene.workspace.restore(candidate)
    else:
        act(path)
        if how == "and killed":
            shutil.rmtree(scene.root / ".git/prd-ralph")
            scene = scene_on(scene.root, run="r2")
            current = scene.workspace.current()
            assert current is not None
            scene.workspace.resume(current)
        scene.after(key)
        assert scene.notes == ("progress.txt was no file of its own any more: put back",)
    assert (path.read_text(), path.is_symlink(), path.stat().st_nlink) == (NOTES, False, 1)
    assert (scene.root / "mine.txt").read_text() == "mine\n"


def test_what_an_agent_writes_into_it_stays(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"progress.txt": NOTES}))
    assert (scene.notes, (scene.root / "progress.txt").read_text()) == ((), NOTES)


@pytest.mark.parametrize("mode", [0o000, 0o600, 0o755])
def test_permissions_are_put_back(scene: Scene, mode: int) -> None:
    for name in ("prd.json", "progress.txt"):
        (scene.root / name).chmod(0o640)

    def act(root: Path) -> None:
        (root / "prd.json").chmod(mode)
        (root / "progress.txt").chmod(mode)

    candidate = scene.attempt(act)
    assert scene.notes == tuple(f"{name} had other permissions: put back" for name in ("prd.json", "progress.txt"))
    (scene.root / "prd.json").chmod(mode)  # by a command
    scene.workspace.restore(candidate)
    assert {(scene.root / name).stat().st_mode & 0o777 for name in ("prd.json", "progress.txt")} == {0o640}


def test_one_too_large_to_be_kept_makes_way(scene: Scene) -> None:
    put(scene.root, {"progress.txt": "x" * ((5 << 20) + 1)})
    scene.attempt(lambda root: _foldered(root / "progress.txt"))
    assert not (scene.root / "progress.txt").exists()
    assert scene.notes == ("progress.txt was no file of its own any more: moved away",)


def test_our_own_drafts_get_into_no_candidate(scene: Scene) -> None:
    put(scene.root, {".prd.json.prd-ralph.tmp": "of a killed run"})
    candidate = scene.attempt(lambda root: put(root, {".prd.json.prd-ralph.tmp": "again", "a.py": "x"}))
    assert (candidate.paths, candidate.left_out, scene.tampered) == (("a.py",), (), ())
    scene.landed(candidate)
    assert ".prd.json.prd-ralph.tmp" not in scene.files()


def _objects_gone(root: Path) -> None:
    shutil.rmtree(root / ".git/objects")


def _objects_emptied(root: Path) -> None:
    for folder in (root / ".git/objects").iterdir():
        shutil.rmtree(folder)


def _packed_and_emptied(root: Path) -> None:
    git(root, "gc", "-q")
    _objects_emptied(root)


def _all_gone(root: Path) -> None:
    shutil.rmtree(root / ".git")


@pytest.mark.parametrize("act", [_objects_gone, _objects_emptied, _packed_and_emptied, _all_gone])
def test_a_repository_that_is_lost_is_said_plainly(scene: Scene, act: Callable[[Path], None]) -> None:
    key = scene.key()
    scene.workspace.begin(key)
    act(scene.root)
    with pytest.raises(BlockedError, match="the repository is lost") as caught:
        scene.workspace.reclaim(key)
    assert "clone" in caught.value.problems[0].hint


def test_a_packed_repository_is_not_lost(scene: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        git(root, "gc", "-q", "--prune=now")

    assert scene.attempt(act).paths == ("a.py",)


def test_versions_of_the_memory_that_are_past_are_not_kept(scene: Scene) -> None:
    kept = []
    for number in range(6):
        put(scene.root, {"progress.txt": f"{number}\n"})
        scene.attempt(lambda root: None)
        texts = [path.read_bytes() for path in (scene.root / ".git").glob("**/kept/*")]
        kept.append([text for text in texts if text in {b"%d\n" % each for each in range(6)}])
    assert kept == [[b"%d\n" % number] for number in range(6)]
