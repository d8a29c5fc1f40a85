"""What commits changed: paths, counts, lines."""

from pathlib import Path

import pytest

from prd_ralph.workspace.changes import Change, commit_changes, commit_lines
from tests.conftest import Repo, git
from tests.workspace.looks import git_at

TEXT = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def repo(make_repo: Repo) -> Path:
    return make_repo({"a.txt": TEXT, "b.txt": "b\n", "c.txt": "c\nd\n"})


def commit(root: Path, subject: str = "x") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", subject)
    return git(root, "rev-parse", "HEAD")


def test_what_became_of_each_path(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    (repo / "a.txt").rename(repo / "ü 'n.txt")
    (repo / "b.txt").unlink()
    (repo / "c.txt").write_text("c\ne\nf\n")
    (repo / "new").write_bytes(b"\0\1")
    second = commit(repo)
    (repo / "new").write_bytes(b"\0\2")
    third = commit(repo)
    found = commit_changes(git_at(repo), [third, second, first])
    assert list(found) == [third, second, first]
    assert set(found[second]) == {
        Change("ü 'n.txt", "a.txt"),
        Change("b.txt", "b.txt", gone=True, removed=1),
        Change("c.txt", "c.txt", added=2, removed=1),
        Change("new", None),
    }
    assert found[third] == (Change("new", "new"),)
    assert set(found[first]) == {
        Change("a.txt", None, added=20),
        Change("b.txt", None, added=1),
        Change("c.txt", None, added=2),
    }
    assert commit_changes(git_at(repo), []) == {}


def test_a_merge_changed_what_its_first_parent_did_not_have(repo: Path) -> None:
    git(repo, "switch", "-qc", "side")
    (repo / "side.txt").write_text("s\n")
    commit(repo)
    git(repo, "switch", "-q", "main")
    (repo / "b.txt").write_text("main\n")
    commit(repo)
    git(repo, "merge", "-q", "--no-ff", "-m", "m", "side")
    merge = git(repo, "rev-parse", "HEAD")
    assert commit_changes(git_at(repo), [merge]) == {merge: (Change("side.txt", None, added=1),)}


def test_the_lines_of_some_files(repo: Path) -> None:
    (repo / "c.txt").write_text("++ x\n-- y\nd\n@@ -1 +1 @@\n")
    (repo / "b.txt").write_text("not asked for\n")
    first = commit(repo)
    (repo / "c.txt").write_text("no newline")
    second = commit(repo)
    (repo / "b.txt").unlink()
    third = commit(repo)
    found = commit_lines(git_at(repo), [first, second, third], ["c.txt", "gone.txt"])
    assert (found[first].added, found[first].removed) == (["++ x", "-- y", "@@ -1 +1 @@"], ["c"])
    assert (found[second].added, found[second].removed) == (["no newline"], ["++ x", "-- y", "d", "@@ -1 +1 @@"])
    assert third not in found


def test_no_program_of_the_configuration_is_run(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "diff.external", f"touch {tmp_path}/ran")
    git(repo, "config", "diff.x.textconv", f"touch {tmp_path}/ran; cat")
    (repo / ".gitattributes").write_text("*.txt diff=x\n")
    (repo / "c.txt").write_text("other\n")
    made = commit(repo)
    assert commit_lines(git_at(repo), [made], ["c.txt"])[made].added == ["other"]
    assert commit_changes(git_at(repo), [made])[made]
    assert not (tmp_path / "ran").exists()
