"""Folders that an agent makes deeper than Python recurses, and deeper than a path can name."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.workspace.scene import FILES, PERSONS, Scene, put, scene_on

DEEP, DEEPER = 1_050, 2_100


@pytest.fixture
def scene(make_repo: Repo) -> Iterator[Scene]:
    root = make_repo(FILES)
    put(root, PERSONS)
    yield scene_on(root)
    subprocess.run(["rm", "-rf", str(root)], check=True)  # as deep as this pytest could not clear it away


def _deep(folder: Path, depth: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("a", dir_fd=here)
        inner = os.open("a", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("x.js", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize(
    ("where", "depth"),
    [("node_modules/jest", DEEPER), (".git/hooks", DEEP), (".git/hooks", DEEPER), ("secret", DEEP), ("new", DEEP)],
)
def test_an_attempt_is_looked_at_all_the_same(scene: Scene, where: str, depth: int) -> None:
    def act(root: Path) -> None:
        put(root, {"a.py": "work\n"})
        _deep(root / where, depth)

    assert "a.py" in scene.attempt(act).paths


def test_a_start_after_it_goes_on(scene: Scene) -> None:
    scene.workspace.begin(scene.key())
    put(scene.root, {"a.py": "work\n"})
    _deep(scene.root / "node_modules/jest", DEEP)
    again = scene_on(scene.root, run="r2")
    current = again.workspace.current()
    assert current is not None
    again.workspace.resume(current)
    assert again.after(current.key).paths == ("a.py",)
