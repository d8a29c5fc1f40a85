"""The verdict belongs to the commands: whatever agents print, write and exit with (numbers: what has gone wrong)."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import changed_by, end, last, outcomes, starts, statuses, stopped
from tests.support.project import make_project, story

PROMISE = {"print": "<promise>COMPLETE</promise>\nALL STORIES PASS"}
FLAGS = {"prd": {"set": {"/userStories/0/passes": True, "/userStories/1/passes": True}}}
FIX = {"write": "feature.txt", "text": "made\n"}
SAY_DONE = {"write": "CHANGELOG.md", "text": ["Implementation complete, done, finished."] * 50}

# What an agent does that does not do the work, and what must come of it.
TALKERS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "asks": ([{"print": "Which DB should I use?"}], "no_change"),  # C001 C002
    "promises": ([PROMISE], "no_change"),  # C003
    "says-done": ([SAY_DONE, {"print": "done complete finished\n" * 50}], "failed"),  # C005
    "verdict-file": ([{"write": ".ralph/verdict", "text": "pass"}, {"write": "result.json", "text": "{}"}], "failed"),
    "sets-flags": ([FLAGS, PROMISE], "no_change"),  # C025
    "fails": ([SAY_DONE, {"exit": 1}], "agent_error"),  # C011
    "limit-talk": ([SAY_DONE, {"print": "usage limit reached, 429, @upstash/ratelimit"}], "failed"),  # C122 C123
}


def test_no_word_and_no_exit_code_makes_a_pass(tmp_path: Path) -> None:
    script = {"stories": {name: [steps] for name, (steps, _) in TALKERS.items()}}
    project = make_project(tmp_path, [story(name, "test -f feature.txt") for name in TALKERS], script)
    before = project.prd_path.read_bytes()
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == {name: outcome for name, (_, outcome) in TALKERS.items()}
    assert stopped(done) == ("exhausted", 1)
    assert project.prd_path.read_bytes() == before
    assert project.landings() == []
    assert last(done, "candidate_frozen")["asks"]["files"] == []
    assert last(done, "tampered")["sets-flags"]["what"] == [
        "/userStories/0/passes: false -> true",
        "/userStories/1/passes: false -> true",
    ]
    assert "Which DB should I use?" in done.err  # C002: a person sees the question
    assert all(event["charged"] for event in done.of("judged"))


# What an agent does beside the work, none of which takes a pass away.
DOERS: dict[str, list[dict[str, Any]]] = {
    "silent": [],  # C033 C043: neither runs the tests nor touches prd.json
    "exits-1": [{"exit": 1}],  # C030
    "dies": [{"signal": 15}],
    "limit-talk": [{"print": "HTTP 429: usage limit reached, rate limiting has a race"}],  # C122 C123
    "despairs": [{"print": "I could not do it. FAILED."}, {"stderr": "fatal: error"}],
    "promises": [PROMISE],
    "sets-own-flag": [FLAGS],
}


def test_no_word_and_no_exit_code_takes_a_pass_away(tmp_path: Path) -> None:
    script = {
        "stories": {name: [[{"write": f"{name}.txt", "text": "x"}, *steps]] for name, steps in DOERS.items()},
    }
    project = make_project(tmp_path, [story(name, f"test -f {name}.txt") for name in DOERS], script)
    done = project.run()
    assert outcomes(done) == dict.fromkeys(DOERS, "passed")
    assert stopped(done) == ("complete", 0)
    assert project.landings() == list(DOERS)
    assert len(done.of("agent_started")) == len(DOERS)  # C008 C131: one start each, no breaker
    judged = last(done, "judged")
    assert judged["exits-1"]["warnings"] == ["the agent ended with exit 1, yet every command passes"]
    assert judged["dies"]["warnings"] == ["the agent ended with signal 15, yet every command passes"]
    assert judged["silent"]["warnings"] == []
    assert "yet every command passes" in done.err


COMMANDS: dict[str, tuple[object, str]] = {
    "zero": ("true", "passed"),
    "one": ("false", "failed"),
    "no tests selected": ("exit 5", "failed"),  # C015 C016: no code but 0 passes
    "killed": ("kill -9 $$", "failed"),
    "masked by a pipe": ("false | cat", "failed"),  # C017
    "absent": ("no-such-tool-of-ours --check", "missing_tool"),
    "absent argv": (["no-such-tool-of-ours"], "missing_tool"),
    "hangs": ({"run": "sleep 300", "timeout": 1}, "timed_out"),  # C085
    "argv": (["test", "-f", "a b.txt"], "passed"),
    "argv meets no shell": (["test", "$(true)", "=", "x"], "failed"),
    "folder": ({"run": "test -f here.txt", "cwd": "packages/api"}, "passed"),  # C041
    "environment": ({"run": 'test "$MODE$PRD_RALPH_STORY_ID" = ciUS-001', "env": {"MODE": "ci"}}, "passed"),
    "leaves a server": ("sleep 300 & echo $! > .pid", "passed"),  # C091
    "and it is gone": ("! kill -0 $(cat .pid)", "passed"),
    "last": ("exit 0", "passed"),
}


def test_every_command_is_run_and_only_exit_0_passes(tmp_path: Path) -> None:
    commands = [
        {**(run if isinstance(run, dict) else {"run": run}), "name": name} for name, (run, _) in COMMANDS.items()
    ]
    files = {"packages/api/here.txt": "", "a b.txt": ""}
    project = make_project(tmp_path, [story("US-001", *commands)], {"stories": {"US-001": [[FIX]]}}, files)
    done = project.run("--max-attempts", "1")
    assert statuses(done) == {name: status for name, (_, status) in COMMANDS.items()}
    assert outcomes(done) == {"US-001": "failed"}
    assert last(done, "judged")["US-001"]["reason"] == "check_timeout"
    exits = {event["name"]: event["exit_code"] for event in done.of("check_finished")}
    assert (exits["no tests selected"], exits["killed"]) == (5, -9)
    # C146: the wording is fixed, with the command and its exit code
    assert "✗ no tests selected exit 5" in done.err
    assert "✗ hangs timed out" in done.err
    assert "✗ absent command not found (exit 127)" in done.err
    assert "expected" not in done.err


def test_one_red_command_among_green_ones_is_red_in_every_order(tmp_path: Path) -> None:  # C023
    orders = {"-".join(order): order for order in itertools.permutations(("true", "false", "exit 0"))}
    project = make_project(
        tmp_path, [story(name, *order) for name, order in orders.items()], {"default": [SAY_DONE]}, None
    )
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == dict.fromkeys(orders, "failed")
    assert len(done.of("check_finished")) == 3 * len(orders)


def test_fail_fast_leaves_the_commands_after_the_first_red_one_out(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true", "false", "exit 3")], {"default": [FIX]})
    done = project.run("--max-attempts", "1", "--fail-fast")
    assert statuses(done) == {"true": "passed", "false": "failed"}


SUSPECTS = {
    "filtered": "echo 'test result: ok. 0 passed; 0 failed; 12 filtered out'",  # C014
    "none-ran": "echo 'no tests ran in 0.01s'",
    "unittest": "echo 'Ran 0 tests in 0.000s'",
    "collected": "echo 'collected 0 items'",
}
# Fails at the first try in a process of its own, passes at the second.
FLAKY = "test -f .tried || { touch .tried; exit 7; }"


@pytest.mark.parametrize("strict", [False, True])
def test_a_green_command_that_proves_nothing_is_suspect_and_refused_under_strict(tmp_path: Path, strict: bool) -> None:
    red = "test -f feature.txt || exit 1; "
    commands: dict[str, object] = {name: red + line for name, line in SUSPECTS.items()}
    commands["flaky"] = {"run": red + FLAKY, "retries": 1}  # C039
    stories = [story(name, run) for name, run in commands.items()]
    plain = story("plain", red + "echo 'Hello, 0 of you'")
    project = make_project(tmp_path, [*stories, plain], {"default": [FIX]})
    done = project.run("--max-attempts", "1", *(["--strict"] if strict else ["--baseline", "off"]))
    expected = dict.fromkeys(commands, "failed" if strict else "passed")
    assert outcomes(done) == {**expected, "plain": "passed"}
    suspects = {event["story"]: event["suspect"] for event in done.of("check_finished")}
    assert suspects["flaky"] == "flaky: exit 7, then 0"
    assert all(suspects[name] for name in commands) and not suspects["plain"]
    if strict:
        assert {last(done, "judged")[name]["reason"] for name in commands} == {"suspect"}


def test_a_command_that_fails_once_is_red_without_retries(tmp_path: Path) -> None:  # C039
    project = make_project(tmp_path, [story("US-001", FLAKY)], {"default": [FIX]})
    assert outcomes(project.run("--max-attempts", "1", "--baseline", "off")) == {"US-001": "failed"}


NO_COMMANDS: dict[str, object] = {"none": [], "empty": [""], "blank": ["   "], "null": None}


def test_commands_that_are_none_never_pass(tmp_path: Path) -> None:  # C009
    stories = [{**story(name), "verificationCommands": commands} for name, commands in NO_COMMANDS.items()]
    project = make_project(tmp_path, stories, {"default": [FIX]})
    before = project.snapshot()
    for name, each in zip(NO_COMMANDS, stories, strict=True):
        project.prd_path.write_text(json.dumps({"project": "Test", "userStories": [each]}))
        done = project.run()
        assert (done.code, done.out) == (2, ""), name
        assert name in done.err
    project.prd_path.write_bytes(before["prd.json"])
    assert project.snapshot() == before


def test_the_next_iteration_goes_on_with_the_story_that_did_not_pass(tmp_path: Path) -> None:  # C002 C028 C029
    red, green = [{"print": "Shall I go on?"}], [FIX]
    project = make_project(
        tmp_path,
        [story("US-001", "test -f feature.txt"), story("US-002", "true")],
        {"stories": {"US-001": [red, [SAY_DONE], green], "US-002": [[SAY_DONE]]}},
    )
    done = project.run()
    assert starts(done) == ["US-001", "US-001", "US-001", "US-002"]
    assert [event["outcome"] for event in done.of("judged")] == ["no_change", "failed", "passed", "passed"]


def test_work_that_makes_another_story_green_flips_it_only_when_that_story_is_judged(tmp_path: Path) -> None:  # C098
    project = make_project(
        tmp_path,
        [story("US-001", "test -f feature.txt", "false"), story("US-002", "test -f feature.txt")],
        {"stories": {"US-001": [[FIX]], "US-002": [[{"print": "nothing left to do"}]]}},
    )
    done = project.run("--max-attempts", "1")
    # What a failed story did is set aside before the next one starts.
    assert outcomes(done) == {"US-001": "failed", "US-002": "no_change"}
    assert project.passes() == {"US-001": False, "US-002": False}
    assert last(done, "set_aside").keys() == {"US-001", "US-002"}


@pytest.mark.parametrize("history", ["kept", "deleted"])
def test_a_run_derives_everything_from_prd_json_and_git(tmp_path: Path, history: str) -> None:  # C007 C129
    steps = {"US-001": [[FIX]], "US-002": [[PROMISE], [{"write": "second.txt", "text": ""}]]}
    project = make_project(
        tmp_path, [story("US-001", "test -f feature.txt"), story("US-002", "test -f second.txt")], {"stories": steps}
    )
    assert stopped(project.run("--max-attempts", "1")) == ("exhausted", 1)
    if history == "deleted":
        project.git("config", "--local", "alias.wipe", "!rm -rf .git/prd-ralph")
        project.git("wipe")
    again = project.run("--max-attempts", "1")
    assert stopped(again) == ("complete", 0)
    assert [(event["story"], event["attempt"]) for event in again.of("agent_started")] == [("US-002", 2)]


@pytest.mark.parametrize("name", ["repo/prd.json", "link/prd.json", "{root}/prd.json"])
def test_commands_run_in_the_project_root_from_wherever_the_run_starts(tmp_path: Path, name: str) -> None:  # C019
    project = make_project(tmp_path, [story("US-001", "pwd; test -f README.md")], {"default": [FIX]})
    (tmp_path / "link").symlink_to(project.root)
    done = project("run", "--json", "--prd", name.format(root=project.root), cwd=tmp_path)
    assert stopped(done) == ("complete", 0)
    assert last(done, "check_finished")["US-001"]["excerpt"] == str(project.root.resolve())


def test_a_person_can_see_every_count_add_up(tmp_path: Path) -> None:  # C011 C143
    stories = [
        story("passed", "true", passes=True),
        story("failing", "false"),
        story("blocked", "true", dependsOn=["failing"]),
        story("skipped", "true", skip=True),
    ]
    done = make_project(tmp_path, stories, {"default": [SAY_DONE]}).run("--max-attempts", "1")
    finished = end(done)
    counts = {name: finished[name] for name in ("total", "passed", "failing", "blocked", "skipped")}
    assert counts == {"total": 4, "passed": 1, "failing": 1, "blocked": 1, "skipped": 1}
    states = {each["id"]: each["state"] for each in finished["stories"]}
    assert states == {"passed": "passed", "failing": "exhausted", "blocked": "blocked", "skipped": "skipped"}
    assert "1 of 4 stories passed · 1 failing · 1 blocked · 1 skipped" in done.err


def test_what_a_command_changes_is_neither_judged_nor_landed(tmp_path: Path) -> None:
    leave = "echo x >> README.md; echo x > build.out; sed -i.bak s/false/true/ prd.json; echo x >> mine.txt"
    stories = [story("US-001", leave, "test -f feature.txt"), story("US-002", leave, "false")]
    project = make_project(tmp_path, stories, {"default": [FIX]})
    (project.root / "mine.txt").write_text("mine\n")
    done = project.run("--max-attempts", "1")
    assert outcomes(done) == {"US-001": "passed", "US-002": "no_change"}
    assert project.passes() == {"US-001": True, "US-002": False}
    assert changed_by(project, "US-001") == {"feature.txt", "prd.json", "progress.txt"}
    assert (project.root / "README.md").read_text() == "hello\n"
    assert (project.root / "mine.txt").read_text() == "mine\n"
    assert project.git("diff", "HEAD", "--name-only") == ""
