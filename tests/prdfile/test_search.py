"""Where prd.json is looked for."""

from pathlib import Path

import pytest

from prd_ralph.prdfile import find
from prd_ralph.prdfile.search import PLACES


def _put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


@pytest.mark.parametrize("place", PLACES)
def test_each_place_is_known(place: str, tmp_path: Path) -> None:
    assert find(tmp_path, tmp_path) is None
    path = _put(tmp_path / place)
    assert find(tmp_path, tmp_path) == path


def test_the_first_place_of_the_nearest_folder_wins(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    top = _put(tmp_path / "prd.json")
    assert find(deep, tmp_path) == top
    near = _put(tmp_path / "a" / "tasks" / "prd.json")
    assert find(deep, tmp_path) == near
    nearer = _put(tmp_path / "a" / "ralph" / "prd.json")
    assert find(deep, tmp_path) == nearer


def test_nothing_above_the_root_and_no_folder(tmp_path: Path) -> None:
    _put(tmp_path / "prd.json")
    root = tmp_path / "root"
    (root / "prd.json").mkdir(parents=True)
    assert find(root, root) is None
    assert find(tmp_path / "root", tmp_path / "other") is None
