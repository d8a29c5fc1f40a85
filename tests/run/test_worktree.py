"""`run --worktree`: the run has a work tree of its own, and the person goes on working in theirs."""

import shlex
import threading
from pathlib import Path

import pytest

from prd_ralph.cli.own_tree import choosing
from prd_ralph.cli.project import open_project
from tests.run.test_afterwards import git
from tests.run.told import stopped
from tests.support.project import Done, Project, make_project, story
from tests.support.waiting import started, until

NAMES = [f"US-00{number}" for number in range(1, 6)]


def work(name: str, *more: object) -> list[object]:
    return [[*more, {"write": f"{name}.txt", "text": "x\n"}]]


def make(tmp_path: Path, names: list[str] = NAMES[:1], *more: object, **fields: object) -> Project:
    stories = [story(name, f"test -f {name}.txt") for name in names]
    script = {"stories": {name: work(name, *more) for name in names}}
    return make_project(tmp_path, stories, script, **{"branchName": "ralph/night", **fields})  # type: ignore[arg-type]


def place(project: Project, number: int = 1) -> Path:
    return project.root.with_name("repo-prd-ralph") / f"ralph-{number}"


def landed(project: Project, branch: str = "ralph/night") -> list[str]:
    told = project.git("log", "--reverse", "--format=%(trailers:key=Prd-Ralph-Story,valueonly,separator=%x2C)", branch)
    return [line for line in told.splitlines() if line]


def where(done: Done) -> str:
    return str(done.of("run_started")[0]["worktree"])


def test_a_person_goes_on_in_their_checkout_while_five_stories_land(tmp_path: Path) -> None:
    root = shlex.quote(str(tmp_path / "repo"))
    hand = f"cd {root} && echo $PRD_RALPH_STORY_ID >> mine.txt && git add mine.txt && git commit -qm mine"
    edits = f"cd {root} && echo edited >> README.md && echo new > new-$PRD_RALPH_STORY_ID && git add new-US-001"
    project = make(tmp_path, NAMES, {"print": "at work"})
    before = project.git("symbolic-ref", "HEAD")
    done = project.run("--worktree", PRD_RALPH_ON_LAND=f"({hand}) && ({edits})")
    assert stopped(done) == ("complete", 0), done.err
    assert landed(project) == NAMES
    assert project.git("symbolic-ref", "HEAD") == before
    assert (project.root / "mine.txt").read_text().split() == NAMES
    assert (project.root / "README.md").read_text() == "hello\n" + "edited\n" * 5
    assert project.git("log", "--format=%s").split("\n").count("mine") == 5
    assert {f"new-{name}" for name in NAMES} <= {path.name for path in project.root.iterdir()}
    assert project.passes() == dict.fromkeys(NAMES, False)
    assert done.of("tampered") == []


def test_a_person_commits_while_the_agent_works(tmp_path: Path) -> None:
    hand = f"cd {shlex.quote(str(tmp_path / 'repo'))} && echo x > mine.txt && git add mine.txt && git commit -qm mine"
    person = dict.fromkeys(("GIT_COMMITTER_NAME", "GIT_AUTHOR_NAME"), "Ada")
    person |= dict.fromkeys(("GIT_COMMITTER_EMAIL", "GIT_AUTHOR_EMAIL"), "ada@example.org")
    line = f"env {' '.join(f'{key}={value}' for key, value in person.items())} sh -c {shlex.quote(hand)}"
    project = make(tmp_path, NAMES[:2], {"run": f"test -f {tmp_path}/repo/mine.txt || {line}"})
    done = project.run("--worktree")
    assert stopped(done) == ("complete", 0), done.err
    assert project.git("log", "-1", "--format=%s") == "mine"
    assert landed(project) == NAMES[:2]
    assert project.git("status", "--porcelain") == ""


