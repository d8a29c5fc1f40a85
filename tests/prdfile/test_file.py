"""prd.json on a real disk, and what an agent may have made of it."""

import os
import stat
from pathlib import Path

import pytest

from prd_ralph.errors import BlockedError, ExitCode, ForeignChangeError, ProblemsError, RalphError
from prd_ralph.ports import PrdFile
from prd_ralph.prdfile import JsonPrdFile, parse
from tests.prdfile.support import FIXTURES, data_of, prd, story

DATA = data_of(prd(story("a")))


@pytest.fixture
def file(tmp_path: Path) -> JsonPrdFile:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "prd.json").write_bytes(DATA)
    return JsonPrdFile(root / "sub" / "prd.json", root)


def _names(file: JsonPrdFile) -> list[str]:
    return sorted(path.name for path in file.path.parent.iterdir())


def test_it_serves_the_port(file: JsonPrdFile) -> None:
    port: PrdFile = file
    document = port.load()
    assert document.data == port.read() == DATA
    after = port.flipped(DATA, "a", True)
    port.write(after, DATA)
    assert port.load().prd.stories[0].passes
    assert port.guard(DATA, after, "a").data == DATA
    assert _names(file) == ["prd.json"]


def test_errors_name_the_file_as_seen_from_the_root(file: JsonPrdFile) -> None:
    file.path.write_bytes(b"{")
    with pytest.raises(ProblemsError) as caught:
        file.load()
    assert caught.value.problems[0].file == "sub/prd.json"
    assert caught.value.code is ExitCode.BAD_INPUT


def test_strict_loading(file: JsonPrdFile) -> None:
    file.path.write_bytes(data_of(prd(story(note="x"))))
    assert len(file.load().warnings) == 1
    with pytest.raises(ProblemsError):
        file.load(strict=True)


def test_a_link_is_followed_once_at_the_start(file: JsonPrdFile, tmp_path: Path) -> None:
    link = tmp_path / "root" / "prd.json"
    link.symlink_to("sub/prd.json")
    other = JsonPrdFile(link, tmp_path / "root")
    assert other.path == file.path
    other.write(b"{}", DATA)
    assert link.is_symlink()
    assert file.path.read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["../prd.json", ".", "out/prd.json"])
