"""`clean` ends what is kept of old runs, and of nothing else."""

import json
import os
from pathlib import Path

from tests.support.project import Project, make_project, story
from tests.support.waiting import PATIENCE_S, pids_in, started

FAILS = [[{"write": "a.txt", "text": "x\n"}]]


def made(folder: Path, runs: int) -> tuple[Project, list[str]]:
    """A project with so many runs, of one failed attempt each; their ids, the oldest first."""
    stories = [story("US-001", "test -f right.txt"), story("ü/2", "test -f two.txt", skip=True)]
    project = make_project(folder, stories, {"default": FAILS[0]})
    ids = [project.run("--max-attempts", "1").of("run_started")[0]["run"] for _ in range(runs)]
    return project, ids


def refs(project: Project) -> list[str]:
    return project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph").splitlines()


def kept_runs(project: Project) -> set[str]:
    return {ref.split("/")[2] for ref in refs(project)} - {"cleaned"}


def folders(project: Project) -> set[str]:
    return {path.name for path in (project.root / ".git/prd-ralph/runs").iterdir()}


def newest(project: Project, count: int) -> set[str]:
    """Runs of one second are ordered by their ids."""
    return set(sorted(folders(project))[-count:])


def test_the_newest_stay_and_what_goes_is_told(tmp_path: Path) -> None:
    project, ids = made(tmp_path, 4)
    stay = newest(project, 2)
    before = (refs(project), folders(project))
    listed = project("clean", "--keep", "2", "--dry-run")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()] == sorted(set(ids) - stay, reverse=True)
    assert "1 attempt" in listed.out
    assert (refs(project), folders(project)) == before
    done = project("clean", "--keep", "2")
    assert done.code == 0, done.err
    assert done.err.startswith("ended 2 runs: 2 refs, ")
    assert "KiB freed" in done.err
    assert kept_runs(project) == folders(project) == stay
    assert project("clean").err == "ended 0 runs: 0 refs, 0 B freed\n"


def test_numbers_go_on_when_all_is_gone(tmp_path: Path) -> None:
    project, _ = made(tmp_path, 2)
    project.git("pack-refs", "--all")
    assert project("clean", "--keep", "0").code == 0
    assert kept_runs(project) == folders(project) == set()
    assert project("restore", "US-001").code == 2
    done = project.run("--max-attempts", "1")
    assert [event["attempt"] for event in done.of("judged")] == [3]
    assert project("clean", "--keep", "0").code == 0
    assert refs(project) == ["refs/prd-ralph/cleaned/US-001/3"]
    assert json.loads(project("status", "--json").out)["stories"][0]["attempts"] == 3
    project.git("fsck", "--strict")


def test_a_number_that_a_newer_run_holds_needs_no_other_record(tmp_path: Path) -> None:
    project, _ = made(tmp_path, 1)
    project("clean", "--keep", "0")
    project.run("--max-attempts", "1")
    project.run("--max-attempts", "1")
    project("clean", "--keep", "1")
    assert {ref.split("/")[2] for ref in refs(project)} == newest(project, 1)
    assert project.run("--max-attempts", "1").of("judged")[0]["attempt"] == 4


def test_a_run_of_which_something_lies_in_a_tree_stays(tmp_path: Path) -> None:
    project, _ = made(tmp_path, 1)
    lying = project.run("--once").of("run_started")[0]["run"]
    project.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "beside"), "HEAD")
    beside = Project(tmp_path / "beside", project.env)
    there = beside("run", "--json", "--once", "--max-attempts", "3").of("run_started")[0]["run"]
    for place in (project, beside):
        assert place("clean", "--keep", "0").code == 0
        assert kept_runs(project) == folders(project) == {lying, there}
    assert project.run("--max-attempts", "2").of("judged")[-1]["attempt"] >= 3


def test_a_run_in_another_work_tree_is_not_disturbed(tmp_path: Path) -> None:
    project, _ = made(tmp_path, 1)
    project.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "be.side"), "HEAD")
    beside = Project(tmp_path / "be.side", {})
    agent = tmp_path / "agent.sh"
    agent.write_text(f"cat > /dev/null; echo $$ >> {tmp_path}/pids; cat {tmp_path}/fifo\n")
    os.mkfifo(tmp_path / "fifo")
    with started(beside, "run", "--once", "--agent-command", f"sh {agent}") as run:
        pids_in(tmp_path / "pids")
        before = (refs(project), folders(project))
        refused = project("clean", "--keep", "0")
        assert refused.code == 3
        assert "a run is at work in the work tree be.side" in refused.err
        assert (refs(project), folders(project)) == before
        (tmp_path / "fifo").write_text("go on\n")
        run.communicate(timeout=PATIENCE_S)


def test_a_record_that_is_none_of_ours_names_no_run(tmp_path: Path) -> None:
    project, _ = made(tmp_path, 1)
    project.git("update-ref", "refs/worktree/prd-ralph/current", "HEAD")
    assert project("clean", "--keep", "0").err.startswith("ended 1 run: 1 ref, ")


def test_a_folder_that_is_gone_and_one_without_refs(tmp_path: Path) -> None:
    project, [run] = made(tmp_path, 1)
    project.git("update-ref", "-d", f"refs/prd-ralph/{run}/US-001/1")
    project.git("update-ref", "refs/prd-ralph/20200101T000000Z-aaaa/US-001/7", "HEAD")
    listed = project("clean", "--keep", "0", "--dry-run").out.splitlines()
    assert [line.split()[:3] for line in listed] == [[run, "0", "attempts"], ["20200101T000000Z-aaaa", "1", "attempt"]]
    assert project("clean", "--keep", "0").code == 0
    assert refs(project) == ["refs/prd-ralph/cleaned/US-001/7"]
