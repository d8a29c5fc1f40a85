"""The main job, plain: stories pass one after another, one commit each."""

from pathlib import Path

from tests.support.project import make_project, story


def test_each_story_lands_by_one_commit_that_flips_one_line(tmp_path: Path) -> None:
    script = {"stories": {name: [[{"write": f"{name}.txt", "text": "x\n"}]] for name in ("US-001", "US-002")}}
    project = make_project(
        tmp_path,
        [
            story("US-002", "test -f US-002.txt", dependsOn=["US-001"], priority=1),
            story("US-001", "test -f US-001.txt"),
        ],
        script,
    )
    done = project.run()
    assert done.code == 0
    assert project.passes() == {"US-001": True, "US-002": True}
    assert project.landings() == ["US-001", "US-002"]
    for commit in project.git("log", "--format=%h", "--grep=^Prd-Ralph-Story").splitlines():
        assert project.git("show", "--numstat", "--format=", commit, "--", "prd.json") == "1\t1\tprd.json"
    assert done.of("run_finished")[0]["stop"] == "complete"
    assert project.git("status", "--porcelain") == ""


def test_a_run_over_a_finished_prd_starts_no_agent(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true", passes=True)])
    done = project.run()
    assert done.code == 0
    assert done.of("agent_started") == []