def test_prd_json_that_is_not_committed_is_what_the_run_works_with(tmp_path: Path) -> None:
    project = make(tmp_path, commit_prd=False)
    before = (project.snapshot(), project.git("status", "--porcelain"))
    done = project.run("--worktree")
    assert stopped(done) == ("complete", 0), done.err
    assert (project.snapshot(), project.git("status", "--porcelain")) == before
    shown = project.git("show", "ralph/night:prd.json")
    assert shown == project.prd_path.read_text().replace('"passes": false', '"passes": true').rstrip("\n")


def test_setup_runs_there_and_the_closing_lines_say_where(tmp_path: Path) -> None:
    project = make(tmp_path, setup=["echo $PWD > ../set-up"])
    done = project.run("--worktree")
    assert where(done) == str(place(project))
    assert (place(project).parent / "set-up").read_text().strip() == str(place(project))
    assert f"work tree: {place(project)}" in done.err
    assert "merge: git merge ralph/night" in done.err
    assert f" · complete · branch ralph/night · in {place(project)}\n" in project("status").out
    assert "..ralph/night" in done.err.splitlines()[-1]
    project.git("merge", "-q", "ralph/night")
    assert project.landings() == NAMES[:1]


def test_a_work_tree_is_used_again_and_one_with_work_in_it_is_not(tmp_path: Path) -> None:
    project = make(tmp_path)
    assert project.run("--worktree").code == 0
    prd = project.prd_path.read_text()
    project.prd_path.write_text(prd.replace("ralph/night", "ralph/second"))
    assert where(project.run("--worktree")) == str(place(project))
    (place(project) / "README.md").write_text("somebody's\n")
    project.prd_path.write_text(prd.replace("ralph/night", "ralph/third"))
    assert where(project.run("--worktree")) == str(place(project, 2))
    assert (place(project) / "README.md").read_text() == "somebody's\n"


@pytest.mark.parametrize("locked", [False, True])
def test_one_that_was_deleted_is_made_anew_unless_it_is_locked(tmp_path: Path, locked: bool) -> None:
    project = make(tmp_path)
    assert project.run("--worktree").code == 0
    if locked:
        project.git("worktree", "lock", str(place(project)))
    place(project).rename(tmp_path / "away")
    prd = project.prd_path.read_text()
    project.prd_path.write_text(prd.replace("ralph/night", "ralph/second"))
    done = project.run("--worktree")
    assert stopped(done) == ("complete", 0), done.err
    assert where(done) == str(place(project, 2 if locked else 1))
    assert ("is locked" if locked else "was deleted: made anew") in done.err


def test_what_a_stopped_run_left_is_taken_up_in_its_work_tree(tmp_path: Path) -> None:
    project = make(tmp_path)
    path = Path(project.env["PRD_RALPH_SCRIPT"])
    good = path.read_text()
    path.write_text(good.replace("US-001.txt", "half.txt"))
    assert project.run("--worktree", "--max-iterations", "1").code == 1
    assert (place(project) / "half.txt").is_file()
    path.write_text(good)
    done = project.run("--worktree")
    assert (stopped(done), where(done)) == (("complete", 0), str(place(project)))
    assert "half.txt" in project.git("ls-tree", "--name-only", "ralph/night").split()


def test_the_settings_are_those_of_where_it_was_started(tmp_path: Path) -> None:
    project = make(tmp_path)
    (project.root / "prd-ralph.toml").write_text("max_attempts = 7\n")
    assert project.run("--worktree").of("run_started")[0]["limits"]["attempts"] == 7


