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


@pytest.mark.parametrize("line", ["true", "echo x >> README.md; echo new > new.txt"])
def test_the_next_story_is_looked_at_on_its_base_as_ever(project: Project, line: str) -> None:
    """Else all that follows would be unproven, and refused under --strict."""
    done = project.run("--strict", PRD_RALPH_ON_LAND=line)
    assert stopped(done) == ("complete", 0), done.err
    assert [each["story"] for each in done.of("baseline_finished")] == ["US-001", "US-002"]
    assert [each["proof"] for each in done.of("judged")] == ["proved", "proved"]


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


def test_what_on_land_switches_to_is_not_pushed(tmp_path: Path) -> None:
    project = make_project(tmp_path, STORIES, WORK, branchName="ralph/night")
    main = branch(project)
    remote = tmp_path / "remote.git"
    git(project.root, "init", "-q", "--bare", str(remote))
    project.git("remote", "add", "origin", str(remote))
    done = project.run("--push", PRD_RALPH_ON_LAND=f"git switch -q {main}; git commit -q --allow-empty -m 'by hand'")
    assert stopped(done) == ("foreign_change", 1)
    assert git(remote, "for-each-ref", "--format=%(refname) %(objectname)").split() == [
        "refs/heads/ralph/night",
        done.of("landed")[0]["commit"],
    ]


@pytest.mark.parametrize("where", [(), ("--worktree",)])
@pytest.mark.parametrize("plant", ["config", "hook", "hooks path"])
def test_no_push_goes_by_what_an_agent_planted(tmp_path: Path, where: tuple[str, ...], plant: str) -> None:
    common, hooks, theirs = tmp_path / "repo/.git", tmp_path / "hooks", tmp_path / "theirs.git"
    git(tmp_path, "init", "-q", "--bare", str(theirs))
    hooks.mkdir()
    hook = f"printf '#!/bin/sh\\nenv > {tmp_path}/stolen\\n' > pre-push; chmod +x pre-push"
    lines = {
        "config": f"git config remote.origin.url {theirs}",
        "hook": f"mkdir -p {common}/hooks; cd {common}/hooks; {hook}",
        "hooks path": f"git config core.hooksPath {hooks}; cd {hooks}; {hook}",
    }
    steps = [[{"run": lines[plant]}, {"write": "US-001.txt", "text": "x\n"}]]
    project = make_project(tmp_path, STORIES[:1], {"stories": {"US-001": steps}}, branchName="ralph/night")
    remote = tmp_path / "remote.git"
    git(project.root, "init", "-q", "--bare", str(remote))
    project.git("remote", "add", "origin", str(remote))
    done = project.run("--push", *where)
    assert stopped(done) == ("complete", 0)
    assert git(theirs, "for-each-ref") == ""
    assert not (tmp_path / "stolen").exists()
    assert after(done) == [("US-001", "push", not where)]
    if where:
        assert "not pushed: changed since the run began: " in done.of("after_landing")[0]["error"]


def test_the_persons_own_hooks_path_and_other_branches_forbid_no_push(project: Project, bare: Path) -> None:
    hooks = project.root.parent / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text(f"#!/bin/sh\ntouch {hooks}/ran\n")
    (hooks / "pre-push").chmod(0o755)
    project.git("config", "core.hooksPath", str(hooks))
    done = project.run("--push", PRD_RALPH_ON_LAND="git config branch.other.remote origin")
    assert [each for each in after(done) if each[1] == "push"] == [("US-001", "push", True), ("US-002", "push", True)]
    assert (hooks / "ran").exists()


def test_no_flag_reaches_the_branch_that_on_land_switched_to_after_the_last_landing(tmp_path: Path) -> None:
    project = make_project(tmp_path, STORIES[:1], WORK, branchName="ralph/night")
    main = branch(project)
    before = project.git("rev-parse", main)
    done = project.run(PRD_RALPH_ON_LAND=f"git switch -q {main}")
    assert stopped(done) == ("foreign_change", 1)
    assert "HEAD was moved meanwhile: main at" in done.err
    assert project.git("rev-parse", main) == before
    assert '"passes": true' in project.git("show", "ralph/night:prd.json")


def test_a_hook_is_not_told_whom_notices_go_to(project: Project, bare: Path) -> None:
    told = project.root.parent / "told"
    for name in ("pre-push", "post-commit"):
        hook = project.root / f".git/hooks/{name}"
        hook.write_text(f"#!/bin/sh\nenv >> {told}\n")
        hook.chmod(0o755)
    private = {"PRD_RALPH_NOTIFY_COMMAND": "cat > /dev/null", "PRD_RALPH_NOTIFY": "[]"}
    assert project.run("--push", ORDINARY="1", **private).code == 0
    names = {line.partition("=")[0] for line in told.read_text().splitlines()}
    assert "ORDINARY" in names
    assert names.isdisjoint(private)


def test_what_on_land_plants_for_git_is_put_back_and_named(project: Project, bare: Path) -> None:
    done = project.run(
        "--push", "--only", "US-001", PRD_RALPH_ON_LAND="git config core.pager evil; git remote rm origin"
    )
    assert stopped(done)[1] == 0
    assert after(done) == [("US-001", "on_land", True), ("US-001", "push", False)]
    assert "nothing says where to push" in done.of("after_landing")[1]["error"]
    assert "planted after the landing, and put back: .git/config" in done.err
    assert project.git("config", "remote.origin.url") == str(bare)
    assert "core.pager" not in project.git("config", "--local", "--list")


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
