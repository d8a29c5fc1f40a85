"""Red before green: what a story's commands say before an agent has worked, and what becomes of it."""

from pathlib import Path
from typing import Any

import pytest

from tests.run.told import end, last, outcomes, starts, stopped
from tests.support.project import Project, make_project, story

FIX: dict[str, Any] = {"write": "feature.txt", "text": "done\n"}
LOOK = "test -f feature.txt"
BARE = {"id": "US-001", "title": "Without a command of its own", "passes": False}


def proofs(project: Project) -> dict[str, str]:
    """What each landing's trailers say it is worth."""
    told = project.git(
        "log", "--format=%(trailers:key=Prd-Ralph-Story,valueonly)%(trailers:key=Prd-Ralph-Proof,valueonly)"
    )
    lines = [line for line in told.splitlines() if line]
    return dict(zip(lines[::2], lines[1::2], strict=True))


def test_red_before_and_green_after_is_proved(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", LOOK)], {"default": [FIX]})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    (baseline,) = done.of("baseline_finished")
    assert baseline["red"] == [LOOK]
    assert baseline["checks"] == [{"name": LOOK, "own": True, "status": "failed", "exit_code": 1}]
    assert last(done, "judged")["US-001"]["proof"] == "proved"
    assert proofs(project) == {"US-001": "proved"}
    assert '"proof": "proved"' in project("status", "--json").out


def test_green_before_is_unproven_and_said(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true")], {"default": [FIX]})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert "every command is green before an agent has worked" in done.err
    assert proofs(project) == {"US-001": "unproven"}
    assert end(done)["stories"][0]["proof"] == "unproven"


def test_one_red_command_is_enough(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true", LOOK)], {"default": [FIX]})
    project.run()
    assert proofs(project) == {"US-001": "proved"}


def test_without_a_look_nothing_is_proved(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", LOOK)], {"default": [FIX]})
    done = project.run("--baseline", "off")
    assert done.of("baseline_finished") == []
    assert proofs(project) == {"US-001": "unproven"}


def test_skip_flips_a_story_that_is_done_without_an_agent(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f README.md"), story("US-002", LOOK)]
    project = make_project(tmp_path, stories, {"default": [FIX]})
    done = project.run("--baseline", "skip")
    assert stopped(done) == ("complete", 0)
    assert starts(done) == ["US-002"]
    assert project.passes() == {"US-001": True, "US-002": True}
    assert proofs(project) == {"US-001": "unproven", "US-002": "proved"}
    assert "Prd-Ralph-Agent: none" in project.git("log", "--format=%B", "--grep=US-001 -")
    assert end(done)["iterations"] == 1


def test_skip_needs_a_command_of_the_storys_own(tmp_path: Path) -> None:
    project = make_project(tmp_path, [BARE], {"default": [FIX]}, verificationCommands=["true"])
    assert starts(project.run("--baseline", "skip")) == ["US-001"]


def test_strict_blocks_a_story_that_is_green_before_an_agent_is_paid(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true"), story("US-002", LOOK)], {"default": [FIX]})
    done = project.run("--strict")
    assert stopped(done) == ("blocked", 1)
    assert starts(done) == ["US-002"]
    assert project.passes() == {"US-001": False, "US-002": True}
    (first, _) = end(done)["stories"]
    assert (first["state"], "add one that is red" in first["reason"]) == ("blocked", True)


def test_strict_without_a_baseline_is_refused(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", LOOK)], {"default": [FIX]})
    done = project.run("--strict", "--baseline", "off")
    assert (done.code, done.out) == (2, "")
    assert "--strict refuses every pass where --baseline is off" in done.err


def test_an_agent_that_does_nothing_where_all_was_green_is_told_why(tmp_path: Path) -> None:
    project = make_project(tmp_path, [BARE], {"default": []}, verificationCommands=["true"])
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == {"US-001": "no_change"}
    assert project.passes() == {"US-001": False}
    assert "they prove nothing of this story" in done.err


def test_failures_older_than_the_run_are_named(tmp_path: Path) -> None:  # C034
    broken = "echo 'FAILED test_old.py::test_it in 3s'; exit 1"
    script = {"default": [FIX]}
    project = make_project(tmp_path, [story("US-001", LOOK)], script, verificationCommands=[broken])
    done = project.run("--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    assert "US-001 before: 2 of 2 commands red" in done.err
    assert "failing as before the run: echo 'FAILED" in done.err
    assert LOOK not in end(done)["stories"][0]["reason"]


def test_what_a_baseline_leaves_behind_is_nobodys(tmp_path: Path) -> None:
    leave = f"echo x >> README.md; echo x > build.out; sed -i.bak s/false/true/ prd.json; rm prd.json.bak; {LOOK}"
    project = make_project(tmp_path, [story("US-001", leave)], {"default": [FIX, {"run": "cat README.md"}]})
    before = project.prd_path.read_bytes()
    project.run("--once")
    assert project.git("show", "--format=", "--name-only", "HEAD").split() == [
        "feature.txt",
        "prd.json",
        "progress.txt",
    ]
    assert project.prd_path.read_bytes() == before.replace(b'"passes": false', b'"passes": true')
    assert project.git("status", "--porcelain") == "?? build.out"


def test_a_command_that_is_known_of_this_tree_does_not_run_again(tmp_path: Path) -> None:
    count = f"echo run >> {tmp_path}/runs"
    stories = [story(f"US-00{number}", f"test -f {number}.txt") for number in (1, 2)]
    script = {"stories": {f"US-00{number}": [[{"write": f"{number}.txt", "text": "x"}]] for number in (1, 2)}}
    project = make_project(tmp_path, stories, script, verificationCommands=[count])
    assert project.run().code == 0
    # The first baseline and two verdicts: the second baseline meets the tree of the first verdict, the end the last.
    assert (tmp_path / "runs").read_text().count("run") == 3


@pytest.mark.parametrize("when", ["always", "land"])
def test_commands_that_are_kept_for_landings_run_last_and_only_then(tmp_path: Path, when: str) -> None:
    land = {"run": f"echo land >> {tmp_path}/runs", "when": when}
    script = {"stories": {"US-001": [[{"write": "feature.txt", "text": "x"}, {"run": "rm feature.txt"}], [FIX]]}}
    project = make_project(tmp_path, [story("US-001", land, LOOK)], script)
    assert project.run().code == 0
    # As any other: baseline, two attempts; the end knows this tree.
    assert (tmp_path / "runs").read_text().count("land") == (1 if when == "land" else 3)


def test_a_story_that_has_commands_for_landings_alone_is_judged_by_them(tmp_path: Path) -> None:
    land = {"run": f"echo run >> {tmp_path}/runs; {LOOK}", "when": "land"}
    project = make_project(tmp_path, [story("US-001", land)], {"stories": {"US-001": [[], [FIX]]}})
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert done.of("baseline_finished") == []
    assert [event["outcome"] for event in done.of("judged")] == ["no_change", "passed"]
    assert (tmp_path / "runs").read_text().count("run") == 2
    assert proofs(project) == {"US-001": "unproven"}
    assert LOOK in project("show", "US-001", "1", "--checks").out


def test_a_story_that_turns_red_before_it_is_skipped_is_worked_on(tmp_path: Path) -> None:
    flaky = f"test -f feature.txt || {{ test ! -f {tmp_path}/once && touch {tmp_path}/once; }}"
    project = make_project(tmp_path, [story("US-001", flaky)], {"default": [FIX]})
    done = project.run("--baseline", "skip")
    first = done.of("judged")[0]
    assert (first["outcome"], first["reason"]) == ("interrupted", "no agent has worked on it")
    assert not first["charged"]
    assert stopped(done) == ("complete", 0)
