"""What the person adds, and what former runs worked on: kept in files that are whole, or said to be unwritable."""

from pathlib import Path

import pytest

from prd_ralph.archive import Archive
from prd_ralph.context import CONTEXT_LIMIT, ContextFolder
from prd_ralph.errors import BlockedError, RalphError


def test_what_is_added_while_a_prompt_is_made_stays(tmp_path: Path) -> None:
    waiting, other = ContextFolder(tmp_path / "context"), ContextFolder(tmp_path / "context")
    assert waiting.read() == ""
    waiting.take()
    other.add("one")
    other.add(" two \n")
    assert waiting.read() == "one\n\ntwo"
    other.add("three")
    waiting.take()
    assert waiting.read() == "three"
    assert (other.clear(), other.clear(), waiting.each()) == (1, 0, ())


def test_that_it_cannot_be_shown_is_news_once(tmp_path: Path) -> None:
    waiting = ContextFolder(tmp_path / "context")
    waiting.add("one")
    waiting.read()
    assert (waiting.skip(), waiting.skip()) == (True, False)
    waiting.add("two")
    assert waiting.read() == "one\n\ntwo"
    assert waiting.skip()


def test_what_is_no_file_of_ours_is_no_addition(tmp_path: Path) -> None:
    waiting = ContextFolder(tmp_path)
    (tmp_path / "0.txt").symlink_to("/etc/hostname")
    (tmp_path / "1.txt").mkdir()
    (tmp_path / "2.txt.tmp").write_text("half")
    (tmp_path / "3.txt").write_bytes(b"\xff" * (2 * CONTEXT_LIMIT))
    assert waiting.each() == ("\N{REPLACEMENT CHARACTER}" * CONTEXT_LIMIT,)
    with pytest.raises(RalphError, match="more than 16 KiB"):
        waiting.add("x")


def test_where_it_cannot_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BlockedError, match="cannot be written"):
        ContextFolder(tmp_path / "file" / "context").add("one")
    archive = Archive(tmp_path / "file", "main:prd.json")
    with pytest.raises(BlockedError, match="cannot be written"):
        archive.remember("ralph/a", {"prd.json": b"{}"})
    assert (archive.branches(), archive.last("prd.json")) == ((), None)


def test_branches_are_remembered_in_the_order_of_their_last_runs(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "main:a/prd.json")
    for branch in ("ralph/a", "ralph/b", "ralph/a"):
        archive.remember(branch, {"prd.json": branch.encode()})
    assert archive.branches() == ("ralph/b", "ralph/a")
    assert archive.last("prd.json") == b"ralph/a"
    assert Archive(tmp_path, "main:b/prd.json").branches() == ()


def test_two_of_one_day_and_name_lie_side_by_side(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "main:prd.json")
    places = [archive.put_away("ralph/a/b", "2031-03-01", {"prd.json": data}) for data in (b"1", b"2", b"3")]
    assert [place.name for place in places] == ["2031-03-01-a-b", "2031-03-01-a-b-2", "2031-03-01-a-b-3"]
    assert [(place / "prd.json").read_bytes() for place in places] == [b"1", b"2", b"3"]
