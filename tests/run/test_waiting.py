"""A run that waits for its agents, and one that has several, by a clock whose waits take no time."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import end, outcomes, starts, stopped
from tests.support.programs import program
from tests.support.project import Done, Project, make_project, story

FAST = {"PRD_RALPH_CLOCK": "fast"}
WORK = {"write": "a.txt", "text": "a\n"}
LIMIT = {"fail": "usage_limit", "reset_in": 7200}
BUSY = {"fail": "transient"}
GREEN = story("US-001", "test -f a.txt")
Step = dict[str, Any]


def project_of(tmp_path: Path, *attempts: list[Step], stories: list[dict[str, Any]] | None = None) -> Project:
    """US-001 wants a.txt; the scripted agent plays the attempts one after the other, the last one for ever."""
    return make_project(tmp_path, stories or [GREEN], {"stories": {"US-001": list(attempts)}})


def waits(done: Done) -> list[tuple[str, int]]:
    """Why a run waited, and how many seconds."""
    return [(each["reason"], round(each["seconds"])) for each in done.of("waiting")]


def agents(done: Done) -> list[str]:
    """Which agents were started, in order, by the first word of their labels."""
    return [each["agent"].split()[0] for each in done.of("agent_started")]


def charged(done: Done) -> list[bool]:
    return [each["charged"] for each in done.of("judged")]


# --- usage limits ---------------------------------------------------------------------------------


def test_a_limit_is_waited_out_and_no_attempt_of_the_storys(tmp_path: Path) -> None:  # C121
    done = project_of(tmp_path, [LIMIT], [WORK]).run("--max-attempts", "1", **FAST)
    assert stopped(done) == ("complete", 0)
    [waited] = done.of("waiting")
    assert (waited["reason"], waited["agents"], waited["story"]) == ("usage_limit", ["scripted"], "US-001")
    assert 7200 <= waited["seconds"] <= 7210
    assert charged(done) == [False, True]
    assert (end(done)["iterations"], outcomes(done)) == (2, {"US-001": "passed"})
    assert 7200 <= end(done)["waited_s"] <= 7210
    assert "waiting 2h for scripted: usage_limit, until " in done.err
    assert "waited 2h" in done.err


def test_a_limit_whose_end_nobody_names_is_asked_for_ever_more_rarely(tmp_path: Path) -> None:  # C121
    unknown = [{"fail": "usage_limit"}]
    done = project_of(tmp_path, *[unknown] * 6, [WORK]).run("--max-attempts", "1", **FAST)
    assert waits(done) == [("usage_limit", minutes * 60) for minutes in (5, 15, 30, 60, 60, 60)]
    assert stopped(done) == ("complete", 0)


def test_no_wait_is_longer_than_allowed_and_then_the_agent_is_asked_again(tmp_path: Path) -> None:
    week = [{"fail": "usage_limit", "reset_in": 7 * 86400}]
    done = project_of(tmp_path, week, week, [WORK]).run(PRD_RALPH_MAX_WAIT="1h", **FAST)
    assert waits(done) == [("usage_limit", 3600)] * 2
    assert stopped(done) == ("complete", 0)


def test_a_run_that_is_not_to_wait_stops(tmp_path: Path) -> None:  # C121
    done = project_of(tmp_path, [LIMIT], [WORK]).run("--on-limit", "stop", **FAST)
    assert (stopped(done), waits(done), charged(done)) == (("usage_limit", 4), [], [False])


def test_a_wait_that_outlasts_the_run_is_not_begun(tmp_path: Path) -> None:
    done = project_of(tmp_path, [LIMIT], [WORK]).run("--max-time", "1h", **FAST)
    assert (stopped(done), waits(done)) == (("usage_limit", 4), [])
    assert "scripted is at its usage limit until 20" in end(done)["reason"]
    assert "hint: the same command again after 20" in done.err


def test_what_is_awaited_goes_on_without_being_asked_about_other_stories(tmp_path: Path) -> None:
    stories = [GREEN, story("US-002", "test -f b.txt")]
    script = {"stories": {"US-001": [[LIMIT], [WORK]], "US-002": [[{"write": "b.txt", "text": ""}]]}}
    done = make_project(tmp_path, stories, script).run(**FAST)
    assert starts(done) == ["US-001", "US-001", "US-002"]
    assert len(waits(done)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).",
        "You've hit your limit · resets 3am (UTC)",
        "You've hit your limit",
    ],
)
def test_a_command_says_that_it_is_limited(tmp_path: Path, said: str) -> None:  # C121
    project = make_project(tmp_path, [GREEN])
    line = f'[ -e ../seen ] && exec touch a.txt; touch ../seen; echo "{said}"; exit 1'
    agent = program(tmp_path, "agent.sh", line)
    done = project.run("--agent-command", str(agent), "--max-attempts", "1", **FAST)
    assert stopped(done) == ("complete", 0)
    [(reason, seconds)] = waits(done)
    assert reason == "usage_limit"
    assert 60 <= seconds <= 6 * 3600
    assert charged(done) == [False, True]


@pytest.mark.parametrize(
    "said", ["installed @upstash/ratelimit, 429, usage limit", "publish-intent rate limiting has a race"]
)
def test_what_a_good_agent_talks_about_makes_no_wait(tmp_path: Path, said: str) -> None:  # C122 C123
    project = make_project(tmp_path, [GREEN])
    agent = program(tmp_path, "agent.sh", f'echo "{said}"; echo "{said}" >&2')
    done = project.run("--agent-command", str(agent), "--max-attempts", "1", **FAST)
    assert (waits(done), outcomes(done)) == ([], {"US-001": "no_change"})
    assert done.of("check_finished")


def test_a_limit_that_the_agent_met_after_its_work_was_done_makes_no_wait(tmp_path: Path) -> None:  # C125
    done = project_of(tmp_path, [WORK, LIMIT]).run(**FAST)
    assert (stopped(done), waits(done)) == (("complete", 0), [])


# --- what passes by itself ------------------------------------------------------------------------


def test_an_overload_is_waited_out_with_growing_pauses(tmp_path: Path) -> None:  # C128
    done = project_of(tmp_path, [BUSY], [BUSY], [BUSY], [BUSY], [WORK]).run("--max-attempts", "1", **FAST)
    assert stopped(done) == ("complete", 0)
    assert charged(done) == [False] * 4 + [True]
    for (reason, seconds), whole in zip(waits(done), (15, 30, 60, 120), strict=True):
        assert (reason, whole / 2 <= seconds + 1 and seconds <= whole) == ("transient", True)
    assert end(done)["waited_s"] == pytest.approx(sum(each["seconds"] for each in done.of("waiting")), abs=5)


def test_an_overload_in_the_words_of_a_command(tmp_path: Path) -> None:  # C128
    project = make_project(tmp_path, [GREEN])
    line = (
        'echo x >> ../n; [ $(wc -l < ../n) -ge 3 ] && exec touch a.txt; echo "API Error: 529 overloaded_error"; exit 1'
    )
    done = project.run("--agent-command", str(program(tmp_path, "agent.sh", line)), "--max-attempts", "1", **FAST)
    assert (stopped(done), len(waits(done)), charged(done)) == (("complete", 0), 2, [False, False, True])
    assert "waited " in done.err


def test_an_outage_without_end_stops_the_run(tmp_path: Path) -> None:
    project = make_project(tmp_path, [GREEN])
    agent = program(tmp_path, "agent.sh", 'echo "API Error: 529 Overloaded" >&2; exit 1')
    done = project.run("--agent-command", str(agent), PRD_RALPH_MAX_TRANSIENT="3", **FAST)
    assert stopped(done) == ("agent_failing", 1)
    assert (len(starts(done)), len(waits(done))) == (4, 3)
    assert end(done)["reason"] == "API Error: 529 Overloaded"


def test_a_start_that_works_ends_the_row_of_failures(tmp_path: Path) -> None:
    attempts = [[BUSY], [BUSY], [{"print": "?"}]] * 3
    patience = {"PRD_RALPH_MAX_TRANSIENT": "2", "PRD_RALPH_STALL_AFTER": "9", **FAST}
    done = project_of(tmp_path, *attempts, [WORK]).run("--max-attempts", "9", **patience)
    assert stopped(done) == ("complete", 0)
    assert len(waits(done)) == 6


# --- the end of a wait ----------------------------------------------------------------------------


def waiting_run(project: Project, *args: str) -> "subprocess.Popen[str]":
    """A run that has begun to wait, on the true clock."""
    command = project.command("run", "--json", *args)
    run = subprocess.Popen(
        command, cwd=project.root, env=project.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    for line in run.stdout:
        if json.loads(line)["kind"] == "waiting":
            return run
    raise AssertionError("it never waited")


def finished(run: "subprocess.Popen[str]") -> dict[str, Any]:
    out, _ = run.communicate(timeout=60)
    return dict(json.loads(out.splitlines()[-1]))


def test_a_signal_ends_a_wait_at_once(tmp_path: Path) -> None:
    run = waiting_run(project_of(tmp_path, [LIMIT], [WORK]))
    os.kill(run.pid, signal.SIGINT)
    assert finished(run)["stop"] == "signal"
    assert run.returncode in (-signal.SIGINT, 130)


def test_stop_ends_a_wait_and_status_says_that_it_waits(tmp_path: Path) -> None:
    project = project_of(tmp_path, [LIMIT], [WORK])
    run = waiting_run(project)
    assert "waits for scripted: usage_limit, until " in project("status").out
    assert json.loads(project("status", "--json").out)["run"]["waiting"]["reason"] == "usage_limit"
    assert project("stop").code == 0
    told = finished(run)
    assert (told["stop"], told["exit"], told["iterations"]) == ("stop_requested", 1, 1)
    again = project.run(**FAST)
    assert stopped(again) == ("complete", 0)


def test_the_runs_time_ends_a_wait_that_had_begun_in_time(tmp_path: Path) -> None:
    # Transient waits fit into the time that is left until one does not.
    done = project_of(tmp_path, [BUSY]).run("--max-time", "3m", PRD_RALPH_MAX_TRANSIENT="99", **FAST)
    assert stopped(done) == ("wall_time", 4)
    assert end(done)["waited_s"] < 180
    assert waits(done)


# --- several agents -------------------------------------------------------------------------------

TWO = 'agents = ["scripted", "command"]\nagent_command = "{agent}"\n'


def with_two(tmp_path: Path, first: list[list[Step]], second: str, *stories: dict[str, Any]) -> Project:
    """The scripted agent plays `first` at each story's attempts; a shell line is the second one."""
    mine = list(stories) or [GREEN]
    script = {"stories": {each["id"]: first for each in mine}}
    project = make_project(tmp_path, mine, script)
    agent = program(tmp_path, "second.sh", second)
    (project.root / "prd-ralph.toml").write_text(TWO.format(agent=agent))
    project.git("add", "-A")
    project.git("commit", "-qm", "settings")
    return Project(project.root, {"PRD_RALPH_SCRIPT": project.env["PRD_RALPH_SCRIPT"]})


