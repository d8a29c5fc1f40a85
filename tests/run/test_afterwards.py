"""After each landing: a command of the person's, and a push. Neither moves a flag, and the run goes on."""

import subprocess
from pathlib import Path

import pytest

from tests.run.told import stopped
from tests.support.project import Done, Project, make_project, story

WORK = {"stories": {name: [[{"write": f"{name}.txt", "text": "x\n"}]] for name in ("US-001", "US-002")}}
STORIES = [story(name, f"test -f {name}.txt") for name in ("US-001", "US-002")]


def after(done: Done) -> list[tuple[str, str, bool]]:
    """What was done, after which story, and whether it worked."""
    return [(each["story"], each["what"], not each["error"]) for each in done.of("after_landing")]


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path, STORIES, WORK)


@pytest.fixture
def bare(project: Project) -> Path:
    """The remote of `project`."""
    path = project.root.parent / "remote.git"
    git(project.root, "init", "-q", "--bare", str(path))
    project.git("remote", "add", "origin", str(path))
    return path


def branch(project: Project) -> str:
    return project.git("symbolic-ref", "--short", "HEAD")


def test_on_land_is_told_the_story_and_the_commit(project: Project) -> None:
    line = 'echo "$PRD_RALPH_STORY_ID $PRD_RALPH_LANDED $PWD" >> ../told; echo said'
    done = project.run(PRD_RALPH_ON_LAND=line)
    told = [each.split() for each in (project.root.parent / "told").read_text().splitlines()]
    assert stopped(done) == ("complete", 0)
    assert after(done) == [("US-001", "on_land", True), ("US-002", "on_land", True)]
    assert told == [[each["story"], each["commit"], str(project.root)] for each in done.of("landed")]
    logs = sorted((project.root / ".git/prd-ralph/runs").rglob("on_land.log"))
    assert [log.read_text() for log in logs] == ["said\n", "said\n"]


def test_on_land_that_fails_is_told_and_stops_nothing(project: Project) -> None:
    done = project.run(PRD_RALPH_ON_LAND="echo no such server; exit 7")
    assert stopped(done) == ("complete", 0)
    assert project.passes() == {"US-001": True, "US-002": True}
    assert after(done) == [("US-001", "on_land", False), ("US-002", "on_land", False)]
    failed = done.of("after_landing")[0]
    assert failed["exit_code"] == 7
    assert "no such server" in failed["error"]
    assert "warning: on_land after US-002 failed: exit 7 no such server" in done.err


def test_on_land_that_hangs_is_ended(project: Project) -> None:
    done = project.run("--check-timeout", "1s", PRD_RALPH_ON_LAND="sleep 600")
    assert (stopped(done), project.landings()) == (("complete", 0), ["US-001", "US-002"])
    assert after(done) == [("US-001", "on_land", False), ("US-002", "on_land", False)]


def test_what_on_land_changes_is_in_no_landing(project: Project) -> None:
    flip = 'sed -i \'s/"passes": false/"passes": true/\' prd.json'
    done = project.run(PRD_RALPH_ON_LAND=f"echo more >> README.md; echo built > built.txt; {flip}")
    assert (stopped(done), project.landings()) == (("complete", 0), ["US-001", "US-002"])
    assert (project.root / "README.md").read_text() == "hello\n"
    assert "built.txt" not in project.git("ls-tree", "-r", "--name-only", "HEAD")
    assert project.git("status", "--porcelain") == "?? built.txt"


def test_each_landing_is_pushed(project: Project, bare: Path) -> None:
    done = project.run("--push")
    assert stopped(done) == ("complete", 0)
    assert after(done) == [("US-001", "push", True), ("US-002", "push", True)]
    assert git(bare, "rev-parse", branch(project)) == done.of("landed")[-1]["commit"]
    assert "branch." not in project.git("config", "--local", "--list")


