"""Moving things out of the way, to another file system too."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from prd_ralph.workspace.files import Attic

_MEMORY = Path("/dev/shm")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    if not _MEMORY.is_dir() or _MEMORY.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system here")
    with TemporaryDirectory(dir=_MEMORY) as folder:
        yield Path(folder)


def test_another_file_system_gets_files_and_links(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_text("x")
    (tmp_path / "d/ln").symlink_to("nowhere")
    os.mkfifo(tmp_path / "d/fifo")
    os.mkfifo(tmp_path / "fifo")
    attic = Attic(elsewhere)
    moved = attic.take(tmp_path, "d/")
    assert moved is not None
    assert sorted(path.name for path in moved.iterdir()) == ["f", "ln"]
    assert attic.take(tmp_path, "fifo") is None
    assert list(tmp_path.iterdir()) == []