def test_the_next_agent_works_while_the_first_is_limited(tmp_path: Path) -> None:
    done = with_two(tmp_path, [[LIMIT], [WORK]], "touch a.txt").run("--max-attempts", "1", **FAST)
    assert (stopped(done), agents(done), waits(done)) == (("complete", 0), ["scripted", "command"], [])
    assert charged(done) == [False, True]
    assert done.of("run_started")[0]["agent"].startswith("scripted ")
    assert done.of("run_started")[0]["agent"].endswith(", command second.sh")


def test_the_first_agent_is_taken_again_after_its_reset(tmp_path: Path) -> None:
    busy = 'echo "You have hit your usage limit. Try again in 3 hours" >&2; exit 1'
    soon = {"fail": "usage_limit", "reset_in": 3600}
    done = with_two(tmp_path, [[soon], [soon], [WORK]], busy).run("--max-attempts", "1", **FAST)
    assert stopped(done) == ("complete", 0)
    # Both are limited: the one that is back first is waited for.
    assert agents(done) == ["scripted", "command", "scripted"]
    assert [each["agents"] for each in done.of("waiting")] == [["scripted"]]


def test_without_credit_an_agent_is_done_with_and_the_next_goes_on(tmp_path: Path) -> None:
    stories = [story(name, f"test -f {name}") for name in ("a", "b", "c")]
    done = with_two(tmp_path, [[{"fail": "credits"}]], 'touch "$PRD_RALPH_STORY_ID"', *stories).run(**FAST)
    assert stopped(done) == ("complete", 0)
    assert agents(done) == ["scripted", "command", "command", "command"]
    assert waits(done) == []