def test_the_branch_is_pushed_to_where_the_config_says_under_its_own_name(project: Project, bare: Path) -> None:
    other = project.root.parent / "other.git"
    git(project.root, "init", "-q", "--bare", str(other))
    project.git("remote", "add", "fork", str(other))
    project.git("config", f"branch.{branch(project)}.remote", "origin")
    project.git("config", f"branch.{branch(project)}.merge", "refs/heads/production")
    project.git("config", f"branch.{branch(project)}.pushRemote", "fork")
    assert project.run("--push").code == 0
    assert git(other, "for-each-ref", "--format=%(refname:short)") == branch(project)
    assert git(bare, "for-each-ref") == ""


def test_a_refused_push_is_told_and_never_forced(project: Project, bare: Path, tmp_path: Path) -> None:
    project.git("push", "-q", "origin", "HEAD")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(bare), str(clone))
    git(clone, "commit", "-q", "--allow-empty", "-m", "theirs")
    git(clone, "push", "-q", "origin", "HEAD")
    theirs = git(bare, "rev-parse", branch(project))
    done = project.run("--push")
    assert (stopped(done), project.landings()) == (("complete", 0), ["US-001", "US-002"])
    assert after(done) == [("US-001", "push", False), ("US-002", "push", False)]
    assert git(bare, "rev-parse", branch(project)) == theirs
    assert "warning: push after US-002 failed" in done.err


def test_a_push_that_failed_is_made_good_by_the_next(project: Project, bare: Path) -> None:
    hook = bare / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\ntest -e seen && exit 0\ntouch seen\necho closed for now >&2\nexit 1\n")
    hook.chmod(0o755)
    done = project.run("--push")
    assert after(done) == [("US-001", "push", False), ("US-002", "push", True)]
    assert git(bare, "rev-parse", branch(project)) == done.of("landed")[-1]["commit"]
    assert "warning: push" not in done.err


def test_a_remote_that_hangs_holds_nothing_up(project: Project, tmp_path: Path) -> None:
    helper = tmp_path / "bin/git-remote-slow"
    helper.parent.mkdir()
    helper.write_text("#!/bin/sh\nexec sleep 600\n")
    helper.chmod(0o755)
    project.git("remote", "add", "origin", "slow::anywhere")
    path = f"{helper.parent}:{project.environment()['PATH']}"
    done = project.run("--push", "--check-timeout", "1s", PATH=path)
    assert (stopped(done), project.landings()) == (("complete", 0), ["US-001", "US-002"])
    assert [each["error"] for each in done.of("after_landing")] == ["no end within 1 s"] * 2


def test_the_persons_pre_push_hook_runs(project: Project, bare: Path) -> None:
    hook = project.root / ".git/hooks/pre-push"
    hook.write_text("#!/bin/sh\necho not on a Friday >&2\nexit 1\n")
    hook.chmod(0o755)
    done = project.run("--push")
    assert after(done) == [("US-001", "push", False), ("US-002", "push", False)]
    assert "not on a Friday" in done.of("after_landing")[0]["error"]
    assert git(bare, "for-each-ref") == ""


def test_a_push_to_nowhere_is_refused_before_an_agent_is_paid(project: Project) -> None:
    done = project.run("--push")
    assert (done.code, done.out) == (3, "")
    assert "the repository has no remote" in done.err
    assert "hint: git remote add origin URL" in done.err
    for name in ("one", "two"):
        project.git("remote", "add", name, str(project.root))
    assert "which remote? There are one, two" in project.run("--push").err


@pytest.mark.parametrize("asked", ["on_land", "push"])
def test_the_stories_that_follow_are_looked_at_before_their_first_attempt_all_the_same(
    project: Project, bare: Path, asked: str
) -> None:
    flags, env = (["--push"], {}) if asked == "push" else ([], {"PRD_RALPH_ON_LAND": "true"})
    done = project.run("--strict", *flags, **env)
    assert stopped(done) == ("complete", 0)
    assert [(each["story"], each["red"]) for each in done.of("baseline_finished")] == [
        (name, [f"test -f {name}.txt"]) for name in ("US-001", "US-002")
    ]
