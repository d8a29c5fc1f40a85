"""What passed before still has to: before each landing, and all of it at the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import end, last, outcomes, starts, stopped
from tests.support.project import Project, make_project, story

OFF = {"PRD_RALPH_REGRESSIONS": "off"}


def write(path: str, text: str = "x") -> dict[str, Any]:
    return {"write": path, "text": text}


def breaking(tmp_path: Path, *more: dict[str, Any], **fields: Any) -> Project:
    """US-002's first attempt breaks US-001's command; `more` is its second."""
    stories = [story("US-001", "grep -q one a.txt"), story("US-002", "test -f two.txt", **fields)]
    second = [[write("two.txt"), write("a.txt", "two\n")], [write("two.txt"), *more]]
    script = {"stories": {"US-001": [[write("a.txt", "one\n")]], "US-002": second}}
    return make_project(tmp_path, stories, script)


def test_what_breaks_an_earlier_story_does_not_land_and_is_told(tmp_path: Path) -> None:
    project = breaking(tmp_path, write("a.txt", "one and two\n"), {"save-prompt": "../prompt.md"})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    first = next(event for event in done.of("judged") if event["story"] == "US-002")
    assert (first["outcome"], first["reason"], first["charged"]) == ("failed", "regression", True)
    (broken,) = [event for event in done.of("check_finished") if event["stories"] and event["status"] == "failed"]
    assert (broken["story"], broken["stories"], broken["name"]) == ("US-002", ["US-001"], "grep -q one a.txt")
    prompt = (tmp_path / "prompt.md").read_text()
    assert "grep -q one a.txt" in prompt
    assert "(a command of US-001, which passed before the work on US-002)" in prompt
    assert project.landings() == ["US-001", "US-002"]
    assert "US-002 attempt 1: failed (regression)" in (project.root / "progress.txt").read_text()


def test_a_story_that_replaces_another_may_break_it(tmp_path: Path) -> None:
    project = breaking(tmp_path, supersedes=["US-001"])
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert outcomes(done) == {"US-001": "passed", "US-002": "passed"}
    assert len(done.of("agent_started")) == 2
    assert project.passes() == {"US-001": True, "US-002": True}


def test_off_looks_neither_before_a_landing_nor_at_the_end(tmp_path: Path) -> None:
    project = breaking(tmp_path)
    assert stopped(project.run(**OFF)) == ("complete", 0)
    assert project.passes() == {"US-001": True, "US-002": True}


def test_forty_stories_with_three_commands_cost_three_runs(tmp_path: Path) -> None:
    commands = [f"echo {number} >> {tmp_path}/runs" for number in range(3)]
    true = [story(f"US-{number:03}", commands[number % 3], passes=True) for number in range(1, 41)]
    project = make_project(tmp_path, [*true, story("US-041", "test -f new.txt")], {"default": [write("new.txt")]})
    assert stopped(project.run()) == ("complete", 0)
    assert sorted((tmp_path / "runs").read_text().split()) == ["0", "1", "2"]


def test_only_what_was_green_on_base_counts_against_a_landing(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f never.txt", passes=True), story("US-002", "test -f two.txt")]
    project = make_project(tmp_path, stories, {"default": [write("two.txt")]})
    done = project.run()
    assert outcomes(done) == {"US-002": "passed"}
    assert "failed before this attempt already" in done.err
    # It lands; and at the end what is not true is said to be false.
    assert stopped(done) == ("regressed", 1)
    assert project.passes() == {"US-001": False, "US-002": True}
    assert project.git("status", "--porcelain") == ""


def test_the_candidate_lies_in_the_tree_again_after_a_look_at_base(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f kept.txt", passes=True), story("US-002", "test -d new")]
    steps = [write("new/deep.txt"), {"delete": "kept.txt"}, {"delete": "README.md"}, write("README.md", "edited\n")]
    script = {"stories": {"US-002": [steps, [write("kept.txt")]]}}
    project = make_project(tmp_path, stories, script, files={"kept.txt": "kept\n"})
    done = project.run("--max-attempts", "2")
    assert stopped(done) == ("complete", 0)
    assert [event["reason"] for event in done.of("judged")] == ["regression", ""]
    assert (project.root / "README.md").read_text() == "edited\n"
    assert (project.root / "new/deep.txt").read_text() == "x"


def test_a_prd_of_true_stories_starts_no_agent_but_is_verified(tmp_path: Path) -> None:
    stories = [
        story("US-001", "true", passes=True),
        story("US-002", "false", passes=True),
        story("US-003", passes=True),
    ]
    for each in stories[2:]:
        del each["verificationCommands"]
    project = make_project(tmp_path, stories, {"default": []})
    before = project.prd_path.read_bytes()
    done = project.run()
    assert stopped(done) == ("regressed", 1)
    assert starts(done) == []
    (told,) = done.of("regressed")
    assert (told["stories"], told["name"], told["exit_code"], told["landings"]) == (["US-002"], "false", 1, [])
    assert project.passes() == {"US-001": True, "US-002": False, "US-003": True}
    assert project.git("log", "-1", "--format=%s") == "fix: US-002 no longer passes"
    assert project.git("show", "--numstat", "--format=", "HEAD", "--", "prd.json") == "1\t1\tprd.json"
    assert len(project.prd_path.read_bytes()) == len(before) + 1
    assert "US-003: passes, but has no command that could prove it" in done.err


def test_a_landing_that_breaks_what_there_was_no_time_for_is_named_at_the_end(tmp_path: Path) -> None:  # C036
    stories = [story("US-000", "! test -f two.txt", passes=True), story("US-001", "true", passes=True)]
    stories += [story("US-002", "test -f two.txt"), story("US-003", "test -f three.txt")]
    script = {"stories": {"US-002": [[write("two.txt")]], "US-003": [[write("three.txt")]]}}
    project = make_project(tmp_path, stories, script)
    # Time for one command a landing, the newest story's first: US-000's has its turn at the second.
    done = project.run(PRD_RALPH_REGRESSION_TIME="0.000001s")
    assert stopped(done) == ("regressed", 1)
    landed = last(done, "landed")["US-002"]["commit"]
    (told,) = done.of("regressed")
    assert (told["stories"], told["landings"]) == (["US-000"], [f"US-002 {landed[:10]}"])
    assert project.passes() == {"US-000": False, "US-001": True, "US-002": True, "US-003": True}


def test_the_time_is_shared_in_turn(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    true = [story(f"US-{name}", f"echo {name} >> {tmp_path}/runs", passes=True) for name in names]
    new = [story(f"US-{number}", f"test -f {number}.txt") for number in range(3)]
    script = {"stories": {f"US-{number}": [[write(f"{number}.txt")]] for number in range(3)}}
    project = make_project(tmp_path, [*true, *new], script)
    assert stopped(project.run(PRD_RALPH_REGRESSION_TIME="0.000001s")) == ("complete", 0)
    # One a landing: another each time. What did not have its turn on the last tree runs at the end.
    ran = (tmp_path / "runs").read_text().split()
    assert sorted(ran[:3]) == names
    assert sorted(ran[2:]) == names


def test_parallel_commands_run_together(tmp_path: Path) -> None:
    meet = f"touch {tmp_path}/$PRD_RALPH_STORY_ID.up; "
    wait = f"for i in $(seq 100); do test $(ls {tmp_path}/*.up | wc -l) -ge 2 && exit 0; sleep 0.05; done; exit 1"
    check = {"run": meet + wait, "parallel": True}
    project = make_project(
        tmp_path, [story(name, check, passes=True) for name in ("US-001", "US-002")], {"default": []}
    )
    assert stopped(project.run()) == ("complete", 0)


@pytest.mark.parametrize("key", ["supersedes"])
def test_a_replaced_story_is_no_regression_of_a_later_run(tmp_path: Path, key: str) -> None:
    stories = [story("US-001", "false", passes=True), story("US-002", "true", passes=True, **{key: ["US-001"]})]
    project = make_project(tmp_path, stories, {"default": []})
    assert stopped(project.run()) == ("complete", 0)
    assert all(each["passes"] for each in json.loads(project.prd_path.read_text())["userStories"])


def test_a_flag_that_is_no_longer_true_is_attempted_again_by_the_next_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "test -f a.txt", passes=True)], {"default": [write("a.txt")]})
    assert stopped(project.run()) == ("regressed", 1)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert last(done, "judged")["US-001"]["proof"] == "proved"


def test_a_regression_that_is_met_again_on_the_same_tree_is_told_again(tmp_path: Path) -> None:
    stories = [
        story("US-001", f"echo run >> {tmp_path}/runs; test -f a.txt", passes=True),
        story("US-002", "test -f b.txt"),
    ]
    steps = [[write("b.txt"), {"delete": "a.txt"}], [{"save-prompt": "../prompt.md"}]]
    project = make_project(tmp_path, stories, {"stories": {"US-002": steps}}, files={"a.txt": ""})
    done = project.run("--max-attempts", "2")
    assert stopped(done) == ("exhausted", 1)
    broken = [event for event in done.of("check_finished") if event["stories"]]
    assert [(event["attempt"], event["status"]) for event in broken] == [(1, "failed"), (2, "failed")]
    assert (tmp_path / "runs").read_text().count("run") == 2  # on the work and on base, once each
    assert "the pass was refused: regression" in (tmp_path / "prompt.md").read_text()
    assert "(of US-001)" in project("show", "US-002", "2", "--checks").out


def test_a_story_that_is_replaced_is_not_worked_on(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f a.txt"), story("US-002", "true", passes=True, supersedes=["US-001"])]
    project = make_project(tmp_path, stories, {"default": []})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert starts(done) == []
    assert end(done)["stories"][0]["reason"] == "replaced by US-002"


def test_without_regressions_it_is_said_that_nothing_was_verified(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "false", passes=True)], {"default": []})
    done = project.run(**OFF)
    assert stopped(done) == ("complete", 0)
    assert "regressions = off: what passes was not verified at the end" in done.err


def test_what_was_false_when_the_run_began_is_blamed_on_no_landing(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f never.txt", passes=True), story("US-002", "test -f two.txt")]
    project = make_project(tmp_path, stories, {"default": [write("two.txt")]})
    (told,) = project.run().of("regressed")
    assert (told["stories"], told["landings"]) == (["US-001"], [])
