"""What no commit takes up proves nothing, and what is the person's stays where it is between runs."""

import json
from pathlib import Path

import pytest

from tests.support.project import make_project, story

NEEDS = "test -f .env && test -f app"


def test_a_pass_that_rests_on_a_file_that_no_commit_takes_up_is_none(tmp_path: Path) -> None:
    steps = [{"write": ".env", "text": "KEY=1\n"}, {"write": "app", "text": "x\n"}]
    project = make_project(tmp_path, [story("US-001", NEEDS)], {"stories": {"US-001": [steps]}})
    done = project.run("--max-attempts", "1")
    judged = done.of("judged")[-1]
    assert (done.code, judged["outcome"], judged["reason"]) == (1, "failed", "left_out")
    assert ".env" in judged["warnings"][0]
    assert project.passes() == {"US-001": False}


def test_a_pass_that_does_not_need_what_is_left_out_lands_and_leaves_it(tmp_path: Path) -> None:
    steps = [
        {"write": ".env", "text": "KEY=1\n"},
        {"write": "keys/own.pem", "text": "k\n"},
        {"write": "app", "text": "x\n"},
    ]
    fails = [[{"write": "more", "text": "x\n"}]]
    script = {"stories": {"US-001": [steps], "US-002": fails}}
    project = make_project(tmp_path, [story("US-001", "test -f app"), story("US-002", "false")], script)
    assert project.run("--max-attempts", "1").code == 1
    assert project.passes() == {"US-001": True, "US-002": False}
    assert (project.root / ".env").read_text() == "KEY=1\n"
    assert (project.root / "keys/own.pem").read_text() == "k\n"
    assert ".env" not in project.git("ls-files").splitlines()


@pytest.mark.parametrize(("command", "passes"), [("grep -q yes app", False), ("test -f other", True)])
def test_a_link_out_of_the_project_proves_nothing_yet_may_land(tmp_path: Path, command: str, passes: bool) -> None:
    steps = [{"run": "echo yes > ../app; ln -sf ../app app; ln -s app inner; touch other"}]
    project = make_project(tmp_path, [story("US-001", command)], {"stories": {"US-001": [steps]}}, {"app": "no\n"})
    project.run("--max-attempts", "1")
    assert project.passes() == {"US-001": passes}
    assert (project.root / "app").is_symlink() is passes


def test_what_was_away_when_prd_ralph_was_killed_is_brought_back(tmp_path: Path) -> None:
    steps = [{"write": ".env", "text": "KEY=1\n"}, {"write": "app", "text": "x\n"}]
    project = make_project(tmp_path, [story("US-001", "test -f app")], {"stories": {"US-001": [steps]}})
    assert project.run(PRD_RALPH_FAULT="checked:2").code == -9
    assert not (project.root / ".env").exists()
    done = project.run()
    assert done.code == 0
    assert done.of("agent_started") == []
    assert (project.root / ".env").read_text() == "KEY=1\n"


def test_a_file_that_a_person_adds_between_two_runs_is_theirs(tmp_path: Path) -> None:
    steps = [[{"write": "a.txt", "text": "wrong\n"}], [{"write": "a.txt", "text": "right\n"}]]
    project = make_project(tmp_path, [story("US-001", "grep -q right a.txt")], {"stories": {"US-001": steps}})
    assert project.run("--once").code == 1
    (project.root / "TODO.md").write_text("mine\n")
    done = project.run()
    assert done.code == 0
    assert project.git("status", "--porcelain") == "?? TODO.md"
    assert (project.root / "TODO.md").read_text() == "mine\n"


def test_reset_leaves_a_file_that_is_not_the_attempts(tmp_path: Path) -> None:
    steps = [[{"write": "a.txt", "text": "wrong\n"}]]
    project = make_project(tmp_path, [story("US-001", "grep -q right a.txt")], {"stories": {"US-001": steps}})
    assert project.run("--once").code == 1
    (project.root / "TODO.md").write_text("mine\n")
    assert project("reset", "US-001").code == 0
    assert project.git("status", "--porcelain") == "?? TODO.md"


def test_where_nothing_is_open_nothing_is_committed_or_switched(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], branchName="ralph/x")
    prd = json.loads(project.prd_path.read_text())
    prd["userStories"][0]["passes"] = True
    project.prd_path.write_text(json.dumps(prd))
    before = project.git("log", "--all", "--format=%H"), project.git("status", "--porcelain", "--branch")
    assert project.run().code == 0
    assert (project.git("log", "--all", "--format=%H"), project.git("status", "--porcelain", "--branch")) == before


def test_a_commit_inside_a_submodule_is_nothing_that_can_land(tmp_path: Path) -> None:
    other = make_project(tmp_path / "other", [story("X", "true")])
    inside = "git -c user.name=x -c user.email=x@x commit -q --allow-empty -m inner"
    steps = [{"run": f"cd sub && {inside}"}, {"write": "a.txt", "text": "x\n"}]
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")], {"stories": {"US-001": [steps]}})
    project.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "sub")
    project.git("commit", "-q", "-m", "sub")
    done = project.run("--max-attempts", "1")
    judged = done.of("judged")[-1]
    assert (judged["outcome"], judged["reason"]) == ("failed", "left_out")
    assert "sub" in judged["warnings"][0]
    assert project.git("status", "--porcelain") == ""
