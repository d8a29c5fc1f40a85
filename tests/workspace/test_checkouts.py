"""Fresh checkouts: what a clone would have, where nobody could have put anything before, and gone afterwards."""

import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError
from prd_ralph.workspace.checkouts import GitCheckouts, clear_abandoned
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from tests.conftest import Repo, git
from tests.support.plain import PlainProcesses
from tests.workspace.scene import PERSONS, Scene, agent, put


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the system's temporary files lie."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def checkouts(root: Path) -> GitCheckouts:
    return GitCheckouts(Git(PlainProcesses(), root, dict(os.environ)), discover(root))


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != ".git"}


def worktrees(root: Path) -> list[str]:
    """git's list, the repository's own first."""
    told = git(root, "worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in told if line.startswith("worktree ")]


def tree_of(root: Path, **texts: str) -> str:
    """A tree that no commit has: HEAD's with more files."""
    put(root, {name.replace("_", "."): text for name, text in texts.items()})
    agent(root, "add", *(name.replace("_", ".") for name in texts))
    tree = git(root, "write-tree")
    agent(root, "reset", "-q")
    return tree


def test_it_holds_the_tree_and_nothing_else(scene: Scene, temporary: Path) -> None:
    tree = tree_of(scene.root, new_py="new\n")
    with checkouts(scene.root).of(tree) as checkout:
        assert checkout.root.parent == temporary.resolve()
        assert files(checkout.root) == {*scene.files(), "new.py"}
        assert not files(checkout.root) & PERSONS.keys()
        assert git(checkout.root, "status", "--porcelain") == ""
        assert git(checkout.root, "rev-parse", "HEAD^{tree}", "HEAD^") == f"{tree}\n{scene.base}"
        assert checkout.notes == ()
    assert list(temporary.iterdir()) == []
    assert worktrees(scene.root) == [str(scene.root)]
    assert not (scene.root / ".git/worktrees").exists()


@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}"])
def test_what_head_has_is_head(scene: Scene, name: str) -> None:
    """So that `git describe` says what it would in the work tree."""
    with checkouts(scene.root).of(git(scene.root, "rev-parse", name)) as checkout:
        assert git(checkout.root, "rev-parse", "HEAD") == scene.base


def test_a_commit_is_checked_out_as_it_is(scene: Scene) -> None:
    put(scene.root, {"later.py": "x\n"})
    git(scene.root, "add", "later.py")
    git(scene.root, "commit", "-qm", "later")
    with checkouts(scene.root).of(scene.base) as checkout:
        assert git(checkout.root, "rev-parse", "HEAD") == scene.base
        assert not (checkout.root / "later.py").exists()


def test_it_needs_no_identity(scene: Scene) -> None:
    git(scene.root, "config", "user.useConfigOnly", "true")
    Path(os.environ["HOME"], ".gitconfig").write_text("")
    with checkouts(scene.root).of(tree_of(scene.root, new_py="new\n")) as checkout:
        assert (checkout.root / "new.py").read_text() == "new\n"


def test_no_hook_runs(scene: Scene, tmp_path: Path) -> None:
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        hook = scene.root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    with checkouts(scene.root).of(scene.base):
        pass
    assert not (tmp_path / "ran").exists()


def test_the_guard_sees_nothing_of_it(scene: Scene) -> None:
    def act(root: Path) -> None:
        with checkouts(root).of(scene.base):
            (root / "a.py").write_text("changed\n")

    assert scene.attempt(act).paths == ("a.py",)
    assert scene.tampered == ()
    assert scene.notes == ()


def test_the_persons_own_work_trees_stay(scene: Scene, tmp_path: Path) -> None:
    for name in ("theirs", "lost"):
        git(scene.root, "worktree", "add", "-q", "--detach", str(tmp_path / name))
    (tmp_path / "lost").rename(tmp_path / "on-a-disk-that-is-away")
    with checkouts(scene.root).of(scene.base):
        pass
    clear_abandoned(discover(scene.root))
    assert worktrees(scene.root) == [str(scene.root), *(str(tmp_path / name) for name in ("lost", "theirs"))]


