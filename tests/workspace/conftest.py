"""The scene that most tests of the attempt side start from."""

import pytest

from tests.conftest import Repo
from tests.workspace.scene import FILES, PERSONS, Scene, put, scene_on


@pytest.fixture
def scene(make_repo: Repo) -> Scene:
    root = make_repo(FILES)
    put(root, PERSONS)
    (root / "mine.txt").chmod(0o640)
    return scene_on(root)