def test_without_a_branch_of_its_own_it_is_refused(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.git("switch", "-q", "-c", "ralph/night")
    done = project.run("--worktree")
    assert (done.code, done.out) == (3, "")
    assert "the branch ralph/night is checked out here" in done.err
    assert "hint: git switch to another branch" in done.err
    project.prd_path.write_text(project.prd_path.read_text().replace("branchName", "other"))
    assert 'add "branchName" to prd.json' in project.run("--worktree").err
    assert not place(project).exists()


def test_a_template_of_the_persons_that_git_does_not_have_counts_too(tmp_path: Path) -> None:
    project = make(tmp_path, NAMES[:1], {"expect": "by my own template"})
    assert project("init", "--templates").code == 0
    template = next((project.root / ".prd-ralph/templates").glob("prompt*"))
    template.write_text("by my own template\n" + template.read_text())
    assert stopped(project.run("--worktree")) == ("complete", 0)


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    project = make(tmp_path)
    project.git("update-ref", "-d", "HEAD")
    project.git("rm", "-q", "-r", "--cached", ".")
    done = project.run("--worktree")
    assert done.code == 3
    assert "--worktree begins at a commit" in done.err


def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    project = make(tmp_path)
    place(project).parent.write_text("in the way")
    done = project.run("--worktree")
    assert done.code == 3
    assert "no work tree can be made at" in done.err


def test_status_and_stop_find_the_run_from_the_persons_work_tree(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project = make(tmp_path, NAMES[:2], {"run": f"until test -e {gate}; do sleep 0.05; done"})
    assert project("stop").code == 1
    with started(project, "run", "--worktree", "--json") as run:
        until(lambda: f"in {place(project)}: US-001 attempt 1" in project("status").out, "the run")
        with started(project, "watch") as onlooker:
            assert "asked the run (pid" in project("stop").err
            gate.touch()
            assert "US-001" in onlooker.communicate(timeout=60)[0]
        out, _ = run.communicate(timeout=60)
    assert '"stop": "stop_requested"' in out
    assert landed(project) == ["US-001"]


def renamed(project: Project, branch: str) -> None:
    project.prd_path.write_text(project.prd_path.read_text().replace("ralph/night", branch))


def test_a_work_tree_of_the_persons_beside_the_pools_is_left_alone(tmp_path: Path) -> None:
    project = make(tmp_path)
    mine = place(project).with_name("mine")
    project.git("worktree", "add", "-q", "-b", "feature", str(mine))
    assert where(project.run("--worktree")) == str(place(project))
    assert git(mine, "symbolic-ref", "--short", "HEAD") == "feature"


@pytest.mark.parametrize("work", ["a commit", "a rebase"])
def test_what_only_a_work_tree_holds_is_not_left_behind(tmp_path: Path, work: str) -> None:
    project = make(tmp_path)
    assert project.run("--worktree").code == 0
    theirs = place(project)
    git(theirs, "checkout", "-q", "--detach")
    if work == "a commit":
        git(theirs, "commit", "-q", "--allow-empty", "-m", "by hand")
    else:
        git(theirs, "-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~1")
    before = git(theirs, "rev-parse", "HEAD")
    renamed(project, "ralph/second")
    assert where(project.run("--worktree")) == str(place(project, 2))
    assert git(theirs, "rev-parse", "HEAD") == before


def test_two_runs_that_start_at_once_do_not_choose_the_same(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project = make(tmp_path, NAMES[:1], {"run": f"until test -e {gate}; do sleep 0.05; done"})
    gate.touch()
    assert project.run("--worktree").code == 0  # a place that both could take
    gate.unlink()
    prds = []
    for name in ("one", "two"):
        prds.append(project.root / name / "prd.json")
        prds[-1].parent.mkdir()
        prds[-1].write_text(project.prd_path.read_text().replace("ralph/night", f"ralph/{name}"))
    first, second = (["run", "--worktree", "--json", "--prd", str(path)] for path in prds)
    with started(project, *first) as one, started(project, *second) as two:
        until(lambda: place(project, 2).exists(), "the second place")
        gate.touch()
        told = [run.communicate(timeout=60)[0] for run in (one, two)]
    assert ['"stop": "complete"' in each for each in told] == [True, True], told
    assert (landed(project, "ralph/one"), landed(project, "ralph/two")) == (["US-001"], ["US-001"])


def test_a_second_run_on_the_branch_is_refused_and_makes_no_place(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project = make(tmp_path, NAMES[:1], {"run": f"until test -e {gate}; do sleep 0.05; done"})
    with started(project, "run", "--worktree", "--json") as run:
        until(lambda: f"in {place(project)}: US-001 attempt 1" in project("status").out, "the run")
        done = project.run("--worktree")
        gate.touch()
        run.communicate(timeout=60)
    assert done.code == 3
    assert f"a run is at work on ralph/night, in {place(project)}" in done.err
    assert not place(project, 2).exists()


def test_stop_ends_the_run_of_this_work_tree_and_no_other(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project = make(tmp_path, NAMES[:2], {"run": f"until test -e {gate}; do sleep 0.05; done"})
    with started(project, "run", "--worktree", "--json") as away:
        until(lambda: f"in {place(project)}: US-001 attempt 1" in project("status").out, "the run")
        renamed(project, "ralph/here")
        with started(project, "run", "--json") as here:
            until(lambda: "US-001 attempt 1, for" in project("status").out, "the run here")
            until(lambda: project.git("branch", "--list", "ralph/here") != "", "its branch")
            assert project("stop").code == 0
            gate.touch()
            assert '"stop": "stop_requested"' in here.communicate(timeout=60)[0]
            assert '"stop": "complete"' in away.communicate(timeout=60)[0]


def test_what_was_added_where_it_was_started_is_in_its_prompt(tmp_path: Path) -> None:
    project = make(tmp_path, NAMES[:1], {"expect": "use the fixtures"})
    assert project("add-context", "use the fixtures").code == 0
    assert stopped(project.run("--worktree")) == ("complete", 0)
    assert project("add-context", "--list").out == ""


def test_what_is_added_while_it_goes_on_elsewhere_reaches_it_or_comes_back(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project = make(tmp_path, NAMES[:2], {"run": f"until test -e {gate}; do sleep 0.05; done"})
    with started(project, "run", "--worktree", "--once", "--json") as run:
        until(lambda: f"in {place(project)}: US-001 attempt 1" in project("status").out, "the run")
        assert "of the run that goes on" in project("add-context", "use the fixtures").err
        assert project("add-context", "--list").out == "use the fixtures\n"
        gate.touch()
        run.communicate(timeout=60)
    assert project("add-context", "--list").out == "use the fixtures\n"
    done = project.run("--worktree")
    assert "context added by you: use the fixtures" in done.err


def test_templates_of_the_persons_do_not_use_a_place_up_and_edited_ones_are_named(tmp_path: Path) -> None:
    project = make(tmp_path)
    assert project("init", "--templates").code == 0
    assert project.run("--worktree").code == 0
    template = place(project) / ".prd-ralph/templates/prompt.md.j2"
    template.write_text("edited there\n" + template.read_text())
    renamed(project, "ralph/second")
    done = project.run("--worktree")
    assert (stopped(done), where(done)) == (("complete", 0), str(place(project)))
    assert f"warning: {template} is not as yours" in done.err
    assert template.read_text().startswith("edited there")


def test_a_story_that_only_the_persons_prd_json_has_is_named(tmp_path: Path) -> None:
    project = make(tmp_path, NAMES[:2])
    assert project.run("--worktree", "--only", "US-001").code == 0
    project.prd_path.write_text(project.prd_path.read_text().replace("US-002", "US-009"))
    done = project.run("--worktree")
    assert f"has not US-009: add them to {place(project)}/prd.json" in done.err


def test_no_copy_is_made_through_a_link_that_an_agent_left(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project = make(tmp_path, NAMES[:1], {"run": f"ln -s {outside} .prd-ralph"})
    project.run("--worktree", "--max-iterations", "1")
    assert (place(project) / ".prd-ralph").is_symlink()
    assert project("init", "--templates").code == 0
    project.run("--worktree", "--max-iterations", "1")
    assert list(outside.rglob("*")) == []


def test_a_run_chooses_its_work_tree_when_no_other_one_is_choosing(tmp_path: Path) -> None:
    project = make(tmp_path)
    opened = open_project({"worktree": True}, project.root, project.environment())
    order: list[str] = []

    def choose() -> None:
        with choosing(opened):
            order.append("second")

    second = threading.Thread(target=choose)
    with choosing(opened):
        second.start()
        second.join(0.3)
        order.append("first")
    second.join(60)
    assert order == ["first", "second"]
