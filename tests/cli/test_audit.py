"""`audit`: what is claimed, what can be proved, what is odd; and the repository is as it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.claims import snarktank
from tests.support.project import Project

DONE = 'grep -qx done "$(echo $PRD_RALPH_STORY_ID | tr A-Z a-z).txt"'


@pytest.fixture
def here(tmp_path: Path) -> Project:
    """A folder to type commands in, outside of any repository that is looked at."""
    folder = tmp_path / "here"
    folder.mkdir()
    return Project(folder, {})


def exact(root: Path) -> dict[str, object]:
    """Every file, git's own too: its bytes, mode, links, and when it was last written."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        is_file = path.is_file() and not path.is_symlink()
        facts = path.lstat()
        data = path.read_bytes() if is_file else None
        found[str(path.relative_to(root))] = (facts.st_mode, facts.st_nlink, facts.st_mtime_ns, data)
    return found


def audited(here: Project, root: Path, *args: str, code: int = 1) -> dict[str, Any]:
    """`audit --json`, once it is sure that the repository is exactly what it was, and nothing is left of the clone."""
    before = exact(root)
    scratch = here.root.parent / "tmp"
    scratch.mkdir(exist_ok=True)
    done = here("audit", str(root), "--json", *args, TMPDIR=str(scratch))
    assert exact(root) == before
    assert list(scratch.iterdir()) == []
    assert done.code == code, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def states(found: dict[str, Any]) -> dict[str, str]:
    return {each["id"]: each["state"] for each in found["stories"]}


def kinds(found: dict[str, Any], story_id: str = "") -> list[str]:
    """The findings of a story, or of the whole."""
    holder = next(each for each in found["stories"] if each["id"] == story_id) if story_id else found
    return [finding["kind"] for finding in holder["findings"]]


# --- as snarktank's loop leaves it ---------------------------------------------------------------------


def test_a_false_flag_is_found(here: Project, tmp_path: Path) -> None:
    made = snarktank(tmp_path / "repo")
    found = audited(here, made.root, "--check", DONE, "--check", "sh tests/test_pond.sh")
    assert states(found) == {
        "US-001": "proved",
        "US-002": "claimed-but-fails",
        "US-003": "proved",
        "US-004": "open",
    }
    assert {key: found[key] for key in ("v", "path", "dialect", "commit", "total")} == {
        "v": 1,
        "path": "scripts/ralph/prd.json",
        "dialect": "native",
        "commit": made.here.git("rev-parse", "HEAD"),
        "total": 4,
    }
    assert [found[key] for key in ("claimed", "proved", "failing", "unprovable", "untried")] == [3, 2, 1, 0, 0]
    first, second, third, _ = found["stories"]
    assert first["set_by"]["subject"] == "feat: [US-002] - Title of US-002"
    assert (kinds(found, "US-001"), kinds(found, "US-002")) == ([], ["nothing_else"])
    assert second["set_by"]["commit"] == made.here.git("log", "-1", "--format=%H", "--grep=mark US-002")
    assert (third["set_by"], kinds(found, "US-003")) == (None, ["uncommitted"])
    assert [each["status"] for each in second["commands"]] == ["failed", "passed"]


def test_without_being_told_to_it_runs_nothing(here: Project, tmp_path: Path) -> None:
    made = snarktank(tmp_path / "repo")
    found = audited(here, made.root)
    assert set(states(found).values()) == {"untried", "open"}
    assert (found["untried"], kinds(found)) == (3, ["nothing_run"])
    assert kinds(found, "US-002") == ["nothing_else"]


def test_what_a_person_reads(here: Project, tmp_path: Path) -> None:
    made = snarktank(tmp_path / "repo")
    done = here("audit", str(made.file), "--check", DONE)
    assert done.code == 1
    commit = made.here.git("rev-parse", "--short=9", "HEAD")
    today = made.here.git("log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd")
    by = [made.here.git("log", "-1", "--format=%H", f"--grep={word}")[:9] for word in ("US-002. - T", "mark US-002")]
    assert done.out.splitlines() == [
        f"scripts/ralph/prd.json at {commit} · native · 4 stories, 3 claimed",
        "✓ US-001 Title of US-001 · claimed, proved",
        f"    set by {by[0]} {today} feat: [US-002] - Title of US-002",
        "✗ US-002 Title of US-002 · claimed, but fails",
        f"    ✗ {DONE} · exit 1",
        f"    set by {by[1]} {today} chore: mark US-002 complete",
        "    ! set by a commit that touches nothing but the task file and notes",
        "✓ US-003 Title of US-003 · claimed, proved",
        "    · the flag is in no commit: only the file on disk claims it",
        "· US-004 Title of US-004 · open",
        f"    ✗ {DONE} · exit 2",
        "3 claimed: 2 proved, 1 failing; 1 suspicion",
    ]
    told = done.err.splitlines()
    assert told[0] == f"to be run in a scratch clone at {commit}, each command for at most 15m:"
    assert told[1:3] == ["  US-001 Title of US-001", f"    $ {DONE}"]
    assert [line.split()[:2] for line in told[9:]] == [
        ["US-001", "✓"],
        ["US-002", "✗"],
        ["US-003", "✓"],
        ["US-004", "✗"],
    ]
