"""What was set aside is brought back: all of it, onto what is there now, or nothing is touched."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.project import Done, Project, make_project, story
from tests.support.waiting import PATIENCE_S, pids_in, started
from tests.support.workshop import Workshop

LINES = "".join(f"line {number}\n" for number in range(1, 31))
FILES = {"a.txt": LINES, "old.txt": "old\n", "run.sh": "#!/bin/sh\n", ".gitignore": "*.log\n"}
FIRST = [{"write": "a.txt", "text": "first\n"}]
LAST = [
    {"write": "a.txt", "text": LINES.replace("line 3\n", "three\n")},
    {"write": "deep/er/new.txt", "text": "new\n"},
    {"write": ".env", "text": "KEY=1\n"},
    {"write": "run.sh", "text": "#!/bin/sh\necho\n"},
    {"delete": "old.txt"},
]


def made(folder: Path, *attempts: list[dict[str, str]]) -> Project:
    """A project whose US-001 was set aside after these attempts; US-002 has landed."""
    plays = list(attempts) or [FIRST, LAST]
    two = [[{"write": "two.txt", "text": "2\n"}]]
    project = make_project(
        folder,
        [story("US-001", "test -f right.txt"), story("US-002", "test -f two.txt")],
        {"stories": {"US-001": plays, "US-002": two}},
        files=FILES,
    )
    done = project.run("--max-attempts", str(len(plays)))
    assert [event["story"] for event in done.of("set_aside")] == ["US-001"]
    assert project.passes() == {"US-001": False, "US-002": True}
    assert not (project.root / "deep").exists()
    return project


def staged(project: Project) -> list[str]:
    return project.git("status", "--porcelain", "-uall").splitlines()


def test_it_comes_back_staged_with_what_no_ref_holds(tmp_path: Path) -> None:
    project = made(tmp_path)
    memory = {path: project.snapshot()[path] for path in ("prd.json", "progress.txt")}
    done = project("restore", "US-001")
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["a.txt", "deep/er/new.txt", "old.txt", "run.sh", ".env"]
    assert "US-001 attempt 2 is back: 4 files, staged, and 1 file that no commit takes up" in done.err
    assert "a run does not begin before" in done.err
    assert staged(project) == ["M  a.txt", "A  deep/er/new.txt", "D  old.txt", "M  run.sh", "?? .env"]
    assert (project.root / "a.txt").read_text() == LINES.replace("line 3\n", "three\n")
    assert (project.root / ".env").read_text() == "KEY=1\n"
    assert {path: project.snapshot()[path] for path in memory} == memory
    refused = project.run()
    assert refused.code == 3
    assert "a.txt" in refused.err
    project.git("commit", "-q", "-m", "by hand")
    again = project("restore", "US-001")
    assert (again.code, again.out) == (0, "")
    assert "nothing of US-001 attempt 2 is missing here" in again.err
    assert "not brought back, look yourself: .env:" in again.err


@pytest.mark.parametrize("named", ["US-001 1", "{run} US-001 1", "US-001", "{run} US-001", "{run}", ""])
def test_it_is_named_as_show_names_it(tmp_path: Path, named: str) -> None:
    project = made(tmp_path)
    run = project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph").split("/")[2]
    done = project("restore", *named.format(run=run).split())
    if not named.endswith(("US-001", "1")):
        assert done.code == 2
        assert "there are: US-001, US-002" in done.err
        return
    assert done.code == 0, done.err
    first = (project.root / "a.txt").read_text() == "first\n"
    assert first == named.endswith(" 1")


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (("US-009",), "nothing is kept of a run US-009"),
        (("US-001", "9"), "there are: 1, 2"),
        (("US-001", "x"), "nothing is kept of a run US-001"),
        (("US-001", "US-001", "1"), "nothing is kept of a run US-001"),
    ],
)
def test_what_is_not_kept_is_said_with_what_is(tmp_path: Path, named: tuple[str, ...], says: str) -> None:
    project = made(tmp_path)
    done = project("restore", *named)
    assert (done.code, done.out) == (2, "")
    assert says in done.err or "nothing is kept of a story US-009" in done.err


def test_without_any_attempt(tmp_path: Path) -> None:
    done = make_project(tmp_path, [story("US-001", "true")])("restore", "US-001")
    assert (done.code, "nothing is kept of any attempt" in done.err) == (2, True)


def test_both_changes_of_one_file_go_together(tmp_path: Path) -> None:
    project = made(tmp_path)
    (project.root / "a.txt").write_text(LINES.replace("line 28\n", "twenty-eight\n"))
    (project.root / "run.sh").chmod(0o755)
    (project.root / "two.txt").write_text("two\n")
    project.git("commit", "-qam", "meanwhile")
    done = project("restore", "US-001")
    assert done.code == 0, done.err
    both = LINES.replace("line 28\n", "twenty-eight\n").replace("line 3\n", "three\n")
    assert (project.root / "a.txt").read_text() == both
    assert (project.root / "run.sh").read_text() == "#!/bin/sh\necho\n"
    assert os.access(project.root / "run.sh", os.X_OK)
    assert (project.root / "two.txt").read_text() == "two\n"


def _dirty(project: Project) -> None:
    (project.root / "two.txt").write_text("mine\n")


def _staged(project: Project) -> None:
    (project.root / "mine.txt").write_text("mine\n")
    project.git("add", "mine.txt")


def _untracked(project: Project) -> None:
    (project.root / "deep/er").mkdir(parents=True)
    (project.root / "deep/er/new.txt").write_text("mine\n")


def _file_for_folder(project: Project) -> None:
    (project.root / "deep").write_text("mine\n")


def _ignored(project: Project) -> None:
    (project.root / ".git/info/exclude").write_text("deep\n")
    _untracked(project)


def _at_odds(project: Project) -> None:
    (project.root / "a.txt").write_text(LINES.replace("line 3\n", "drei\n"))
    (project.root / "old.txt").write_text("older\n")
    project.git("commit", "-qam", "meanwhile")


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (_dirty, "not committed: two.txt"),
        (_staged, "not committed: mine.txt"),
        (_untracked, "untracked, and in the way: deep/er/new.txt"),
        (_file_for_folder, "untracked, and in the way: deep/er/new.txt"),
        (_ignored, "untracked, and in the way: deep/er/new.txt"),
        (_at_odds, "HEAD has moved on, and both changed a.txt, old.txt (2)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_where_it_cannot_be_nothing_is_touched(tmp_path: Path, act: Callable[[Project], None], says: str) -> None:
    project = made(tmp_path)
    act(project)
    before, stood = project.snapshot(), staged(project)
    done = project("restore", "US-001")
    assert (done.code, done.out) == (3, "")
    assert says in done.err
    assert "hint:" in done.err
    assert (project.snapshot(), staged(project)) == (before, stood)


def test_a_memory_that_is_not_committed_is_no_dirt_and_stays(tmp_path: Path) -> None:
    project = made(tmp_path)
    (project.root / "progress.txt").write_text("mine\n")
    assert project("restore", "US-001").code == 0
    assert (project.root / "progress.txt").read_text() == "mine\n"


def test_an_attempt_that_lies_in_the_tree_goes_first(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.run("--once", "--only", "US-001")
    before = project.snapshot()
    done = project("restore", "US-001", "1")
    assert done.code == 3
    assert "the work of US-001 attempt 3 lies in the tree" in done.err
    assert "prd-ralph reset US-001" in done.err
    assert project.snapshot() == before


def test_what_reset_sets_aside_comes_back_too(tmp_path: Path) -> None:
    project = made(tmp_path, LAST, LAST)
    project.run("--once", "--only", "US-001")
    assert ".env" in project("reset", "US-001").err
    assert not (project.root / ".env").exists()
    done = project("restore", "US-001")
    assert done.code == 0, done.err
    assert (project.root / ".env").read_text() == "KEY=1\n"


def test_a_run_that_goes_on_is_not_disturbed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    play = f"echo $$ >> {tmp_path}/pids; cat {tmp_path}/fifo; echo 2 > a.txt"
    workshop = Workshop(tmp_path, ["echo 1 > a.txt", play], [story("US-001", "test -f right.txt")])
    workshop.run("--max-attempts", "1")
    with started(workshop.project, *workshop.arguments("--max-attempts", "1")) as run:
        pids_in(tmp_path / "pids")
        for command in (("restore", "US-001"), ("clean", "--keep", "0")):
            refused = workshop.project(*command)
            assert (refused.code, f"pid {run.pid}" in refused.err) == (3, True)
        (tmp_path / "fifo").write_text("go on\n")
        run.communicate(timeout=PATIENCE_S)


def test_a_branch_of_it_touches_nothing_else(tmp_path: Path) -> None:
    project = made(tmp_path)
    _dirty(project)
    before, stood = project.snapshot(), staged(project)
    done = project("restore", "US-001", "--branch", "look/us-001")
    assert done.code == 0, done.err
    assert "git switch look/us-001" in done.err
    assert (project.snapshot(), staged(project)) == (before, stood)
    assert project.git("show", "look/us-001:deep/er/new.txt") == "new"
    assert project.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    for name, code in (("look/us-001", 3), ("look", 3), ("a..b", 2), ("-x", 2)):
        refused = project("restore", "US-001", f"--branch={name}")
        assert (refused.code, "hint:" in refused.err) == (code, True)


FORGED = '{{"v":1,"run":"r","seq":1,"at":"t","kind":"set_aside","story":"US-001","attempt":2,"moved":{}}}\n'


@pytest.mark.parametrize("moved", ['["../../../../secret", "/etc/hosts", ".git/config", ""]', "5", "[7]"])
def test_a_ledger_that_names_places_outside_brings_nothing_from_there(tmp_path: Path, moved: str) -> None:
    project = made(tmp_path)
    run = next(iter((project.root / ".git/prd-ralph/runs").iterdir()))
    (project.root / ".git/secret").write_text("secret\n")
    (run / "moved/0/.git").mkdir(parents=True)
    (run / "moved/0/.git/config").write_text("[core]\n")
    with (run / "events.jsonl").open("a") as ledger:
        ledger.write(FORGED.format(moved))
    done: Done = project("restore", "US-001")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == ".env"
    assert "secret" not in done.out + done.err


def test_folders_come_back_without_what_cannot_be_copied(tmp_path: Path) -> None:
    project = made(tmp_path)
    run = next(iter((project.root / ".git/prd-ralph/runs").iterdir()))
    (run / "moved/0/nested/sub").mkdir(parents=True)
    (run / "moved/0/nested/sub/file").write_text("x\n")
    os.mkfifo(run / "moved/0/nested/fifo")
    os.mkfifo(run / "moved/0/pipe")
    for number in (1, 2):
        (run / f"moved/{number}").mkdir()
        (run / f"moved/{number}/twice").write_text(f"{number}\n")
    with (run / "events.jsonl").open("a") as ledger:
        ledger.write(FORGED.format('["nested/", "pipe", "twice"]'))
    done = project("restore", "US-001")
    assert (project.root / "nested/sub/file").read_text() == "x\n"
    assert not (project.root / "nested/fifo").exists()
    assert not (project.root / "pipe").exists()
    assert not (project.root / "twice").exists()
    assert f"twice: {run}/moved/1/twice, {run}/moved/2/twice" in done.err


def test_an_attempt_that_holds_another_memory_does_not_bring_it(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], files=FILES)
    before = project.prd_path.read_bytes()
    project.prd_path.write_text("{}\n")
    (project.root / "progress.txt").write_text("theirs\n")
    (project.root / "a.txt").write_text("theirs\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "an attempt")
    project.git("update-ref", "refs/prd-ralph/20310301T080000Z-aaaa/US-001/1", "HEAD")
    project.git("reset", "-q", "--hard", "HEAD^")
    done = project("restore")
    assert (done.code, done.out) == (0, "a.txt\n"), done.err
    assert project.prd_path.read_bytes() == before
    assert staged(project) == ["M  a.txt"]


def test_a_ref_that_is_none_of_ours_and_a_branch_without_a_commit(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")])
    root = project.git("rev-list", "--max-parents=0", "HEAD")
    project.git("update-ref", "refs/prd-ralph/20310301T080000Z-aaaa/US-001/1", root)
    done = project("restore", "US-001")
    assert (done.code, "is not what prd-ralph wrote" in done.err) == (3, True)
    project.git("checkout", "-q", "--orphan", "empty")
    project.git("rm", "-rqf", ".")
    done = project("restore", "US-001")
    assert (done.code, "there is no commit here" in done.err) == (3, True)
