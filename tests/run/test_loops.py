"""Runs whose agent makes the same call again and again, or does not end."""

from pathlib import Path
from typing import Any

import pytest

from tests.run.test_agents import run, with_agent
from tests.run.told import outcomes, stopped
from tests.support.project import Done, Project, make_project, story

TEST = {"tool": "Bash", "input": {"command": "npm test"}}
READ = {"tool": "Read", "input": {"file_path": "a.py"}}
EDIT = {"tool": "Edit", "input": {"file_path": "a.py", "old_string": "a", "new_string": "b"}}
WORK = {"write": "hello.txt", "text": "hello\n"}
FOREVER = {"sleep": 9999}
ONCE = ("--max-attempts", "1")


def with_steps(tmp_path: Path, *attempts: list[dict[str, Any]]) -> Project:
    """US-001 wants hello.txt."""
    script = {"stories": {"US-001": [list(steps) for steps in attempts]}}
    return make_project(tmp_path, [story("US-001", "test -f hello.txt")], script)


def repeated(done: Done) -> list[tuple[int, bool]]:
    return [(event["times"], event["ended"]) for event in done.of("repeated")]


def test_the_same_call_again_and_again_is_named_then_ended(tmp_path: Path) -> None:
    project = with_steps(tmp_path, [*[TEST, READ] * 6, FOREVER])
    done = project.run(*ONCE)
    assert repeated(done) == [(3, False), (6, True)]
    assert {event["signature"] for event in done.of("repeated")} == {'Bash {"command": "npm test"}'}
    [ended], [judged] = done.of("agent_finished"), done.of("judged")
    assert (ended["end"], ended["tail"]) == ("cut", "ended: the same call 6 times in a row: Bash: npm test")
    assert (judged["outcome"], judged["reason"], judged["charged"]) == ("agent_error", "loop", True)
    assert stopped(done) == ("exhausted", 1)
    assert "the same call 3 times in a row: Bash: npm test" in done.err
    assert "ended: the same call 6 times in a row: Bash: npm test" in done.err
    assert len(done.of("check_finished")) == 1, "the commands run all the same"


def test_the_next_prompt_says_why_it_was_ended(tmp_path: Path) -> None:
    project = with_steps(tmp_path, [*[TEST] * 6, FOREVER], [{"save-prompt": "prompt.txt"}, WORK])
    done = project.run("--max-attempts", "2")
    assert outcomes(done) == {"US-001": "passed"}
    prompt = (project.root / "prompt.txt").read_text()
    assert "it was ended, for it went round in circles (loop)" in prompt
    assert "ended: the same call 6 times in a row: Bash: npm test" in prompt


def test_one_that_was_ended_has_passed_where_its_commands_do(tmp_path: Path) -> None:
    project = with_steps(tmp_path, [WORK, *[TEST] * 6, FOREVER])
    done = project.run()
    [judged] = done.of("judged")
    assert (judged["outcome"], project.passes()) == ("passed", {"US-001": True})
    assert judged["warnings"] == ["the agent ended with a loop, yet every command passes"]


def test_many_that_are_ended_are_no_agent_that_cannot_start(tmp_path: Path) -> None:
    done = with_steps(tmp_path, [*[TEST] * 6, FOREVER]).run("--max-attempts", "4", PRD_RALPH_STALL_AFTER="9")
    assert stopped(done) == ("exhausted", 1)
    assert len(done.of("agent_started")) == 4


@pytest.mark.parametrize(
    "steps",
    [
        [TEST, TEST, EDIT] * 8,
        [READ] * 20,
        [{"tool": "Bash", "input": {"command": "sleep 1; gh run view 5"}}] * 20,
        [{"tool": "Bash"}] * 20,
        [{"tool": "Bash", "input": {"command": f"{'set -e;' * 50} make {n}"}} for n in range(20)],
    ],
    ids=["edits between", "reads", "polls", "no input", "long scripts"],
)
def test_work_that_goes_on_is_left_alone(tmp_path: Path, steps: list[dict[str, Any]]) -> None:
    done = with_steps(tmp_path, [*steps, WORK]).run()
    assert (repeated(done), stopped(done)) == ([], ("complete", 0))


def test_the_counts_are_the_persons_to_set(tmp_path: Path) -> None:
    project = with_steps(tmp_path, [*[TEST] * 9, WORK])
    done = project.run(PRD_RALPH_LOOP_WARN="0", PRD_RALPH_LOOP_END="0")
    assert (repeated(done), stopped(done)) == ([], ("complete", 0))
    again = with_steps(tmp_path / "again", [*[TEST] * 3, FOREVER])
    assert repeated(again.run(*ONCE, PRD_RALPH_LOOP_WARN="2", PRD_RALPH_LOOP_END="3")) == [(2, False), (3, True)]


def test_a_story_stays_ended_without_a_result_of_the_agents(tmp_path: Path) -> None:
    """The agents that speak no protocol have the wall limit alone; their work counts all the same."""  # C082
    project = make_project(tmp_path, [story("US-001", "test -f hello.txt")])
    line = "sh -c 'cat >/dev/null; echo hello > hello.txt; echo done; sleep 99999'"
    done = project.run("--agent-command", line, "--timeout", "2s")
    assert done.of("agent_finished")[0]["end"] == "wall"
    assert (outcomes(done), project.passes()) == ({"US-001": "passed"}, {"US-001": True})


def test_an_agent_that_stays_after_its_result_is_ended_without_blame(tmp_path: Path) -> None:  # C082
    project = with_agent(tmp_path, "claude", "ok-stream-stdin", "echo hello > hello.txt; sleep 99999")
    done = run(project, "-v")
    [ended], [judged] = done.of("agent_finished"), done.of("judged")
    assert (ended["end"], ended["failure"], ended["cost_usd"]) == ("lingered", None, 0.012512)
    assert 15 <= ended["duration_s"] < 60
    assert (judged["outcome"], judged["warnings"], stopped(done)) == ("passed", [], ("complete", 0))
    assert "agent: ended 15s after its result" in done.err
