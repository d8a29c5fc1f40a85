"""What git would wait for is moved out of its way."""

import os
import socket
from pathlib import Path

import pytest

from tests.workspace.scene import FILES, Scene, agent, put

PLACES = [
    ".gitignore",
    ".gitattributes",
    ".mailmap",
    ".gitmodules",
    "pkg/.gitignore",
    "pkg/.gitattributes",
    "made/by/an/agent/.gitignore",
    "build/.gitattributes",
]


def _fifo(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def test_fifos_in_the_work_tree(scene: Scene) -> None:
    def act(root: Path) -> None:
        for path in PLACES:
            _fifo(root / path)
            put(root, {path.rpartition("/")[0] + "/x.py" if "/" in path else "x.py": "x"})

    candidate = scene.attempt(act)
    assert set(scene.notes) == {f"{path} was no file: moved away" for path in PLACES}
    assert "made/by/an/agent/x.py" in candidate.paths and ".gitignore" in candidate.paths
    scene.workspace.set_aside(scene.key(number=1))
    assert (scene.root / ".gitignore").read_text() == FILES[".gitignore"]


@pytest.mark.parametrize(
    "path", ["index", "packed-refs", "refs/heads/pipe", "refs/heads/main", "logs/HEAD", "logs/refs/heads/main"]
)
def test_fifos_in_gits_own_folder(scene: Scene, path: str) -> None:
    index = scene.git("ls-files", "-s")
    scene.attempt(lambda root: _fifo(root / ".git" / path))
    assert f".git/{path} was no file: moved away" in scene.notes
    assert (scene.git("rev-parse", "HEAD"), scene.git("ls-files", "-s")) == (scene.base, index)


def test_a_link_to_one_and_a_socket(scene: Scene) -> None:
    def act(root: Path) -> None:
        _fifo(root.parent / "pipe")
        (root / "pkg/.gitignore").symlink_to(root.parent / "pipe")
        (root / "notes/.gitignore").symlink_to("nowhere")
        with socket.socket(socket.AF_UNIX) as here:
            here.bind(os.path.relpath(root / ".gitattributes"))

    scene.attempt(act)
    assert set(scene.notes) == {f"{path} was no file: moved away" for path in ("pkg/.gitignore", ".gitattributes")}


def test_where_git_does_not_look_they_stay(scene: Scene) -> None:
    _fifo(scene.root / "secret/.gitignore")
    scene.attempt(lambda root: _fifo(root / "secret/.gitattributes"))
    assert scene.notes == ()


def test_those_that_commands_make(scene: Scene) -> None:
    candidate = scene.attempt(lambda root: put(root, {"a.py": "x"}))
    _fifo(scene.root / "pkg/.gitignore")
    scene.workspace.restore(candidate)
    assert not (scene.root / "pkg/.gitignore").exists()


def test_those_of_a_killed_attempt(scene: Scene) -> None:
    key = scene.key()
    scene.workspace.begin(key)
    _fifo(scene.root / "pkg/.gitignore")
    current = scene.workspace.current()
    assert current is not None
    scene.workspace.resume(current)
    scene.after(key)
    assert scene.notes == ("pkg/.gitignore was no file: moved away",)


def test_a_refs_folder_that_is_gone_is_there_again(scene: Scene) -> None:
    agent(scene.root, "branch", "topic")
    scene.attempt(lambda root: (root / ".git/refs").rename(root.parent / "refs"))
    assert scene.tampered == (f"refs/heads/topic: {scene.base[:10]} -> deleted",)
    assert scene.git("rev-parse", "HEAD", "topic").split() == [scene.base, scene.base]
