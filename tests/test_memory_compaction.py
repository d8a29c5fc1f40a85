"""A `progress.txt` that has grown: made small by rule, with its patterns and its newest entries; nothing is lost."""

import os
import resource
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prd_ralph.errors import BlockedError
from prd_ralph.progress import LARGE, ProgressFile

PATTERNS = b"# Progress\n\n## Codebase Patterns\n\n- a pattern\n\n"
ENTRIES = b"".join(b"## entry %05d\na fact that was learned\n\n" % number for number in range(9000))


class Memory:
    """A progress file, and the folder that older entries go to."""

    def __init__(self, folder: Path, data: bytes) -> None:
        self.path, self.archive = folder / "progress.txt", folder / "archive"
        self.path.write_bytes(data)
        self.warnings: list[str] = []
        self.file = ProgressFile(self.path, self.warnings.append, self.archive)

    @property
    def older(self) -> list[bytes]:
        numbered = sorted(self.archive.iterdir(), key=lambda path: int(path.stem.partition("-")[2]))
        return [path.read_bytes() for path in numbered]


def test_a_small_one_stays_as_it_is(tmp_path: Path) -> None:
    memory = Memory(tmp_path, b"x" * LARGE)
    assert memory.file.compact() == ""
    assert memory.path.read_bytes() == b"x" * LARGE
    assert not memory.archive.exists()


def test_the_patterns_and_the_newest_stay_and_the_rest_is_elsewhere(tmp_path: Path) -> None:
    memory = Memory(tmp_path, PATTERNS + ENTRIES)
    told = memory.file.compact()
    now, [older] = memory.path.read_bytes(), memory.older
    count = older.count(b"## entry")
    assert told.endswith(f"{count} older entries moved to {memory.archive / 'progress-1.txt'}")
    line = f"---\n{count} older entries: prd-ralph/archive/progress-1.txt in git's folder\n\n".encode()
    assert now.startswith(PATTERNS + line + b"## entry")
    assert older + now[len(PATTERNS + line) :] == ENTRIES
    assert 60 << 10 < len(now) < 66 << 10
    assert memory.file.recall()[1] == "\n- a pattern".strip("\n")
    assert memory.file.compact() == ""


def test_again_and_again_it_stays_small_and_counts_each_entry_once(tmp_path: Path) -> None:
    memory = Memory(tmp_path, PATTERNS + ENTRIES)
    memory.file.compact()
    for _ in range(2):
        with memory.path.open("ab") as file:
            file.write(ENTRIES)
        assert "older entries" in memory.file.compact()
    now = memory.path.read_bytes()
    assert now.count(b"older entries:") == 1
    assert now.startswith(PATTERNS + b"---\n")
    assert sum(each.count(b"## entry") for each in (*memory.older, now)) == 27_000
    assert len(memory.older) == 3


@pytest.mark.parametrize("bad", ["link", "fifo", "folder", "missing", "second name"])
def test_what_is_no_file_of_its_own_is_left_alone(tmp_path: Path, bad: str) -> None:
    memory = Memory(tmp_path, PATTERNS + ENTRIES)
    other = tmp_path / "other"
    memory.path.rename(other)
    if bad == "link":
        memory.path.symlink_to(other)
    elif bad == "fifo":
        os.mkfifo(memory.path)
    elif bad == "folder":
        memory.path.mkdir()
    elif bad == "second name":
        os.link(other, memory.path)
    assert memory.file.compact() == ""
    memory.file.begin_anew()
    assert other.read_bytes() == PATTERNS + ENTRIES
    assert len(memory.warnings) == (0 if bad == "missing" else 1)


def test_without_a_place_for_what_is_older_it_stays(tmp_path: Path) -> None:
    memory = Memory(tmp_path, PATTERNS + ENTRIES)
    assert ProgressFile(memory.path, memory.warnings.append).compact() == ""
    memory.archive.write_text("in the way")
    with pytest.raises(BlockedError, match="cannot be written"):
        memory.file.compact()
    assert memory.path.read_bytes() == PATTERNS + ENTRIES


def test_a_huge_one_is_not_read_into_memory(tmp_path: Path) -> None:
    memory = Memory(tmp_path, PATTERNS)
    with memory.path.open("ab") as file:
        for _ in range(200):
            file.write(ENTRIES)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory.file.compact()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 16 << 10
    assert memory.older[0].count(b"## entry") > 1_700_000


HEADS = st.sampled_from([b"", PATTERNS, b"## one\nfact\n\n" + PATTERNS[12:], b"# Title\n\n", b"\xff\xfe\n"])
PIECES = st.sampled_from(
    [b"## entry %d\nwith a fact\n\n", b"%d without an end ", b"%d\n", b"---%d\n", b"x" * 700 + b"%d"]
)


@settings(max_examples=40)
@given(HEADS, st.lists(PIECES, min_size=1, max_size=6))
def test_put_together_again_it_is_what_it_was(
    tmp_path_factory: pytest.TempPathFactory, head: bytes, pieces: list[bytes]
) -> None:
    repeated = LARGE // sum(map(len, pieces)) + 1
    data = head + b"".join(piece % number for number in range(10_000, 10_000 + repeated) for piece in pieces)
    memory = Memory(tmp_path_factory.mktemp("memory"), data)
    assert memory.file.compact()
    [older], now = memory.older, memory.path.read_bytes()
    begin = data.index(older)
    newest = data[begin + len(older) :]
    assert data[:begin] == now[:begin]
    assert now.endswith(b" in git's folder\n\n" + newest)
    assert len(now) < LARGE


def test_a_new_prd_begins_with_the_patterns_alone(tmp_path: Path) -> None:
    memory = Memory(tmp_path, PATTERNS + ENTRIES)
    memory.file.begin_anew()
    assert memory.path.read_bytes() == PATTERNS.rstrip(b"\n") + b"\n"
    memory.path.write_bytes(b"## one\nfact\n")
    memory.file.begin_anew()
    assert memory.path.read_bytes() == b"# Progress\n\n## Codebase Patterns\n"
    memory.file.append("US-001 attempt 1: failed")
    assert memory.file.recall() == ("## US-001 attempt 1: failed", "")