def test_it_is_made_in_a_linked_work_tree_too(scene: Scene, tmp_path: Path) -> None:
    git(scene.root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    put(tmp_path / "side", {"side.py": "x\n"})
    git(tmp_path / "side", "add", "side.py")
    git(tmp_path / "side", "commit", "-qm", "side")
    with checkouts(tmp_path / "side").of("HEAD") as checkout:
        assert (checkout.root / "side.py").exists()
    assert worktrees(scene.root) == [str(scene.root), str(tmp_path / "side")]


def spoil_link(root: Path) -> None:
    (root / ".git").unlink()


def spoil_folder(root: Path) -> None:
    root.rename(root.with_name("moved"))
    root.symlink_to("moved")


def spoil_modes(root: Path) -> None:
    (root / "deep/er").mkdir(parents=True)
    (root / "deep/er/file").write_text("x")
    (root / "deep/er").chmod(0)
    (root / "deep").chmod(0o500)


def spoil_lock(root: Path) -> None:
    git(root, "worktree", "lock", str(root))


@pytest.mark.parametrize("spoil", [spoil_link, spoil_folder, spoil_modes, spoil_lock])
def test_whatever_a_command_did_there_it_goes(scene: Scene, spoil: Callable[[Path], None]) -> None:
    with checkouts(scene.root).of(scene.base) as checkout:
        spoil(checkout.root)
    assert not os.path.lexists(checkout.root)
    assert worktrees(scene.root) == [str(scene.root)]


def test_no_link_is_followed_when_it_goes(scene: Scene, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    put(theirs, {"file": "mine\n"})
    theirs.chmod(0o555)
    with checkouts(scene.root).of(scene.base) as checkout:
        (checkout.root / "link").symlink_to(theirs)
    assert (theirs / "file").read_text() == "mine\n"
    assert theirs.stat().st_mode & 0o777 == 0o555


KILLED = """
import os, signal, sys
from pathlib import Path
from prd_ralph.workspace.checkouts import GitCheckouts
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import discover
from tests.support.plain import PlainProcesses
root = Path(sys.argv[1])
with GitCheckouts(Git(PlainProcesses(), root, dict(os.environ)), discover(root)).of("HEAD") as checkout:
    print(checkout.root, flush=True)
    {what}
"""


def checked_out(root: Path, what: str) -> Iterator[str]:
    """What a process of its own prints that makes a checkout, and then does something else."""
    argv = [sys.executable, "-c", KILLED.format(what=what), str(root)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout


def test_what_a_killed_run_left_is_removed_by_the_next(scene: Scene) -> None:
    (left,) = (Path(line.strip()) for line in checked_out(scene.root, "os.kill(os.getpid(), signal.SIGKILL)"))
    assert left.is_dir()
    clear_abandoned(discover(scene.root))
    assert not left.exists()
    assert worktrees(scene.root) == [str(scene.root)]
    assert list((scene.root / ".git/prd-ralph/checkouts").iterdir()) == []


def test_what_a_living_run_has_stays(scene: Scene) -> None:
    lines = checked_out(scene.root, "sys.stdin.read()")
    theirs = Path(next(lines).strip())
    clear_abandoned(discover(scene.root))
    assert (theirs / "a.py").exists()
    assert worktrees(scene.root) == [str(scene.root), str(theirs)]


@pytest.mark.parametrize("named", ["{}/theirs", "theirs", ""])
def test_a_record_that_is_none_removes_nothing(scene: Scene, tmp_path: Path, named: str) -> None:
    put(tmp_path, {"theirs/file": "mine\n"})
    records = scene.root / ".git/prd-ralph/checkouts"
    records.mkdir(parents=True)
    (records / "prd-ralph-abcdefgh").write_text(named.format(tmp_path))
    (records / "prd-ralph-short").write_text(f"{tmp_path}/prd-ralph-short")
    (tmp_path / "prd-ralph-short").mkdir()
    clear_abandoned(discover(scene.root))
    assert (tmp_path / "theirs/file").exists()
    assert (tmp_path / "prd-ralph-short").exists()
    assert not (records / "prd-ralph-abcdefgh").exists()


def test_a_filter_that_fails_is_told(scene: Scene) -> None:
    git(scene.root, "config", "filter.lfs.smudge", "false")
    git(scene.root, "config", "filter.lfs.clean", "cat")
    git(scene.root, "config", "filter.lfs.required", "true")
    put(scene.root, {".gitattributes": "*.py filter=lfs\n"})
    git(scene.root, "add", ".gitattributes")
    git(scene.root, "commit", "-qm", "lfs")
    with pytest.raises(BlockedError, match=r"no fresh checkout can be made: .*smudge filter"):
        checkouts(scene.root).of("HEAD").__enter__()
    assert worktrees(scene.root) == [str(scene.root)]


def test_a_folder_that_cannot_be_written_to_is_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(scene.root / "absent"))
    with pytest.raises(BlockedError, match="absent cannot be written"):
        checkouts(scene.root).of("HEAD").__enter__()


def test_a_sparse_checkout_is_as_sparse(scene: Scene) -> None:
    git(scene.root, "sparse-checkout", "set", "pkg")
    with checkouts(scene.root).of("HEAD") as checkout:
        assert (checkout.root / "pkg/b.py").exists()
    assert git(scene.root, "sparse-checkout", "list") == "pkg"


@pytest.fixture
def submodule(scene: Scene, make_repo: Repo) -> Path:
    """The work tree's, with one of its own in it."""
    inner, outer = make_repo({"inner.txt": "inner\n"}, "inner"), make_repo({"outer.txt": "outer\n"}, "outer")
    allowed = ("-c", "protocol.file.allow=always", "submodule")
    git(outer, *allowed, "add", "-q", str(inner), "in")
    git(outer, "commit", "-qm", "in")
    git(scene.root, *allowed, "add", "-q", str(outer), "out")
    git(scene.root, "commit", "-qm", "out")
    git(scene.root, *allowed, "update", "-q", "--init", "--recursive")
    outer.rename(outer.with_name("gone"))  # nothing is fetched
    return scene.root / "out"


def test_submodules_come_from_the_repositories_that_are_here(scene: Scene, submodule: Path) -> None:
    config = (scene.root / ".git/config").read_bytes()
    (submodule / "outer.txt").write_text("edited\n")
    with checkouts(scene.root).of("HEAD") as checkout:
        assert (checkout.root / "out/outer.txt").read_text() == "outer\n"
        assert (checkout.root / "out/in/inner.txt").read_text() == "inner\n"
        assert git(checkout.root, "status", "--porcelain") == ""
        assert checkout.notes == ()
    assert (scene.root / ".git/config").read_bytes() == config


def test_a_submodule_without_its_commit_is_named(scene: Scene, submodule: Path) -> None:
    absent = "1" * 40
    git(scene.root, "update-index", "--cacheinfo", f"160000,{absent},out")
    tree = git(scene.root, "write-tree")
    with checkouts(scene.root).of(tree) as checkout:
        (note,) = checkout.notes
    assert note.startswith("the submodule out is missing: ")


def test_a_submodule_that_the_person_does_without_is_no_matter(scene: Scene, submodule: Path) -> None:
    git(scene.root, "submodule", "-q", "deinit", "-f", "out")
    with checkouts(scene.root).of("HEAD") as checkout:
        assert checkout.notes == ()
        assert list((checkout.root / "out").iterdir()) == []


# --- objects that are not what their names say ------------------------------------------------------


def forge(repository: Path, name: str, kind: str, data: bytes) -> None:
    """Puts other bytes under the name of a loose object, as an agent could."""
    oid = git(repository, "rev-parse", name)
    folder = Path(git(repository, "rev-parse", "--path-format=absolute", "--git-path", "objects"))
    file = folder / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data))


