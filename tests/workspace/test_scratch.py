"""The scratch clone: what the commit holds, no way back, nothing left, and the repository only read."""

import os
import shutil
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.workspace.scratch import scratch_clone
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.looks import files, whole
from tests.workspace.scene import hook


@pytest.fixture
def repo(make_repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return make_repo({"a.py": "one\n", "tasks/prd.json": "{}\n"})


def test_it_holds_what_the_commit_does(repo: Path, tmp_path: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    git(repo, "tag", "v1")
    (repo / "a.py").write_text("uncommitted\n")
    (repo / "untracked").write_text("mine\n")
    hook(repo, "post-checkout", "touch HOOKED")
    hook(tmp_path / "template", "pre-commit", "touch HOOKED")
    git(repo, "config", "--global", "init.templateDir", str(tmp_path / "template" / ".git"))
    before = whole(repo)
    with scratch_clone(PlainProcesses(), repo, os.environ, head, {"tasks/prd.json": b"[]"}) as scratch:
        assert files(scratch.root) == {"a.py": b"one\n", "tasks/prd.json": b"[]"}
        assert git(scratch.root, "branch", "--show-current") == "main"
        assert git(scratch.root, "tag") == "v1"
        assert git(scratch.root, "remote") == ""
        assert not (scratch.root / ".git" / "hooks").exists()
        assert str(repo) not in (scratch.root / ".git" / "config").read_text()
        (scratch.root / "a.py").write_text("spoilt\n")
        (scratch.root / "made").write_text("made\n")
        scratch.restore()
        assert files(scratch.root) == {"a.py": b"one\n", "tasks/prd.json": b"[]", "made": b"made\n"}
    assert not scratch.root.parent.exists()
    assert whole(repo) == before


@pytest.mark.parametrize("how", ["detached", "worktree", "shallow", "behind"])
def test_wherever_head_is(repo: Path, tmp_path: Path, how: str) -> None:
    old = git(repo, "rev-parse", "HEAD")
    (repo / "a.py").write_text("two\n")
    git(repo, "commit", "-qam", "two")
    root, head, text = repo, git(repo, "rev-parse", "HEAD"), b"two\n"
    if how == "detached":
        git(repo, "checkout", "-q", "--detach", old)
        head, text = old, b"one\n"
    elif how == "worktree":
        root, head, text = tmp_path / "linked", old, b"one\n"
        git(repo, "worktree", "add", "-q", "--detach", str(root), old)
    elif how == "shallow":
        root = tmp_path / "shallow"
        git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", str(root))
    else:
        head, text = old, b"one\n"
    with scratch_clone(PlainProcesses(), root, os.environ, head, {}) as scratch:
        assert (scratch.root / "a.py").read_bytes() == text
        assert git(scratch.root, "rev-parse", "HEAD") == head


def test_what_is_laid_never_goes_through_a_link(repo: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "prd.json").write_text("mine\n")
    head = git(repo, "rev-parse", "HEAD")
    with scratch_clone(PlainProcesses(), repo, os.environ, head, {"new.json": b"laid", "x/y.json": b"y"}) as scratch:
        file = scratch.root / "new.json"
        file.unlink()
        file.symlink_to(outside / "prd.json")
        scratch.restore()
        assert (file.is_symlink(), file.read_bytes()) == (False, b"laid")
        file.unlink()
        (file / "in").mkdir(parents=True)
        scratch.restore()
        assert file.read_bytes() == b"laid"
        (scratch.root / "x" / "y.json").unlink()
        (scratch.root / "x").rmdir()
        (scratch.root / "x").symlink_to(outside)
        with pytest.raises(BlockedError):
            scratch.restore()
    assert [path.name for path in outside.iterdir()] == ["prd.json"]
    assert (outside / "prd.json").read_text() == "mine\n"


def test_a_folder_that_was_made_read_only_goes_too(repo: Path) -> None:
    with scratch_clone(PlainProcesses(), repo, os.environ, git(repo, "rev-parse", "HEAD"), {}) as scratch:
        (scratch.root / "cache").mkdir()
        (scratch.root / "cache" / "file").write_text("x")
        (scratch.root / "cache").chmod(0o500)
    assert not scratch.root.parent.exists()


def test_what_cannot_be_cloned_leaves_nothing(repo: Path, tmp_path: Path) -> None:
    with pytest.raises(RalphError), scratch_clone(PlainProcesses(), repo, os.environ, "0" * 40, {}):
        pass
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_environment_names_no_repository(repo: Path) -> None:
    env = {"GIT_DIR": "/x", "GIT_INDEX_FILE": "/y", "GIT_AUTHOR_NAME": "me", "PATH": "/bin"}
    with scratch_clone(PlainProcesses(), repo, os.environ, git(repo, "rev-parse", "HEAD"), {}) as scratch:
        apart = {"GIT_AUTHOR_NAME": "me", "PATH": "/bin", "GIT_CEILING_DIRECTORIES": str(scratch.root.parent)}
        assert scratch.env(env) == apart


@pytest.mark.parametrize("how", ["removed", "another", "linked"])
def test_a_clone_that_is_none_any_more_reaches_no_other_repository(
    repo: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = repo / "tmp"  # a temporary folder in the person's own work tree
    inside.mkdir()
    monkeypatch.setenv("TMPDIR", str(inside))
    head = git(repo, "rev-parse", "HEAD")
    (repo / "a.py").write_text("uncommitted\n")
    before = whole(repo)
    with pytest.raises(BlockedError), scratch_clone(PlainProcesses(), repo, os.environ, head, {}) as scratch:
        shutil.rmtree(scratch.root / ".git")
        if how == "another":
            (scratch.root / ".git").write_text(f"gitdir: {repo}/.git\n")
        elif how == "linked":
            (scratch.root / ".git").symlink_to(repo / ".git")
        scratch.restore()
    assert whole(repo) == before
    with pytest.raises(RalphError), scratch_clone(PlainProcesses(), repo, os.environ, head, {}) as scratch:
        shutil.rmtree(scratch.root / ".git")
        (scratch.root / ".git").mkdir()
        scratch.restore()
    assert whole(repo) == before


def test_a_lock_that_a_killed_command_left_is_no_obstacle(repo: Path) -> None:
    with scratch_clone(PlainProcesses(), repo, os.environ, git(repo, "rev-parse", "HEAD"), {}) as scratch:
        (scratch.root / "a.py").unlink()
        (scratch.root / ".git" / "index.lock").touch()
        scratch.restore()
        assert (scratch.root / "a.py").exists()
