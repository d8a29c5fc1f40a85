"""Every run is bounded, ends for one named reason, and with one documented exit code."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import end, last, outcomes, starts, stopped, tree
from tests.support.project import Project, make_project, story

WORK = {"write": "a.txt", "text": "a\n"}
RED = story("US-001", "false")


def run_shell(project: Project, line: str, *args: str, **env: str) -> Any:
    """A run whose agent is a shell line."""
    agent = project.root.parent / "agent.sh"
    agent.write_text(line + "\n")
    return project.run("--agent-command", f"sh {agent}", *args, **env)


# --- caps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [1, 2, 7])
def test_the_cap_counts_agent_starts_exactly(tmp_path: Path, cap: int) -> None:  # C135
    # Whatever an attempt ends in, charged or not, its start counts.
    endings: list[list[dict[str, Any]]] = [
        [{"print": "?"}],
        [WORK, {"exit": 1}],
        [WORK, {"fail": "context_overflow"}],
        [WORK],
    ]
    project = make_project(tmp_path, [RED], {"stories": {"US-001": [*endings, *endings]}})
    done = project.run("--max-iterations", str(cap), "--max-attempts", "99", PRD_RALPH_STALL_AFTER="99")
    assert stopped(done) == ("iterations", 1)
    assert len(starts(done)) == end(done)["iterations"] == cap
    assert f"[{cap}/{cap}] US-001" in done.err  # C140
    assert project.passes() == {"US-001": False}


def test_without_flags_every_limit_is_finite_and_said(tmp_path: Path) -> None:  # C082 C084 C133
    project = make_project(tmp_path, [RED, story("US-002", "true", passes=True)], {"default": [WORK]})
    done = project.run("--once")
    assert stopped(done) == ("once", 1)
    limits = done.of("run_started")[0]["limits"]
    assert limits == {
        "attempts": 3,
        "iterations": 23,
        "run_s": 86400,
        "attempt_s": 3600,
        "idle_s": 1800,
        "check_s": 900,
    }
    assert "limits: attempts 3 · iterations 23 · run 1d · attempt 1h · idle 30m · check 15m" in done.err


def test_limits_that_are_none_are_refused(tmp_path: Path) -> None:  # C133
    project = make_project(tmp_path, [RED], {"default": [WORK]})
    before = project.snapshot()
    flags = ("--max-attempts", "--max-iterations", "--max-time", "--timeout")
    for value in ("0", "-1", "abc"):
        done = project.run(*(f"{flag}={value}" for flag in flags))
        assert (done.code, done.out) == (2, ""), value
        assert all(flag in done.err for flag in flags), value
    assert project.snapshot() == before


def test_limits_come_from_flag_before_environment_before_file(tmp_path: Path) -> None:  # C130
    files = {"prd-ralph.toml": "max_attempts = 4\nmax_iterations = 5\nmax_time = '7h'\n"}
    project = make_project(tmp_path, [RED], {"default": [WORK]}, files)
    done = project.run("--max-iterations", "1", PRD_RALPH_MAX_ATTEMPTS="2", PRD_RALPH_MAX_ITERATIONS="9")
    limits = done.of("run_started")[0]["limits"]
    assert (limits["attempts"], limits["iterations"], limits["run_s"]) == (2, 1, 7 * 3600)


def test_the_time_of_the_run_bounds_the_attempt_that_is_going_on(tmp_path: Path) -> None:
    project = make_project(tmp_path, [RED])
    done = run_shell(project, "touch a.txt; exec sleep 300", "--max-time", "1")
    assert stopped(done) == ("wall_time", 4)
    assert outcomes(done) == {"US-001": "timed_out"}
    assert len(starts(done)) == 1


def test_no_agent_is_paid_once_setup_and_baseline_have_taken_the_runs_time(tmp_path: Path) -> None:
    slow = story("US-001", "sleep 9; test -f a.txt")
    project = make_project(tmp_path, [slow], {"default": [WORK]})
    done = project.run("--max-time", "2")
    assert (stopped(done), starts(done), end(done)["iterations"]) == (("wall_time", 4), [], 0)
    assert end(done)["stories"][0]["attempts"] == 0


def test_a_time_out_puts_the_flag_back_is_charged_and_the_same_story_is_next(tmp_path: Path) -> None:  # C028
    flag = {"prd": {"set": {"/userStories/0/passes": True}}}
    script = {"stories": {"US-001": [[flag, {"sleep": 300}], [WORK]]}}
    project = make_project(tmp_path, [story("US-001", "test -f a.txt"), story("US-002", "false", skip=True)], script)
    done = project.run("--timeout", "1")
    assert stopped(done) == ("complete", 0)
    first = done.of("judged")[0]
    assert (first["outcome"], first["reason"], first["charged"]) == ("timed_out", "wall", True)
    assert starts(done) == ["US-001", "US-001"]
    assert "time" in done.err.split("attempt 1/3", 1)[1].split("attempt 2/3", 1)[0]


@pytest.mark.parametrize("how", ["kill -STOP $$", "exec sleep 300"])
def test_an_agent_without_a_sign_of_life_is_ended(tmp_path: Path, how: str) -> None:
    project = make_project(tmp_path, [RED])
    done = run_shell(project, how, "--idle-timeout", "1", "--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == ("timed_out", "idle")


@pytest.mark.parametrize(("limit", "outcome"), [("1", ("timed_out", "idle")), ("0", ("passed", ""))])
def test_silence_is_an_end_only_where_the_person_says_so(
    tmp_path: Path, limit: str, outcome: tuple[str, str]
) -> None:  # C084
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")])
    done = run_shell(project, "sleep 4; touch a.txt", "--idle-timeout", limit, "--max-attempts", "1")
    judged = last(done, "judged")["US-001"]
    assert (judged["outcome"], judged["reason"]) == outcome


# --- agents that do not work ----------------------------------------------------------------------

REFUSAL = "--dangerously-skip-permissions cannot be used with root"
FAILING = {
    "refuses": f"echo '{REFUSAL}' >&2; exit 1",  # C155
    "nested": "echo 'cannot be launched inside another session' >&2; exit 1",  # C092
    "not found inside": "exec no-such-tool",  # C094
    "killed": "kill -9 $$",
}


@pytest.mark.parametrize("how", FAILING)
def test_an_agent_that_fails_at_once_three_times_ends_the_run(tmp_path: Path, how: str) -> None:
    project = make_project(tmp_path, [RED, story("US-002", "true")])
    done = run_shell(project, FAILING[how], "--max-attempts", "9")
    assert stopped(done) == ("agent_failing", 1)
    assert len(starts(done)) == 3
    assert {event["outcome"] for event in done.of("judged")} == {"agent_error"}
    said = {"refuses": REFUSAL, "nested": "another session", "not found inside": "no-such-tool", "killed": "signal 9"}
    assert said[how] in done.err
    assert "Traceback" not in done.err


def test_an_agent_that_fails_but_works_is_no_failing_agent(tmp_path: Path) -> None:  # C011
    project = make_project(tmp_path, [RED])
    before = project.prd_path.read_bytes()
    done = run_shell(project, "date +%N >> a.txt; exit 1", "--max-attempts", "4")
    assert stopped(done) == ("exhausted", 1)
    assert len(starts(done)) == 4
    assert project.prd_path.read_bytes() == before
    assert end(done)["failing"] == 1
    assert "exhausted" in done.err


def test_the_marks_of_an_outer_session_are_kept_from_agents_and_the_rest_is_not(tmp_path: Path) -> None:  # C092 C155
    project = make_project(tmp_path, [story("US-001", "test -f a.txt")])
    line = "env > ../env; touch a.txt"
    done = run_shell(project, line, CLAUDECODE="1", CLAUDE_CODE_ENTRYPOINT="cli", IS_SANDBOX="1", API_KEY="k")
    assert stopped(done) == ("complete", 0)
    seen = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"} & set(seen)
    assert (seen["IS_SANDBOX"], seen["API_KEY"], seen["PRD_RALPH_STORY_ID"]) == ("1", "k", "US-001")


@pytest.mark.parametrize(  # C094
    ("agent", "said"),
    [("no-such-agent", "agent not found: no-such-agent"), ("./README.md --yes", "agent is not executable: ./README")],
)
def test_an_agent_that_cannot_be_started_is_named_before_anything(
    tmp_path: Path, agent: str, said: str
) -> None:  # C094
    project = make_project(tmp_path, [RED])
    before = project.snapshot()
    done = project.run("--agent-command", agent)
    assert (done.code, done.out) == (3, "")
    assert said in done.err
    assert project.snapshot() == before


FATAL = {
    "auth": ("auth", 3),
    "credits": ("credits", 3),
    "bad_model": ("bad_model", 3),
}


@pytest.mark.parametrize("failure", FATAL)
def test_what_paying_again_would_not_help_ends_the_run_at_once(tmp_path: Path, failure: str) -> None:  # C141
    project = make_project(tmp_path, [RED], {"default": [WORK, {"fail": failure}]})
    done = project.run()
    assert stopped(done) == FATAL[failure]
    assert len(starts(done)) == 1
    assert not done.of("judged")[0]["charged"]


def test_whatever_class_an_agent_fails_with_green_commands_pass(tmp_path: Path) -> None:
    classes = ["usage_limit", "transient", "auth", "context_overflow", "error"]
    script = {"stories": {name: [[{"write": f"{name}.txt", "text": ""}, {"fail": name}]] for name in classes}}
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in classes], script)
    done = project.run()
    assert outcomes(done) == dict.fromkeys(classes, "passed")
    assert stopped(done) == ("complete", 0)


# --- which stories --------------------------------------------------------------------------------

CHOICES: dict[str, tuple[list[str], list[str], tuple[str, int]]] = {
    "only": (["--only", "US-003"], ["US-003"], ("complete", 0)),
    "skip": (["--skip", "US-003"], ["US-001", "US-002"], ("complete", 0)),
    "only-dependent": (["--only", "US-002"], [], ("blocked", 1)),
    "skip-dependency": (["--skip", "US-001"], ["US-003"], ("blocked", 1)),
    "both": (["--only", "US-001", "--only", "US-003", "--skip", "US-003"], ["US-001"], ("complete", 0)),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_only_the_chosen_stories_are_attempted(tmp_path: Path, choice: str) -> None:  # C139 C143
    flags, expected, stop = CHOICES[choice]
    stories = [
        story("US-001", "true"),
        story("US-002", "true", dependsOn=["US-001"]),
        story("US-003", "true"),
        story("US-004", "true", skip=True),
    ]
    project = make_project(tmp_path, stories, {"default": [{"run": "date +%N >> a.txt"}]})
    done = project.run(*flags)
    assert starts(done) == expected
    assert stopped(done) == stop
    assert end(done)["passed"] == len(expected)
    assert end(done)["skipped"] >= 1
    states = {each["id"]: each["state"] for each in end(done)["stories"]}
    assert states["US-004"] == "skipped"


def test_a_story_that_is_not_there_cannot_be_chosen(tmp_path: Path) -> None:  # C143
    done = make_project(tmp_path, [RED], {"default": []}).run("--only", "US-1", "--skip", "nope")
    assert (done.code, done.out) == (2, "")
    assert "--only US-1: no such story" in done.err and "--skip nope: no such story" in done.err


# --- setup and stop -------------------------------------------------------------------------------


def test_setup_runs_once_before_the_first_agent(tmp_path: Path) -> None:
    setup = ["echo ran >> ../setups; touch installed", {"run": "touch deep", "cwd": "pkg"}]
    script = {"default": [{"run": "test -f installed && cp ../setups a.txt && date +%N >> b.txt"}]}
    stories = [story("US-001", "test -f a.txt"), story("US-002", "test -f pkg/deep")]
    project = make_project(tmp_path, stories, script, {"pkg/x": ""}, setup=setup)
    done = project.run()
    assert stopped(done) == ("complete", 0)
    assert (tmp_path / "setups").read_text() == "ran\n"
    # What setup leaves behind is not the agents'.
    assert set(project.git("ls-files").splitlines()) & {"installed", "pkg/deep"} == set()


def test_setup_that_fails_ends_the_run_before_an_agent_is_paid(tmp_path: Path) -> None:
    project = make_project(tmp_path, [RED], {"default": [WORK]}, setup=["true", "echo no network; exit 7", "touch x"])
    before = tree(project)
    done = project.run()
    assert stopped(done) == ("environment", 3)
    assert starts(done) == []
    assert "setup failed: echo no network; exit 7 (exit 7)" in done.err and "no network" in done.err
    assert tree(project) == before


def test_nothing_is_set_up_and_no_agent_started_where_there_is_nothing_to_do(tmp_path: Path) -> None:  # C139
    stories = [story("US-001", "true", skip=True), story("US-002", "true", dependsOn=["US-001"])]
    project = make_project(tmp_path, stories, {"default": [WORK]}, setup=["exit 7"])
    done = project.run()
    assert stopped(done) == ("blocked", 1)
    assert starts(done) == []


def test_stop_ends_the_run_after_its_iteration_and_the_next_run_goes_on(tmp_path: Path) -> None:
    stories = [story("US-001", "test -f a.txt"), story("US-002", "true")]
    project = make_project(tmp_path, stories)
    stop = " ".join(project.command("stop"))
    done = run_shell(project, f"touch a.txt; {stop}")
    assert stopped(done) == ("stop_requested", 1)
    assert starts(done) == ["US-001"]
    assert project.passes() == {"US-001": True, "US-002": False}
    again = run_shell(project, "touch b.txt")
    assert stopped(again) == ("complete", 0)


def test_stop_without_a_run_says_so(tmp_path: Path) -> None:
    done = make_project(tmp_path, [RED])("stop")
    assert (done.code, done.err) == (1, "no run is going on here\n")


# --- models ---------------------------------------------------------------------------------------


def test_each_story_has_its_model_and_an_absent_one_leaves_no_trace(tmp_path: Path) -> None:  # C138
    stories = [story("US-001", "true", model="big-1"), story("US-002", "true")]
    project = make_project(tmp_path, stories)
    agent = tmp_path / "agent.sh"
    agent.write_text('echo "$PRD_RALPH_STORY_ID:$#:$*" >> ../argv; date +%N >> a.txt\n')
    done = project.run("--agent-command", f"sh {agent} --model={{model}} {{story_id}}")
    assert stopped(done) == ("complete", 0)
    assert (tmp_path / "argv").read_text().splitlines() == ["US-001:2:--model=big-1 US-001", "US-002:1:US-002"]
    assert re.search(r"Prd-Ralph-Agent: .*big-1", project.git("log", "--format=%B"))


def test_a_models_name_cannot_be_an_option(tmp_path: Path) -> None:  # C138
    project = make_project(tmp_path, [story("US-001", "true", model="--yolo")])
    done = run_shell(project, "touch ../paid")
    assert done.code in (2, 3)
    assert "model" in done.err
    assert not (tmp_path / "paid").exists()
