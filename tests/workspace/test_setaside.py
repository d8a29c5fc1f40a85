"""After the checks back to the candidate; given up, back to base: nothing lost, nothing of the person's touched."""

import os
import shutil
from pathlib import Path

from tests.conftest import git
from tests.workspace.scene import FILES, Scene, persons, put, scene_on


def test_checks_edits_are_undone_and_leftovers_are_not_the_agents(scene: Scene) -> None:
    root, before = scene.root, persons(scene.root)
    (root / "pkg/c.py").unlink()

    def act(root: Path) -> None:
        (root / "pkg/b.py").unlink()
        put(root, {"a.py": "x", "new.py": "n"})

    candidate = scene.attempt(act)
    assert "pkg/c.py" in candidate.paths
    put(root, {"a.py": "by check", "new.py": "by check", "report.xml": "r", "pkg/b.py": "back", "mine.txt": "check"})
    put(root, {"progress.txt": "more\n", "pkg/c.py/as/folder": "x"})
    scene.workspace.restore(candidate)
    assert (root / "a.py").read_text() == "x"
    assert (root / "new.py").read_text() == "n"
    assert not (root / "pkg/b.py").exists()
    assert (root / "progress.txt").read_text() == "more\n"
    assert persons(root) == before
    assert scene.workspace.freeze() == candidate
    current = scene.workspace.current()
    assert current is not None and "report.xml" in current.known_untracked
    scene.landed(candidate)
    assert "report.xml" not in scene.files()


def test_obstructions_by_checks_are_moved(scene: Scene) -> None:
    root = scene.root
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x", "deep/er/new.py": "n"}))
    (root / "a.py").unlink()
    put(root, {"a.py/inside": "by check"})
    shutil.rmtree(root / "deep")
    (root / "deep").symlink_to(root.parent)
    os.mkfifo(root / "fifo")
    scene.workspace.restore(candidate)
    assert (root / "a.py").read_text() == "x"
    assert (root / "deep/er/new.py").read_text() == "n"
    assert not (root / "deep").is_symlink()
    assert not (root.parent / "er").exists()
    moved = list((root / ".git/prd-ralph/runs/r1/moved").rglob("inside"))
    assert [path.read_text() for path in moved] == ["by check"]


def test_set_aside_is_base_again_with_the_memory_kept(scene: Scene) -> None:
    root, before = scene.root, persons(scene.root)
    put(root, {"progress.txt": "# Progress\nlearned\n", "prd.json": '{"passes": false, "notes": "n"}\n'})
    scene.attempt(lambda root: put(root, {"a.py": "x", "new/deep/f.py": "n", "new/s.pem": "s", "own.log": "ignored"}))
    put(root, {"a.py": "edited by checks"})
    assert scene.workspace.set_aside(scene.key(number=1)) == ("new/s.pem",)
    assert not (root / "new").exists()
    assert scene.status() == [" M prd.json", " M progress.txt", "?? mine.txt", "?? notes/todo.md"]
    assert (root / "progress.txt").read_text() == "# Progress\nlearned\n"
    assert persons(root) == before
    assert [path.read_text() for path in (root / ".git/prd-ralph/runs/r1/moved").rglob("s.pem")] == ["s"]
    assert scene.workspace.current() is None
    assert scene.git("show", "refs/prd-ralph/r1/US-1/1:new/deep/f.py") == "n"


def test_work_stays_between_the_attempts_of_a_story_and_not_beyond(scene: Scene) -> None:
    scene.attempt(lambda root: put(root, {"first.py": "1", "left.pem": "k"}))
    candidate = scene.attempt(lambda root: put(root, {"second.py": "2"}))
    assert candidate.paths == ("first.py", "second.py")
    assert candidate.left_out == ("left.pem: looks like a key",)
    assert set(scene.workspace.set_aside(scene.key(number=2))) == {"left.pem"}
    assert scene.attempt(lambda root: put(root, {"a.py": "x"}), story="US-2").paths == ("a.py",)


def test_moved_files_of_the_same_name_do_not_meet(scene: Scene) -> None:
    for number, content in enumerate(("one", "two"), 1):
        scene.attempt(lambda root, content=content: put(root, {"key.pem": content}))  # type: ignore[misc]
        scene.workspace.set_aside(scene.key(number=number))
    scene.attempt(lambda root: put(root, {"key.pem/in.pem": "three"}))
    scene.workspace.set_aside(scene.key(number=3))
    moved = (scene.root / ".git/prd-ralph/runs/r1/moved").rglob("*.pem")
    assert sorted(path.read_text() for path in moved if path.is_file()) == ["one", "three", "two"]


def test_set_aside_before_anything_was_frozen_keeps_it_first(scene: Scene) -> None:
    key = scene.key()
    scene.workspace.begin(key)
    put(scene.root, {"a.py": "x", "new.py": "n"})
    assert scene.workspace.set_aside(key) == ()
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
    assert scene.git("show", "refs/prd-ralph/r1/US-1/1:new.py") == "n"


def test_ignored_prd_stays_on_disk(scene: Scene) -> None:
    git(scene.root, "rm", "-q", "--cached", "prd.json", "progress.txt")
    put(scene.root, {".gitignore": FILES[".gitignore"] + "prd.json\nprogress.txt\n"})
    git(scene.root, "commit", "-qam", "ignored")
    scene = scene_on(scene.root)
    scene.attempt(lambda root: put(root, {"a.py": "x"}))
    scene.workspace.set_aside(scene.key(number=1))
    assert (scene.root / "prd.json").read_text() == FILES["prd.json"]
    assert scene.status() == ["?? mine.txt", "?? notes/todo.md"]