def assert_refused(root: Path, what: str) -> None:
    with pytest.raises(BlockedError, match=f"not what their names say: {what}"):
        checkouts(root).of("HEAD").__enter__()
    assert worktrees(root) == [str(root)]


def test_a_file_whose_object_was_exchanged_is_not_checked_out(scene: Scene) -> None:
    forge(scene.root, "HEAD:pkg/b.py", "blob", b"assert True\n")
    assert_refused(scene.root, "pkg/b.py")


def test_a_folder_whose_object_was_exchanged_is_not_checked_out(scene: Scene) -> None:
    evil = git(scene.root, "hash-object", "-w", "--", "a.py")
    forge(scene.root, "HEAD:pkg", "tree", b"100644 b.py\0" + bytes.fromhex(evil))
    assert_refused(scene.root, "pkg")


def test_an_object_of_a_submodule_is_looked_at_too(scene: Scene, submodule: Path) -> None:
    forge(submodule / "in", "HEAD:inner.txt", "blob", b"other\n")
    assert_refused(scene.root, "out/in/inner.txt")


def test_what_a_filter_changed_on_its_way_is_no_forgery(scene: Scene) -> None:
    git(scene.root, "config", "filter.up.smudge", "tr a-z A-Z")
    git(scene.root, "config", "filter.up.clean", "tr A-Z a-z")
    put(scene.root, {".gitattributes": "*.py filter=up\n*.txt eol=crlf\n", "lines.txt": "a\nb\n", "empty": ""})
    (scene.root / "link").symlink_to("a.py")
    git(scene.root, "add", ".gitattributes", "lines.txt", "link", "empty")
    git(scene.root, "commit", "-qm", "filtered")
    with checkouts(scene.root).of("HEAD") as checkout:
        assert (checkout.root / "a.py").read_text() == "ONE\n"
        assert (checkout.root / "lines.txt").read_bytes() == b"a\r\nb\r\n"
    forge(scene.root, "HEAD:a.py", "blob", b"two\n")
    assert_refused(scene.root, "a.py")


