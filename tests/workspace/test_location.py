"""Finding the repository, without starting a process."""

from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError, ExitCode
from prd_ralph.workspace.location import Location, discover
from tests.conftest import Repo, git
from tests.support.unprivileged import unprivileged


def asked_of_git(root: Path) -> Location:
    told = git(
        root, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"
    ).splitlines()
    return Location(*(Path(path).resolve() for path in told))


def test_from_a_folder_below_it_finds_the_top(make_repo: Repo) -> None:
    root = make_repo({"a/b/c.py": ""})

    assert discover(root / "a" / "b") == asked_of_git(root)
    assert discover(root) == Location(root, root / ".git", root / ".git")
    assert discover(root).state == root / ".git" / "prd-ralph"


def test_a_linked_worktree_has_its_own_folder_and_shares_the_state(make_repo: Repo, tmp_path: Path) -> None:
    root = make_repo()
    git(root, "worktree", "add", "-q", "../beside")

    found = discover(tmp_path / "beside")

    assert found == asked_of_git(tmp_path / "beside")
    assert found.git_dir != found.common_dir
    assert found.state == discover(root).state


def test_a_submodule_is_a_repository_of_its_own(make_repo: Repo) -> None:
    inner, outer = make_repo(name="inner"), make_repo(name="outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "deps/inner")

    assert discover(outer / "deps" / "inner") == asked_of_git(outer / "deps" / "inner")
    assert discover(outer / "deps").root == outer


def test_a_separate_git_folder_with_blanks_and_a_relative_name(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    git(root, "init", "-q", f"--separate-git-dir={tmp_path / 'my git'}")
    (root / ".git").write_text("gitdir: ../my git\n")

    assert discover(root) == asked_of_git(root)


def test_through_a_symlink_the_real_place_counts(make_repo: Repo, tmp_path: Path) -> None:
    root = make_repo({"a/b.py": ""})
    (tmp_path / "link").symlink_to(root / "a")

    assert discover(tmp_path / "link").root == root


def test_an_unborn_repository_is_one(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert discover(tmp_path).root == tmp_path


def test_a_relative_start_is_seen_from_here(make_repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_repo({"a/b.py": ""})
    monkeypatch.chdir(root / "a")

    assert discover(Path()).root == root


def test_what_a_hook_hands_on_does_not_redirect_it(make_repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    root, other = make_repo(name="one"), make_repo(name="other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))

    assert discover(root) == Location(root, root / ".git", root / ".git")


def test_an_empty_git_folder_is_passed_by_as_git_does(make_repo: Repo) -> None:
    root = make_repo()
    (root / "a" / ".git").mkdir(parents=True)

    assert discover(root / "a").root == root


def refused(start: Path) -> BlockedError:
    with pytest.raises(BlockedError) as caught:
        discover(start)
    assert caught.value.code is ExitCode.ENVIRONMENT
    return caught.value


def test_no_repository_says_so(tmp_path: Path) -> None:
    problem = refused(tmp_path).problems[0]

    assert problem.message == f"not a git repository: {tmp_path}"
    assert problem.hint == "git init"


def test_no_git_on_path_is_said_first(make_repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = make_repo()
    monkeypatch.setenv("PATH", str(tmp_path))

    problem = refused(root).problems[0]

    assert "git is not on PATH" in problem.message
    assert "install git" in problem.hint


@pytest.mark.parametrize("inside", [".git", ".git/refs/heads", ".git/worktrees/beside"])
def test_inside_a_git_folder_there_is_no_work_tree(make_repo: Repo, inside: str) -> None:
    root = make_repo()
    git(root, "worktree", "add", "-q", "../beside")

    assert "no work tree here" in str(refused(root / inside))


def test_a_bare_repository_has_no_work_tree_but_its_worktrees_have(make_repo: Repo, tmp_path: Path) -> None:
    git(make_repo(), "clone", "-q", "--bare", ".", str(tmp_path / "house" / ".bare"))
    house = tmp_path / "house"
    (house / ".git").write_text("gitdir: ./.bare\n")
    git(house, "worktree", "add", "-q", "main")

    assert "no work tree here" in str(refused(house / ".bare"))
    assert "is bare" in str(refused(house))
    assert discover(house / "main") == asked_of_git(house / "main")


@pytest.mark.parametrize(
    ("config", "bare"),
    [
        ("[core]\n\tbare\n", True),
        ("[CORE]\n\tBare = Yes\n", True),
        ("[core]\n\tbare = true\n\tbare = false\n", False),
        ("[other]\n\tbare = true\n", False),
        ("", False),
    ],
)
def test_bare_is_read_as_git_reads_it(make_repo: Repo, config: str, bare: bool) -> None:
    root = make_repo()
    (root / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n" + config)

    assert git(root, "rev-parse", "--is-bare-repository") == str(bare).lower()
    if bare:
        refused(root)
    else:
        assert discover(root).root == root


@pytest.mark.parametrize("text", ["gitdir: ../nowhere\n", "something else\n", ""])
def test_a_git_file_that_leads_nowhere_is_named(make_repo: Repo, text: str) -> None:
    root = make_repo()
    (root / "sub").mkdir()
    (root / "sub" / ".git").write_text(text)

    assert f"{root / 'sub' / '.git'} names no git folder" in str(refused(root / "sub"))


@pytest.mark.parametrize("lost", ["HEAD", "objects", "refs"])
def test_a_damaged_repository_is_no_missing_one(make_repo: Repo, lost: str) -> None:
    root = make_repo({"inner/x": ""})
    git(root / "inner", "init", "-q")
    (root / "inner/.git" / lost).rename(root / "lost")
    with pytest.raises(BlockedError, match="is damaged") as caught:
        discover(root / "inner")
    assert "git init" not in caught.value.problems[0].hint


def test_a_repository_that_may_not_be_read_is_named(make_repo: Repo) -> None:
    root = make_repo()
    (root / ".git").chmod(0)
    with unprivileged(root), pytest.raises(BlockedError, match=r"\.git.* cannot be read: Permission denied") as caught:
        discover(root)
    (root / ".git").chmod(0o755)
    assert "permissions" in caught.value.problems[0].hint


@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_what_objects_are_named_by(tmp_path: Path, name: str) -> None:
    git(tmp_path, "init", "-q", f"--object-format={name}")
    assert discover(tmp_path).object_format == name
