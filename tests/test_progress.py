"""`progress.txt`: bounded when it is read, never lost when it is written, whatever an agent made of it."""

import os
import resource
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prd_ralph.progress import PATTERNS_LIMIT, TAIL_LIMIT, ProgressFile


class Memory:
    """A progress file and the warnings that it gave."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        self.file = ProgressFile(path, self.warnings.append)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "progress.txt")


def test_the_first_entry_makes_the_file_with_a_place_for_patterns(memory: Memory) -> None:
    memory.file.append("US-001 attempt 1: failed\n- tests: exit 1")
    text = "# Progress\n\n## Codebase Patterns\n\n## US-001 attempt 1: failed\n- tests: exit 1\n"
    assert memory.path.read_text() == text
    assert memory.file.recall() == ("## US-001 attempt 1: failed\n- tests: exit 1", "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"old", b"old\n\n## new\n"),
        (b"old\n", b"old\n\n## new\n"),
        (b"old\n\n", b"old\n\n## new\n"),
        (b"\n", b"\n\n## new\n"),
        (b"\xff\r\n", b"\xff\r\n\n## new\n"),
    ],
)
def test_an_entry_stands_after_a_blank_line_and_the_rest_stays(memory: Memory, before: bytes, after: bytes) -> None:
    memory.path.write_bytes(before)
    memory.file.append("new\n")
    assert memory.path.read_bytes() == after
    assert memory.warnings == []


def test_a_missing_file_is_an_empty_memory(memory: Memory) -> None:
    assert memory.file.recall() == ("", "")
    assert memory.warnings == []


def test_patterns_are_told_apart_from_entries(memory: Memory) -> None:
    memory.path.write_text("# Log\n\n## Codebase Patterns\n- use `x`\n- é\n\n## one\nfact\n\n## two\n")
    assert memory.file.recall() == ("## one\nfact\n\n## two", "- use `x`\n- é")


@pytest.mark.parametrize("end", ["## one\n", "# one\n", "---\none\n", ""])
def test_what_ends_the_patterns(memory: Memory, end: str) -> None:
    memory.path.write_text(f"## codebase patterns (general)\n- a\n### sub\n{end}")
    assert memory.file.recall()[1] == "- a\n### sub"


def test_patterns_that_stand_below_entries_hide_none_of_them(memory: Memory) -> None:
    memory.path.write_text("## one\nfact\n\n## Codebase Patterns\n- a\n")
    tail, patterns = memory.file.recall()
    assert tail.startswith("## one\nfact")
    assert patterns == "- a"


def test_a_huge_file_is_read_at_its_ends_only(memory: Memory) -> None:
    head = b"## Codebase Patterns\n" + b"- pattern\n" * 2000
    entries = b"".join(b"## entry %06d\nfact\n\n" % number for number in range(500_000))
    memory.path.write_bytes(head + entries)
    assert memory.path.stat().st_size > 10_000_000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tail, patterns = memory.file.recall()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 4096
    assert len(patterns) <= PATTERNS_LIMIT
    assert set(patterns.splitlines()) == {"- pattern"}
    assert TAIL_LIMIT - 100 < len(tail) <= TAIL_LIMIT
    assert tail.startswith("## entry ")
    assert tail.endswith("## entry 499999\nfact")


def test_a_long_last_entry_is_cut_at_a_line(memory: Memory) -> None:
    memory.path.write_text("## one\n" + "a line of it\n" * 3000 + "## two\n")
    tail = memory.file.recall()[0]
    assert tail.startswith("a line of it\n")
    assert len(tail) > TAIL_LIMIT - 20


def test_one_endless_line_is_cut_anywhere(memory: Memory) -> None:
    memory.path.write_text("## Codebase Patterns\n" + "é" * 40_000)
    tail, patterns = memory.file.recall()
    assert len(patterns.encode()) <= PATTERNS_LIMIT + 2
    assert len(tail.encode()) <= TAIL_LIMIT + 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([b"## Codebase Patterns\n", b"## e\n", b"- x\n", b"\n", b"\xff", b"y" * 9000, b"---\n"]))
)
def test_any_file_is_bounded_and_its_end_is_known(memory: Memory, parts: list[bytes]) -> None:
    memory.path.write_bytes(b"".join(parts))
    memory.file.append("last\nword")
    tail, patterns = memory.file.recall()
    assert tail.endswith("## last\nword")
    assert len(tail) <= TAIL_LIMIT
    assert len(patterns) <= PATTERNS_LIMIT


@pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "fifo", "folder"])
def test_what_is_no_file_of_its_own_is_left_alone(memory: Memory, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("the person's\n")
    match kind:
        case "link":
            memory.path.symlink_to(outside)
        case "dangling":
            memory.path.symlink_to(tmp_path / "absent")
        case "hard link":
            memory.path.hardlink_to(outside)
        case "fifo":
            os.mkfifo(memory.path)
        case _:
            memory.path.mkdir()
    memory.file.append("new")
    assert memory.file.recall() == ("", "")
    assert len(memory.warnings) == 2
    assert all(warning.startswith("progress.txt: not ") for warning in memory.warnings)
    assert outside.read_text() == "the person's\n"
    assert not (tmp_path / "absent").exists()


def test_an_entry_that_cannot_be_encoded_is_written_all_the_same(memory: Memory) -> None:
    memory.file.append("US-\ud800 failed")
    assert memory.path.read_bytes().endswith(b"## US-? failed\n")
