"""Landings without hooks, signatures and filters are made by plumbing, and are the commits that git would make."""

import subprocess
from pathlib import Path

import pytest

from prd_ralph.ports import LandingRefused
from tests.conftest import git
from tests.workspace.scene import FLIPPED, Scene, hook, put, scene_on


def _edit(root: Path) -> None:
    put(root, {"a.py": "x", "new/b.py": "y"})


def _landing(root: Path) -> list[str]:
    return git(root, "log", "-1", "--format=%T %P %an %ae %cn %ce%n%B").splitlines()


def test_it_is_the_commit_that_git_would_make(scene: Scene) -> None:
    plain = scene.landed(scene.attempt(_edit))
    as_plain = _landing(scene.root)
    assert (scene.root / ".git/logs/HEAD").read_text().count("commit: ") == 1
    git(scene.root, "reset", "-q", "--hard", scene.base)
    hook(scene.root, "pre-commit", "touch ../ran")
    hooked = scene_on(scene.root, run="r2")
    by_git = hooked.landed(hooked.attempt(_edit))
    assert (scene.root.parent / "ran").exists()
    assert _landing(scene.root) == as_plain
    assert plain.paths == by_git.paths
    assert git(scene.root, "show", "HEAD:prd.json") == FLIPPED.decode().rstrip("\n")


def test_a_filter_decides_what_git_stores(scene: Scene) -> None:
    git(scene.root, "config", "filter.up.clean", "tr a-z A-Z")
    put(scene.root, {".gitattributes": "prd.json filter=up\n"})
    git(scene.root, "add", ".gitattributes")
    git(scene.root, "commit", "-qm", "ground")
    scene = scene_on(scene.root, run="r2")
    scene.landed(scene.attempt(_edit))
    assert git(scene.root, "show", "HEAD:prd.json") == '{"PASSES": TRUE}'


def test_git_decides_on_line_ends(scene: Scene) -> None:
    git(scene.root, "config", "core.autocrlf", "input")
    candidate = scene.attempt(_edit)
    (scene.root / "progress.txt").write_bytes(b"one\r\ntwo\r\n")
    scene.landed(candidate)
    stored = subprocess.run(["git", "show", "HEAD:progress.txt"], cwd=scene.root, capture_output=True, check=True)
    assert stored.stdout == b"one\ntwo\n"


def test_a_missing_identity_is_the_environment(scene: Scene) -> None:
    git(scene.root, "config", "user.useConfigOnly", "true")
    (Path.home() / ".gitconfig").write_text("")
    refused = scene.land(scene.attempt(_edit))
    assert isinstance(refused, LandingRefused)
    assert not refused.by_hook
    assert scene.git("rev-parse", "HEAD") == scene.base


def test_a_date_that_the_person_set_is_gits_to_apply(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2031-03-01T08:00:00 +0000")
    scene = scene_on(scene.root, run="r2")
    scene.landed(scene.attempt(_edit))
    assert git(scene.root, "log", "-1", "--format=%ad", "--date=iso") == "2031-03-01 08:00:00 +0000"


def test_a_branch_that_cannot_be_moved_is_the_environment(scene: Scene) -> None:
    candidate = scene.attempt(_edit)
    (scene.root / ".git/refs/heads/main.lock").write_text("")
    refused = scene.land(candidate)
    assert isinstance(refused, LandingRefused)
    assert "main.lock" in refused.text


def test_a_memory_file_that_is_gone_is_gone_in_the_commit(scene: Scene) -> None:
    put(scene.root, {"progress.txt": "x\n"})
    git(scene.root, "add", "progress.txt")
    git(scene.root, "commit", "-qm", "progress")
    scene = scene_on(scene.root, run="r2")
    candidate = scene.attempt(_edit)
    (scene.root / "progress.txt").unlink()
    scene.landed(candidate)
    assert "progress.txt" not in git(scene.root, "ls-tree", "--name-only", "HEAD").split()