def test_where_nobody_has_credit_the_run_stops(tmp_path: Path) -> None:
    broke = 'echo "Your credit balance is too low" >&2; exit 1'
    done = with_two(tmp_path, [[{"fail": "credits"}]], broke).run(**FAST)
    assert (stopped(done), agents(done)) == (("credits", 3), ["scripted", "command"])
    assert end(done)["reason"] == "Your credit balance is too low"


def test_a_run_that_does_not_wait_takes_the_next_agent_first(tmp_path: Path) -> None:
    limited = 'echo "You have hit your usage limit" >&2; exit 1'
    done = with_two(tmp_path, [[LIMIT]], limited).run("--on-limit", "stop", **FAST)
    assert (stopped(done), agents(done), waits(done)) == (("usage_limit", 4), ["scripted", "command"], [])


def test_a_storys_own_agent_is_waited_for(tmp_path: Path) -> None:
    own = story("US-001", "test -f a.txt", agent="scripted")
    done = with_two(tmp_path, [[LIMIT], [WORK]], "exit 7", own).run(**FAST)
    assert (stopped(done), agents(done)) == (("complete", 0), ["scripted", "scripted"])
    assert len(waits(done)) == 1


def test_a_story_that_needs_an_agent_without_credit_stops_the_run(tmp_path: Path) -> None:
    stories = [GREEN, story("US-002", "test -f b.txt", agent="scripted")]
    done = with_two(tmp_path, [[{"fail": "credits"}]], "touch a.txt", *stories).run(**FAST)
    assert stopped(done) == ("credits", 3)
    assert end(done)["reason"] == "scripted cannot be had any more (credits), and US-002 needs it"


