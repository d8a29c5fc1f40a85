"""A submodule that an attempt changes: no landing can hold that."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo, git
from tests.support.unprivileged import unprivileged
from tests.workspace.scene import Scene, agent, put, scene_on


@pytest.fixture
def outer(make_repo: Repo) -> Scene:
    inner, root = make_repo({"f": "x"}, name="inner"), make_repo({"prd.json": "{}", "a.py": "one\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), "lib/sub")
    git(root, "commit", "-qm", "sub")
    return scene_on(root)


def _commits(root: Path) -> None:
    put(root, {"lib/sub/f": "agent"})
    agent(root / "lib/sub", "commit", "-qam", "inner")


def _stages(root: Path) -> None:
    _commits(root)
    agent(root, "add", "lib/sub")


def _hides(root: Path) -> None:
    _commits(root)
    with (root / ".gitmodules").open("a") as file:
        file.write("\tignore = all\n")


def _edits(root: Path) -> None:
    put(root, {"lib/sub/f": "agent"})


@pytest.mark.parametrize("act", [_commits, _stages, _hides, _edits])
def test_it_is_unlandable(outer: Scene, act: Callable[[Path], None]) -> None:
    candidate = outer.attempt(act)
    assert candidate.unlandable == ("lib/sub",)
    assert "lib/sub" not in candidate.paths


def test_an_untouched_one_or_new_files_in_it_are_no_matter(outer: Scene) -> None:
    assert outer.attempt(lambda root: put(root, {"a.py": "x"})).unlandable == ()
    candidate = outer.attempt(lambda root: put(root, {"lib/sub/built.o": "x"}))
    assert (candidate.unlandable, candidate.left_out) == ((), ("lib/sub: a submodule",))


@pytest.mark.parametrize("act", [_commits, _stages, _hides])
def test_set_aside_moves_it_back_and_keeps_where_it_stood(outer: Scene, act: Callable[[Path], None]) -> None:
    sub = outer.root / "lib/sub"
    before = git(sub, "rev-parse", "HEAD")
    outer.attempt(act)
    made = git(sub, "rev-parse", "HEAD")
    assert outer.workspace.set_aside(outer.key(number=1)) == ()
    assert (git(sub, "rev-parse", "HEAD"), (sub / "f").read_text(), outer.status()) == (before, "x", [])
    assert git(sub, "rev-parse", "refs/prd-ralph/r1/US-1/1") == made


def _gone(sub: Path) -> None:
    (sub / ".git").unlink()


def _in_the_way(sub: Path) -> None:
    (sub / "f").write_text("not committed")


@pytest.mark.parametrize("trap", [_gone, _in_the_way])
def test_one_that_cannot_be_moved_back_is_named_and_the_repository_around_it_left_alone(
    outer: Scene, trap: Callable[[Path], None]
) -> None:
    candidate = outer.attempt(_commits)
    outer.workspace.restore(candidate)
    trap(outer.root / "lib/sub")
    moved = outer.workspace.set_aside(outer.key(number=1))
    assert [line.partition(":")[0] for line in moved] == ["lib/sub (a submodule, left as it is"]
    assert outer.git("branch", "--show-current") == "main"
    assert outer.git("rev-parse", "HEAD") == outer.base


def test_one_with_edited_files_is_named(outer: Scene) -> None:
    outer.attempt(_edits)
    assert outer.workspace.set_aside(outer.key(number=1)) == ("lib/sub (a submodule, left as it is: its files differ)",)


def test_a_tracked_file_that_cannot_be_read_is_unlandable(outer: Scene) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "x"})
        (root / "a.py").chmod(0)

    with unprivileged(outer.root, Path.home()):
        candidate = outer.attempt(act)
        (outer.root / "a.py").chmod(0o644)
    assert candidate.unlandable == ("a.py",)
