"""The refs of prd-ralph: attempts' end states and `current`."""

import json

import pytest

from prd_ralph.errors import BlockedError
from prd_ralph.model import AttemptKey
from prd_ralph.ports import Current
from tests.conftest import Repo, git
from tests.workspace.scene import FILES, Scene, put, scene_on


def test_numbers_go_on_over_runs_and_stories_do_not_mix(scene: Scene) -> None:
    assert scene.workspace.next_attempt("US-1") == 1
    scene.attempt()
    scene.attempt(story="US-10")
    assert scene.workspace.next_attempt("US-1") == 2
    later = scene_on(scene.root, run="r2")
    assert [later.workspace.next_attempt(story) for story in ("US-1", "US-10", "US-2")] == [2, 2, 1]
    later.workspace.keep(AttemptKey("r2", "US-1", 7), later.workspace.freeze(), None)
    assert scene_on(scene.root, run="r3").workspace.next_attempt("US-1") == 8


@pytest.mark.parametrize("story", ["a/b c", "..", "x.lock", "ünï", "-x", "line\nbreak", "y" * 200])
def test_any_id_becomes_a_ref(scene: Scene, story: str) -> None:
    scene.attempt(story=story)
    assert scene_on(scene.root, run="r2").workspace.next_attempt(story) == 2
    current = scene.workspace.current()
    assert current is not None and current.key.story == story


def test_refs_of_other_shapes_are_passed_over(scene: Scene) -> None:
    git(scene.root, "update-ref", "refs/prd-ralph/odd", "HEAD")
    git(scene.root, "update-ref", "refs/prd-ralph/r/US-1/x", "HEAD")
    assert scene.workspace.next_attempt("US-1") == 1


def test_an_attempts_commit_holds_its_tree_and_nothing_of_the_persons(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", ".env.local": "secret"}))
    ref = "refs/prd-ralph/r1/US-1/1"
    assert scene.git("rev-parse", f"{ref}^{{tree}}") == candidate.tree
    assert scene.git("log", "-1", "--format=%s %ce %ae", ref) == (
        "US-1 attempt 1 prd-ralph@prd-ralph.invalid prd-ralph@prd-ralph.invalid"
    )
    assert set(scene.files(ref)) == set(FILES)


def test_current_tells_what_lies_in_the_tree(scene: Scene) -> None:
    assert scene.workspace.current() is None
    key = scene.key()
    scene.workspace.begin(key)
    current = scene.workspace.current()
    assert current is not None
    known = ("mine.txt", "notes/todo.md")
    assert current == Current(key, scene.base, current.tree, ended=False, known_untracked=known)
    assert set(scene.files(current.tree)) == {*FILES, *known}
    put(scene.root, {"a.py": "x", "progress.txt": "more\n"})
    scene.after(key)
    current = scene.workspace.current()
    assert current is not None and current.ended
    assert scene.git("show", f"{current.tree}:a.py") == "x"
    assert scene.git("show", f"{current.tree}:progress.txt") == "more"
    said = json.loads(scene.git("log", "-1", "--format=%B", "refs/worktree/prd-ralph/current"))
    assert said == {
        "run": "r1",
        "story": "US-1",
        "attempt": 1,
        "ended": True,
        "known_untracked": list(known),
        "landing_tree": None,
        "judged": False,
        "unchecked": False,
        "away": False,
        "empty": False,
    }
    scene.workspace.judged(unchecked=True)
    judged = scene.workspace.current()
    assert judged is not None and judged.judged and judged.unchecked
    assert scene.workspace.recorded(current, "a.py") == b"x"
    assert scene.workspace.recorded(current, "none") is None


def test_current_holds_ignored_memory_but_no_large_file_and_no_embedded_repository(make_repo: Repo) -> None:
    root = make_repo({"a.py": "one\n", ".gitignore": "prd.json\nprogress.txt\n"})
    put(root, {"prd.json": "{}", "inner/f": "x"})
    git(root / "inner", "init", "-q")
    (root / "big").write_bytes(b"x" * ((5 << 20) + 1))
    scene = scene_on(root)
    scene.attempt()
    current = scene.workspace.current()
    assert current is not None and current.known_untracked == ("big", "inner/")
    assert set(scene.files(current.tree)) == {"a.py", ".gitignore", "prd.json"}


@pytest.mark.parametrize("message", ["hello", "[]", "{}", '{"run": "r", "story": "s", "attempt": "x"}'])
def test_a_current_that_is_not_ours_blocks(scene: Scene, message: str) -> None:
    commit = git(scene.root, "commit-tree", "-p", "HEAD", "-m", message, "HEAD^{tree}")
    git(scene.root, "update-ref", "refs/worktree/prd-ralph/current", commit)
    with pytest.raises(BlockedError) as caught:
        scene.workspace.current()
    assert "git update-ref -d" in caught.value.problems[0].hint


def test_many_files_of_the_persons_are_given_to_git_in_parts(scene: Scene) -> None:
    for number in range(5):
        (scene.root / f"data{number}").write_bytes(b"%d" % number * (4 << 20))
    scene.attempt()
    current = scene.workspace.current()
    assert current is not None
    assert scene.workspace.recorded(current, "data4") == b"4" * (4 << 20)
    assert scene.workspace.recorded(current, "mine.txt") == b"mine\n"
