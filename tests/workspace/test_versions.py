"""The versions of a file: who made them of which, what they say, and what is not known."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from prd_ralph.workspace.location import discover
from prd_ralph.workspace.versions import History, Version, file_history
from tests.conftest import Repo, git
from tests.workspace.looks import git_at, whole

Flags = dict[str, bool]


@pytest.fixture
def repo(make_repo: Repo) -> Path:
    return make_repo()


def put(root: Path, subject: str, path: str = "prd.json", **flags: bool) -> str:
    """Commits the file with these flags; the commit."""
    return put_text(root, subject, json.dumps(flags), path)


def put_text(root: Path, subject: str, text: str, path: str = "prd.json") -> str:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return git(root, "rev-parse", "HEAD")


def read(data: bytes) -> Flags | None:
    try:
        found: Flags = json.loads(data)
    except ValueError:
        return None
    return found


def history(root: Path, path: str = "prd.json", most: int = 100, room: int = 1 << 20) -> History:
    head = git(root, "rev-parse", "HEAD")
    return file_history(git_at(root), discover(root), head, path, read, most, room)


def subjects(versions: Sequence[Version]) -> list[str]:
    return [version.subject for version in versions]


def test_each_version_with_the_one_that_it_was_made_of(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = put(repo, "one", a=False)
    put_text(repo, "elsewhere", "x", "other.txt")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2031-03-01T10:00:00+0200")
    second = put(repo, "two: ü\n\nbody\n\nPrd-Ralph-Story: a\nPrd-Ralph-Proof: proved", a=True)
    found = history(repo)
    assert (found.shallow, found.cut) == (False, False)
    newest, oldest = found.versions
    trailers = {"Story": "a", "Proof": "proved"}
    assert newest == Version(second, (first,), "2031-03-01T08:00:00Z", "two: ü", trailers, {"a": True})
    assert (oldest.commit, oldest.parents, oldest.claims, oldest.is_oldest) == (first, (), {"a": False}, False)


def test_a_merge_was_made_of_both(repo: Path) -> None:
    put(repo, "base", a=False, b=False)
    git(repo, "switch", "-qc", "side")
    side = put(repo, "side", a=False, b=True)
    git(repo, "switch", "-q", "main")
    main = put(repo, "main", a=True, b=False)
    git(repo, "merge", "-q", "-s", "ours", "--no-commit", "side")
    put(repo, "merge", a=True, b=True)
    merge, *rest = history(repo).versions
    assert (merge.subject, merge.parents) == ("merge", (main, side))
    assert sorted(subjects(rest)) == ["base", "main", "side"]


def test_what_cannot_be_read_and_what_is_not_there(repo: Path) -> None:
    put(repo, "one", a=True)
    put_text(repo, "broken", "{")
    (repo / "prd.json").unlink()
    put_text(repo, "gone", "x", "other.txt")
    put(repo, "again", a=False)
    assert [(each.subject, each.claims) for each in history(repo).versions] == [
        ("again", {"a": False}),
        ("gone", {}),
        ("broken", None),
        ("one", {"a": True}),
    ]


def test_a_renamed_file_is_followed(repo: Path) -> None:
    flags = {f"story-{number}": False for number in range(20)}
    put_text(repo, "one", json.dumps(flags), "tasks/a b.json")
    before = put_text(repo, "two", json.dumps(flags | {"story-1": True}), "tasks/a b.json")
    (repo / "tasks" / "a b.json").rename(repo / "prd.json")
    put_text(repo, "moved", "x", "other.txt")
    put_text(repo, "three", json.dumps(flags | {"story-1": True, "story-2": True}))
    found = history(repo).versions
    assert subjects(found) == ["three", "moved", "two", "one"]
    assert found[1].parents == (before,)
    assert [sum((each.claims or {}).values()) for each in found] == [2, 1, 1, 0]
    assert subjects(history(repo, most=2).versions) == ["three", "moved"]


def test_what_is_beyond_the_bound_is_not_known(repo: Path) -> None:
    for number in range(4):
        put(repo, f"{number}", a=bool(number % 2))
    found = history(repo, most=2)
    assert found.cut
    assert [(each.subject, each.is_oldest) for each in found.versions] == [("3", False), ("2", True)]
    assert not history(repo, most=4).cut


def test_what_is_too_much_to_read_is_not_known(repo: Path) -> None:
    put_text(repo, "huge", json.dumps({f"story-{number}": False for number in range(100)}))
    for subject, flag in (("small", False), ("other", True), ("the same", False)):
        put(repo, subject, a=flag)
    found = history(repo, room=30)
    assert found.cut
    assert subjects(found.versions) == ["the same", "other", "small"]
    assert [each.is_oldest for each in found.versions] == [False, False, True]
    assert history(repo, room=5).versions == ()
    assert not history(repo, room=5000).cut


def test_a_shallow_clone_says_where_it_ends(repo: Path, tmp_path: Path) -> None:
    for number in range(4):
        put(repo, f"{number}", a=bool(number % 2))
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{repo}", "shallow")
    found = history(tmp_path / "shallow")
    assert found.shallow
    assert [(each.subject, each.is_oldest) for each in found.versions] == [("3", False), ("2", True)]


@pytest.mark.parametrize("name", ["ü.json", "a b/c*.json", ":(top)x.json", "-x.json", "sp'q.json"])
def test_any_name(repo: Path, name: str) -> None:
    put(repo, "one", name, a=True)
    put_text(repo, "like it", "{}", "a b/cd.json")
    (version,) = history(repo, name).versions
    assert (version.subject, version.claims) == ("one", {"a": True})


def test_a_file_that_was_never_committed(repo: Path) -> None:
    assert history(repo) == History()
    assert history(repo, "a\nb.json") == History()


def test_the_repository_is_only_read(repo: Path) -> None:
    put(repo, "one", a=False)
    put(repo, "two", a=True)
    before = whole(repo)
    times = {path: path.stat().st_mtime_ns for path in repo.rglob("*")}
    history(repo)
    assert whole(repo) == before
    assert {path: path.stat().st_mtime_ns for path in repo.rglob("*")} == times


def test_a_date_that_nobody_lives_to_see(repo: Path) -> None:
    parent = put(repo, "one", a=True)
    (repo / "prd.json").write_text("{}")
    git(repo, "add", "prd.json")
    who = "P <p@example.invalid> 99999999999999 +0000"
    lines = (f"tree {git(repo, 'write-tree')}", f"parent {parent}", f"author {who}", f"committer {who}", "", "far", "")
    (repo / "commit").write_text("\n".join(lines))
    git(repo, "reset", "-q", "--soft", git(repo, "hash-object", "-w", "-t", "commit", "--literally", "commit"))
    assert [(each.subject, each.at[:4]) for each in history(repo).versions][:1] == [("far", "9999")]


def test_objects_of_the_other_format(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(root))
    put(root, "one", a=False)
    put(root, "two", a=True)
    assert [each.claims for each in history(root).versions] == [{"a": True}, {"a": False}]


def test_configuration_does_not_change_what_is_told(repo: Path) -> None:
    put(repo, "one", a=False)
    put(repo, "two", a=True)
    before = history(repo)
    for key, value in {
        "log.follow": "true",
        "diff.renames": "false",
        "color.ui": "always",
        "log.showRoot": "no",
    }.items():
        git(repo, "config", key, value)
    git(repo, "config", "log.diffMerges", "separate")
    assert history(repo) == before
    assert os.fsencode(repo.name) == b"repo"
