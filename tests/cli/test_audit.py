"""`audit`: what is claimed, what can be proved, what is odd; and the repository is as it was."""

import json
import shutil
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.claims import Claims, snarktank
from tests.support.project import Project, make_project, story
from tests.support.waiting import gone, pids_in

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
    assert (found["untried"], kinds(found)) == (3, ["uncommitted", "nothing_run"])
    assert kinds(found, "US-002") == ["nothing_else"]


def test_what_a_person_reads(here: Project, tmp_path: Path) -> None:
    made = snarktank(tmp_path / "repo")
    done = here("audit", str(made.file), "--check", DONE)
    assert done.code == 1
    commit = made.here.git("rev-parse", "--short=9", "HEAD")
    today = datetime.fromtimestamp(int(made.here.git("log", "-1", "--format=%ct")), UTC).date()
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
        "        grep: us-004.txt: No such file or directory",
        "· scripts/ralph/prd.json on disk is not as committed: what lies on disk was audited",
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


def test_how_a_command_failed_is_shown(here: Project, tmp_path: Path) -> None:
    stories = [story("US-001", "no-such-tool --x", {"name": "unit", "run": "seq 9; exit 4"}, passes=True)]
    project = make_project(tmp_path, stories)
    lines = here("audit", str(project.root), "--adopt-commands").out.splitlines()
    assert lines[2] == "    ✗ no-such-tool --x · command not found (exit 127)"
    at = lines.index("    ✗ unit · exit 4")
    assert lines[at + 1 : at + 10] == ["        … 1 line before", *(f"        {number}" for number in range(2, 10))]


def test_a_persons_word_is_shown_as_that(here: Project, tmp_path: Path) -> None:
    """It proves nothing, and is not held against the claim."""
    by_hand = {"id": "US-001", "title": "One", "passes": False}
    project = make_project(tmp_path, [by_hand, story("US-002", "true", passes=True)])
    assert project("approve", "US-001", "--by", "Ann").code == 0
    found = audited(here, project.root, "--adopt-commands", code=0)
    assert (states(found), found["approved"], found["proved"]) == ({"US-001": "approved", "US-002": "proved"}, 1, 1)
    done = here("audit", str(project.root), "--adopt-commands")
    assert "✓ US-001 One · claimed, approved by a person" in done.out
    assert done.out.splitlines()[-1].startswith("2 claimed: 1 proved, 1 approved")
    assert states(audited(here, project.root, "--check", "false"))["US-001"] == "claimed-but-fails"


# --- what is run, and where ------------------------------------------------------------------------------


def test_the_commands_of_a_file_of_ours(here: Project, tmp_path: Path) -> None:
    stories = [
        story("US-001", "test -f made && test -f a.txt", passes=True),
        story("US-002", "test -f b.txt", passes=True),
        {"id": "US-003", "title": "t", "passes": True},
        story("US-004", "test -f a.txt"),
        story("US-005", "test -f b.txt"),
        story("US-006", "touch ../../RAN", skip=True),
        story("US-007", {"run": "false", "when": "land", "name": "review"}, passes=True),
    ]
    project = make_project(tmp_path, stories, files={"a.txt": "a"}, setup=["touch made"])
    found = audited(here, project.root, "--adopt-commands")
    assert list(states(found).values()) == [
        "proved",
        "claimed-but-fails",
        "unprovable",
        "open-but-passes",
        "open",
        "open",
        "unprovable",
    ]
    assert (kinds(found, "US-001"), kinds(found, "US-007")) == (["first_version"], ["first_version", "left_out"][::-1])
    assert states(audited(here, project.root))["US-003"] == "untried"
    assert states(audited(here, project.root, "--check", "test -f a.txt", code=0))["US-002"] == "proved"