def test_a_flag_outranks_the_list_of_agents(tmp_path: Path) -> None:
    project = with_two(tmp_path, [[WORK]], "exit 7")
    done = project.run("--agent-command", str(program(tmp_path, "third.sh", "touch a.txt")))
    assert (stopped(done), done.of("run_started")[0]["agent"]) == (("complete", 0), "command third.sh")


def test_all_that_is_wrong_with_the_agents_is_told_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path, [GREEN], None, {"prd-ralph.toml": 'agents = ["cluade", "codx", "command"]\n'})
    done = project("run")
    assert done.code == 2
    assert all(said in done.err for said in ("unknown agent: cluade", "unknown agent: codx", "needs a command line"))


@pytest.mark.parametrize("cap", [1, 2, 7])
def test_the_cap_counts_every_start_whatever_it_ended_in(tmp_path: Path, cap: int) -> None:  # C135
    first: list[list[Step]] = [[LIMIT], [BUSY], [WORK, {"sleep": 60}], [BUSY], [{"print": "?"}], [LIMIT], [BUSY]]
    second = 'echo x >> ../n; case $(( $(wc -l < ../n) % 3 )) in 1) echo "503 service unavailable" >&2; exit 1;; '
    second += '2) echo "usage limit reached" >&2; exit 1;; esac; echo hm'
    project = with_two(tmp_path, first, second, story("US-001", "false"))
    done = project.run("--max-iterations", str(cap), "--max-attempts", "99", "--timeout", "1", **FAST)
    assert stopped(done) == ("iterations", 1)
    assert len(starts(done)) == end(done)["iterations"] == cap


# --- models ---------------------------------------------------------------------------------------


def models(done: Done) -> list[str | None]:
    return [each["model"] for each in done.of("agent_started")]


def escalating(tmp_path: Path, **fields: Any) -> Project:
    files = {"prd-ralph.toml": 'escalate = ["small", "big"]\nescalate_after = 2\nmodel = "plain"\n'}
    script = {"default": [{"run": "date +%N > a.txt"}]}
    return make_project(tmp_path, [story("US-001", "false", **fields)], script, files)


def test_a_story_whose_attempts_fail_gets_the_next_model(tmp_path: Path) -> None:  # C138
    done = escalating(tmp_path).run("--max-attempts", "5")
    assert models(done) == ["small", "small", "big", "big", "big"]


def test_only_what_is_charged_counts_for_the_next_model(tmp_path: Path) -> None:
    files = {"prd-ralph.toml": 'escalate = ["small", "big"]\n'}
    done = make_project(tmp_path, [GREEN], {"stories": {"US-001": [[BUSY], [LIMIT], [{"print": "?"}], [WORK]]}}, files)
    assert models(done.run(**FAST)) == ["small", "small", "small", "big"]


def test_a_flag_and_a_storys_own_model_come_before_escalation(tmp_path: Path) -> None:  # C138
    project = escalating(tmp_path, model="own")
    assert models(project.run("--max-attempts", "3")) == ["own"] * 3
    assert models(project.run("--max-attempts", "3", "--model", "mine")) == ["mine"] * 3


def test_a_model_to_escalate_to_cannot_be_an_option(tmp_path: Path) -> None:  # C138
    files = {"prd-ralph.toml": 'escalate = ["small", "--yolo"]\n'}
    done = make_project(tmp_path, [GREEN], {"default": [WORK]}, files).run()
    assert (done.code, starts(done)) == (2, [])
    assert "not a model's name: '--yolo'" in done.err


def test_of_several_agents_only_the_first_is_given_the_model(tmp_path: Path) -> None:
    done = with_two(tmp_path, [[LIMIT]], "touch a.txt").run("--model", "m1", **FAST)
    assert list(zip(agents(done), models(done), strict=True)) == [("scripted", "m1"), ("command", None)]