def test_a_file_outside_the_project_is_refused(name: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(RalphError, match="not inside the project"):
        JsonPrdFile(root / name, root)


def _missing(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inner").write_text("kept")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _link(path: Path) -> None:
    target = path.parent.parent.parent / "target.json"
    target.write_bytes(DATA)
    path.unlink()
    path.symlink_to(target)


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _parent_link(path: Path) -> None:
    away = path.parent.parent.parent / "away"
    path.parent.rename(away)
    path.parent.symlink_to(away)


def _parent_file(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("kept")


def _parent_gone(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


TURNED = {
    "missing": (_missing, "there is no such file"),
    "folder": (_folder, "is a folder"),
    "fifo": (_fifo, "is no regular file"),
    "dangling link": (_dangling, "there is no such file"),
    "circle": (_circle, "can't be read"),
    "no folder": (_parent_gone, "there is no such file"),
    "file for a folder": (_parent_file, "can't be read"),
    "link": (_link, "can't be read"),
    "folder is a link": (_parent_link, "can't be read"),
}


@pytest.mark.parametrize("name", TURNED)
def test_what_an_agent_may_turn_it_into_is_no_file_and_can_be_written_over(name: str, file: JsonPrdFile) -> None:
    turn, message = TURNED[name]
    turn(file.path)
    assert file.read() is None
    with pytest.raises(ProblemsError, match=message):
        file.load()
    before = sorted(path.lstat().st_ino for path in file.path.parent.parent.rglob("*"))
    with pytest.raises(ForeignChangeError):
        file.write(b"new", DATA)
    assert file.read() is None
    assert sorted(path.lstat().st_ino for path in file.path.parent.parent.rglob("*")) == before
    file.write(b"new", None)
    assert file.read() == b"new"
    assert stat.S_ISREG(file.path.lstat().st_mode)
    assert ".prd.json.prd-ralph.tmp" not in _names(file)


def test_nothing_is_written_through_a_link(file: JsonPrdFile, tmp_path: Path) -> None:
    _link(file.path)
    file.write(b"new", None)
    assert (tmp_path / "target.json").read_bytes() == DATA
    file.path.unlink()
    file.path.write_bytes(DATA)
    _parent_link(file.path)
    file.write(b"new", None)
    assert (tmp_path / "away" / "prd.json").read_bytes() == DATA
    assert (tmp_path / "root" / "sub.aside-1").is_symlink()


def test_what_was_in_the_way_is_kept(file: JsonPrdFile, tmp_path: Path) -> None:
    for number in (1, 2):
        _folder(file.path)
        file.write(DATA, None)
        assert (file.path.with_name(f"prd.json.aside-{number}") / "inner").read_text() == "kept"
    for path in sorted(file.path.parent.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    file.path.parent.rmdir()
    file.path.parent.write_text("kept")
    file.write(DATA, None)
    assert (tmp_path / "root" / "sub.aside-1").read_text() == "kept"


def test_a_foreign_change_is_not_overwritten(file: JsonPrdFile) -> None:
    file.path.write_bytes(b"theirs")
    with pytest.raises(ForeignChangeError, match="changed by somebody else"):
        file.write(b"ours", DATA)
    assert file.path.read_bytes() == b"theirs"
    assert _names(file) == ["prd.json"]


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_the_mode_is_kept(mode: int, file: JsonPrdFile) -> None:
    file.path.chmod(mode)
    file.write(b"new", DATA)
    assert stat.S_IMODE(file.path.stat().st_mode) == mode


def test_a_mode_that_would_lock_us_out_is_not(file: JsonPrdFile) -> None:
    file.path.chmod(0o000)
    file.write(b"new", None)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_run_left_is_cleared(kind: str, file: JsonPrdFile) -> None:
    left = file.path.with_name(".prd.json.prd-ralph.tmp")
    left.write_bytes(b"half") if kind == "file" else left.mkdir()
    file.write(b"new", DATA)
    assert file.read() == b"new"
    assert not left.exists()


def test_a_disk_that_refuses_leaves_the_old_file(file: JsonPrdFile, tmp_path: Path) -> None:
    long = tmp_path / "root" / ("x" * 245)
    other = JsonPrdFile(long, tmp_path / "root")
    long.write_bytes(DATA)
    with pytest.raises(BlockedError) as caught:
        other.write(b"new", DATA)
    assert caught.value.code is ExitCode.ENVIRONMENT
    assert long.read_bytes() == DATA


def test_an_endless_file_is_not_read_to_its_end(file: JsonPrdFile) -> None:
    with file.path.open("wb") as stream:
        stream.truncate(1 << 40)
    data = file.read()
    assert data is not None
    assert len(data) == (4 << 20) + 1
    with pytest.raises(ProblemsError, match="larger than 4 MiB"):
        file.load()


@pytest.mark.parametrize(
    "name", ["01-exact-snarktank", "02-ralph-tui-extras", "15-300-stories-tabs-no-newline", "16-unicode-bom"]
)
def test_what_is_known_of_a_flipped_file_is_what_reading_it_would_tell(tmp_path: Path, name: str) -> None:
    data = (FIXTURES / f"{name}.json").read_bytes()
    path = tmp_path / "prd.json"
    path.write_bytes(data)
    file = JsonPrdFile(path, tmp_path)
    for each in file.load().prd.stories:
        if not each.passes and not each.skip:
            before = file.load().data
            file.write(file.flipped(before, each.id, True), before)
            assert file.load() == parse(path.read_bytes(), "prd.json", tmp_path)


def test_a_flip_that_somebody_edited_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "prd.json"
    path.write_bytes((FIXTURES / "01-exact-snarktank.json").read_bytes())
    file = JsonPrdFile(path, tmp_path)
    before = file.load().data
    path.write_bytes(file.flipped(before, "US-002", True).replace(b"Raise an alert", b"Raise alarm"))
    assert file.load().prd.story("US-002").title == "Raise alarm"