def test_another_tools_file_and_its_commands(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo", "tasks/tasks.json")
    tasks = [
        {"title": "Read", "status": "done", "verify": ["prose, by hand", "grep -q x read.txt"]},
        {"title": "Pack", "status": "done"},
    ]
    made.commit("start", {made.name: json.dumps({"testCommand": "test -f pack.txt", "tasks": tasks}), "read.txt": "x"})
    for place in (made.root, made.file, made.root / "tasks"):
        found = audited(here, place if place == made.file else made.root, "--adopt-commands")
        assert (found["path"], found["dialect"]) == ("tasks/tasks.json", "tasks")
    assert states(found) == {"US-001": "claimed-but-fails", "US-002": "claimed-but-fails"}
    assert [each["command"] for each in found["stories"][0]["commands"]] == ["test -f pack.txt", "grep -q x read.txt"]
    (finding,) = found["findings"]
    assert (finding["kind"], finding["message"].endswith(": /tasks/0/verify/0")) == ("not_adopted", True)
    made.commit("pack", {"pack.txt": ""})
    assert set(states(audited(here, made.root, "--adopt-commands", code=0)).values()) == {"proved"}


def test_without_any_command_nothing_is_proved(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    done = here("audit", str(made.root), "--adopt-commands")
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[1] == "? US-001 Title of US-001 · claimed, unprovable: it has no command"


def test_a_command_runs_once_and_tracked_files_come_back(here: Project, tmp_path: Path) -> None:
    count = tmp_path / "count"
    spoil = f"echo . >> {count}; echo spoilt > a.txt; rm -f prd.json"
    stories = [
        story("US-001", spoil, passes=True),
        story("US-002", spoil, "git diff --exit-code && test -f prd.json", passes=True),
    ]
    project = make_project(tmp_path, stories, files={"a.txt": "a"})
    assert set(states(audited(here, project.root, "--adopt-commands", code=0)).values()) == {"proved"}
    assert count.read_text() == ".\n"


def test_no_way_leads_from_the_clone_to_the_repository(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    (made.root / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\ntouch HOOKED\n")
    (made.root / ".git" / "hooks" / "post-checkout").chmod(0o755)
    commands = ["git commit -q --allow-empty -m x && git gc -q && ! git push -q origin HEAD", "! test -e HOOKED"]
    before = exact(made.root)
    checks = [word for line in commands for word in ("--check", line)]
    done = here("audit", str(made.root), *checks, GIT_DIR=str(made.root / ".git"), GIT_WORK_TREE=str(made.root))
    assert (done.code, exact(made.root)) == (0, before), done.out


def test_what_a_command_leaves_running_is_ended(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    pids = tmp_path / "pids"
    audited(here, made.root, "--check", f"setsid sleep 300 & echo $! >> {pids}", code=0)
    gone(pids_in(pids))


def test_time_is_bounded(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True, US_002=True))
    slow = 'sleep 300; test "$PRD_RALPH_STORY_ID"'
    found = audited(here, made.root, "--check", slow, "--check-timeout", "1s")
    assert [each["commands"][0]["status"] for each in found["stories"]] == ["timed_out"] * 2
    found = audited(here, made.root, "--check", slow, "--max-time", "1s")
    assert states(found) == {"US-001": "claimed-but-fails", "US-002": "untried"}
    assert "time_over" in kinds(found)


def test_a_setup_that_fails(here: Project, tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true", passes=True)], setup=["echo no >&2; exit 3"])
    found = audited(here, project.root, "--adopt-commands")
    assert (states(found), kinds(found)) == ({"US-001": "untried"}, ["setup_failed"])
    assert "exit 3" in found["findings"][0]["message"]


def test_a_signal_ends_it_and_leaves_nothing(tmp_path: Path, here: Project) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    pids, scratch = tmp_path / "pids", tmp_path / "tmp"
    scratch.mkdir()
    before = exact(made.root)
    line = f"echo $$ >> {pids}; sleep 300"
    with subprocess.Popen(
        here.command("audit", str(made.root), "--check", line),
        env=here.environment(TMPDIR=str(scratch)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        started = pids_in(pids)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate()
    assert (process.returncode, out) == (-signal.SIGTERM, b"")
    gone(started)
    assert (list(scratch.iterdir()), exact(made.root)) == ([], before)


def test_secrets_are_masked(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    secret = "gho_" + "a1B2" * 9
    done = here("audit", str(made.root), "--json", "--check", f"echo {secret}; false")
    assert (done.code, secret in done.out + done.err) == (1, False)
    assert "echo gho_***; false" in done.out


# --- what is looked at -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ignored", [True, False])
def test_a_file_that_is_in_no_commit(here: Project, tmp_path: Path, ignored: bool) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", {".gitignore": "prd.json\n" if ignored else "x\n"})
    made.write(made.claim(US_001=True))
    found = audited(here, made.root, "--check", "test -f prd.json", code=0)
    assert (states(found), kinds(found)) == ({"US-001": "proved"}, ["untracked"])
    assert (found["stories"][0]["set_by"], kinds(found, "US-001")) == (None, [])


def test_uncommitted_work_is_not_audited(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", {**made.claim(US_001=True), "a.txt": "committed\n"})
    made.write({"a.txt": "not\n", "new.txt": "not\n"})
    found = audited(here, made.root, "--check", "grep -q committed a.txt && ! test -e new.txt", code=0)
    assert (states(found), kinds(found)) == ({"US-001": "proved"}, ["dirty"])
    assert found["findings"][0]["message"].startswith("2 uncommitted paths")


def test_without_a_repository_it_is_only_read(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.write(made.claim(US_001=True))
    shutil.rmtree(made.root / ".git")
    found = audited(here, made.root)
    assert (states(found), kinds(found)) == ({"US-001": "untried"}, ["no_repository", "nothing_run"])
    assert found["commit"] is None
    done = here("audit", str(made.root), "--check", "touch RAN")
    assert (done.code, "hint: git init" in done.err, (made.root / "RAN").exists()) == (3, True, False)
    made.here.git("init", "-q")
    done = here("audit", str(made.root), "--check", "touch RAN")
    assert (done.code, "has no commit yet" in done.err) == (3, True)
    found = audited(here, made.root)
    assert (states(found), kinds(found)) == ({"US-001": "untried"}, ["untracked", "nothing_run"])


def test_a_history_that_begins_too_late(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=False, US_002=False))
    made.commit("one", {**made.claim(US_001=True, US_002=False), "a": ""})
    made.commit("between", {"b": ""})
    made.commit("two", {**made.claim(US_001=True, US_002=True), "c": ""})
    made.here.git("clone", "-q", "--depth=2", f"file://{made.root}", str(tmp_path / "shallow"))
    found = audited(here, tmp_path / "shallow", "--check", "test -f a", code=0)
    first, second = found["stories"]
    assert (first["set_by"], kinds(found, "US-001"), kinds(found)) == (None, ["unknown_history"], ["shallow"])
    assert (second["set_by"]["subject"], kinds(found, "US-002")) == ("two", [])


def test_suspicious_history(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    tests = {f"tests/test_{name}.py": "def test():\n    assert 1\n    assert 2\n" for name in "abc"}
    flags = {"US_001": True, "US_002": False, "US_003": False, "US_004": False, "US_005": False}
    made.commit("start", {**made.claim(**flags), **tests, "a.py": ""})
    flags["US_002"] = True
    made.commit("deletes", {**made.claim(**flags), "tests/test_a.py": None, "a.py": "2"})
    flags["US_003"] = True
    text = "import pytest\n\n\n@pytest.mark.skip\ndef test():\n    assert 1\n    assert 2\n"
    made.commit("skips", {**made.claim(**flags), "tests/test_b.py": text})
    made.commit("opens", {**made.claim(**flags | {"US_002": False})})
    made.commit("shrinks", {**made.claim(**flags), "tests/test_c.py": "def test():\n    pass\n"})
    made.commit("all", {**made.claim(**flags | {"US_004": True, "US_005": True}), "a.py": "3"})
    found = audited(here, made.root, "--check", "true", code=0)
    assert {each["id"]: kinds(found, each["id"]) for each in found["stories"]} == {
        "US-001": ["first_version"],
        "US-002": ["flipped_back", "tests_shrunk"],
        "US-003": ["skips_added"],
        "US-004": ["all_at_once"],
        "US-005": ["all_at_once"],
    }
    assert [each["set_by"]["subject"] for each in found["stories"]] == ["start", "shrinks", "skips", "all", "all"]
    assert found["findings"] == []
    assert audited(here, made.root, "--check", "true", "--strict")["proved"] == 5


def test_a_landing_of_ours_is_shown_with_its_receipt(here: Project, tmp_path: Path) -> None:
    script = {"stories": {"US-001": [[{"write": "a.txt", "text": "x"}]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], script)
    assert project.run().code == 0
    found = audited(here, project.root, "--adopt-commands", "--strict", code=0)
    (row,) = found["stories"]
    assert row["set_by"]["subject"] == "feat: US-001 - Title of US-001"
    assert (row["receipt"]["story"], row["receipt"]["check"], row["findings"]) == ("US-001", "test -f a.txt", [])
    assert "    landed by prd-ralph (" in here("audit", str(project.root)).out


def test_a_linked_worktree_and_a_detached_head(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=False))
    old = made.commit("one", {**made.claim(US_001=True), "a": ""})
    made.commit("two", {"a": None})
    made.here.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), old)
    before = exact(made.root)
    found = audited(here, tmp_path / "linked", "--check", "test -f a", code=0)
    assert (found["commit"], found["stories"][0]["set_by"]["commit"]) == (old, old)
    assert exact(made.root) == before


def test_commands_could_be_adopted_and_are_named(here: Project, tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "touch RAN", passes=True)])
    found = audited(here, project.root)
    assert [(each["command"], each["status"]) for each in found["stories"][0]["commands"]] == [("touch RAN", None)]
    (project.root / "prd-ralph.toml").write_text('verification_commands = ["test -f a"]\n')
    found = audited(here, project.root, "--adopt-commands")
    assert [each["command"] for each in found["stories"][0]["commands"]] == ["test -f a", "touch RAN"]


@pytest.mark.parametrize(
    ("files", "path", "told"),
    [
        ({}, ".", "no task file was found"),
        ({}, "gone/prd.json", "there is no such file or folder\n  hint: name a folder or a task file"),
        ({}, "nosuch", "nosuch: there is no such file or folder"),
        ({"prd.md": "# PRD\n"}, "prd.md", "not JSON"),
        ({"prd.json": '{"goals": []}'}, ".", "a specification, not a list of stories"),
        ({"prd.json": '{"userStories": [{"id": "1", "title": "t", "passes": "no"}]}'}, ".", "/userStories/0/passes"),
        (
            {"a.json": '[{"title": "t", "done": true}]', "b.json": '[{"title": "t", "done": true}]'},
            ".",
            "a.json, b.json",
        ),
        ({"prd.json": '[{"title": "t", "done": true}]', "prd-ralph.toml": "wat = 1"}, ".", "prd-ralph.toml"),
    ],
)
def test_what_cannot_be_audited(here: Project, files: dict[str, str], path: str, told: str) -> None:
    for name, text in files.items():
        (here.root / name).write_text(text)
    done = here("audit", path, "--check", "touch RAN")
    assert (done.code, done.out) == (2, ""), done.err
    assert told in done.err
    assert "  hint: " in done.err
    assert not (here.root / "RAN").exists()


def test_a_check_that_is_none(here: Project, tmp_path: Path) -> None:
    made = Claims(tmp_path / "repo")
    made.commit("start", made.claim(US_001=True))
    done = here("audit", str(made.root), "--check", " ")
    assert (done.code, "--check" in done.err) == (2, True)