def test_large_files_that_a_filter_changed_are_looked_at_one_by_one(scene: Scene) -> None:
    names = [f"large-{number}.txt" for number in range(3)]
    put(scene.root, {".gitattributes": "*.txt eol=crlf\n", **{name: f"{name}\n" * 500_000 for name in names}})
    git(scene.root, "add", ".gitattributes", *names)
    git(scene.root, "commit", "-qm", "large")
    with checkouts(scene.root).of("HEAD") as checkout:
        assert (checkout.root / names[2]).read_bytes().count(b"\r\n") == 500_000
    forge(scene.root, f"HEAD:{names[2]}", "blob", b"two\n")
    assert_refused(scene.root, names[2])


def test_an_object_that_is_gone_is_none(scene: Scene) -> None:
    oid = git(scene.root, "rev-parse", "HEAD:a.py")
    gone = scene.root / ".git/objects" / oid[:2] / oid[2:]
    git(scene.root, "config", "filter.gone.smudge", f"rm -f {gone}; cat; echo more")
    (scene.root / ".git/info/attributes").write_text("a.py filter=gone\n")
    assert_refused(scene.root, "a.py")


def test_names_are_looked_at_in_a_repository_of_sha256(tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    git(root, "init", "-q", "--object-format=sha256")
    put(root, {"a.py": "one\n"})
    git(root, "add", "a.py")
    git(root, "commit", "-qm", "first")
    with checkouts(root).of("HEAD") as checkout:
        assert (checkout.root / "a.py").read_text() == "one\n"
    forge(root, "HEAD:a.py", "blob", b"two\n")
    assert_refused(root, "a.py")
