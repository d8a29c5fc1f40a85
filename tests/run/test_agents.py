"""Runs with a `claude` or `codex` that prints what the true one did: the ledger, the summary, the end."""

import json
import shutil
from pathlib import Path

import pytest

from tests.agents.test_samples import SAMPLES
from tests.run.told import end, outcomes, stopped
from tests.support.project import Done, Project, make_project, story

WORK = "echo hello > hello.txt"


def with_agent(tmp_path: Path, name: str, sample: str, work: str = "true", code: int = 0) -> Project:
    """US-001 wants hello.txt; the only agent on PATH prints a sample, does `work` and exits with `code`."""
    project = make_project(tmp_path, [story("US-001", "test -f hello.txt")])
    program = tmp_path / "bin" / name
    program.parent.mkdir()
    [file] = (SAMPLES / name).glob(f"{sample}.json*")
    version = "echo 2.1.332; exit"
    program.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && {{ {version}; }}\ncat > /dev/null\ncat {file}\n{work}\nexit {code}\n'
    )
    program.chmod(0o755)
    return project


def run(project: Project, *args: str, **env: str) -> Done:
    path = f"{project.root.parent / 'bin'}:{Path(shutil.which('git') or '').parent}:/usr/bin:/bin"
    return project.run(*args, PATH=path, IS_SANDBOX="1", **env)


def test_a_story_is_done_by_the_only_agent_on_path(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin", WORK)
    done = run(project, "--model", "sonnet")
    assert stopped(done) == ("complete", 0)
    [ended] = done.of("agent_finished")
    known = {"tokens_in": 2468, "tokens_out": 112, "tokens_cached": 2000, "cost_usd": 0.012512, "tool_calls": 1}
    assert {name: ended[name] for name in known} == known
    assert ended["tail"].startswith("All stories are done.")
    assert ended["session"]
    assert done.of("run_started")[0]["autonomy"] == {"claude 2.1.332": "--dangerously-skip-permissions"}
    assert "Prd-Ralph-Agent: claude 2.1.332 sonnet" in project.git("log", "-1", "--format=%B")
    assert end(done)["cost_usd"] == 0.012512


def test_the_flags_of_the_settings_are_the_ones_given(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin", f'{WORK}; echo "$@" > {tmp_path / "arguments"}')
    (project.root / "prd-ralph.toml").write_text('[autonomy]\nclaude = ["--allowedTools", "Bash,Edit"]\n')
    done = run(project)
    assert stopped(done) == ("complete", 0)
    assert done.of("run_started")[0]["autonomy"] == {"claude 2.1.332": "--allowedTools Bash,Edit"}
    assert " --allowedTools Bash,Edit" in (tmp_path / "arguments").read_text()
    assert "--dangerously" not in (tmp_path / "arguments").read_text()


def test_unknown_cost_is_unknown(tmp_path: Path) -> None:
    done = run(with_agent(tmp_path, "codex", "ok-json-stdin", WORK))
    assert stopped(done) == ("complete", 0)
    assert (done.of("agent_finished")[0]["cost_usd"], end(done)["cost_usd"]) == (None, None)
    assert done.of("agent_finished")[0]["tokens_in"] == 468
    assert "cost unknown" in done.err


ENDS = {
    ("claude", "401"): ("auth", 3, "agent_error", "auth", False),
    ("claude", "nokey"): ("auth", 3, "agent_error", "auth", False),
    ("claude", "429-r1"): ("usage_limit", 4, "usage_limit", "", False),
    ("claude", "529-r1"): ("agent_failing", 1, "agent_error", "transient", False),
    ("claude", "400"): ("exhausted", 1, "agent_error", "error", True),
    ("claude", "no-perm"): ("exhausted", 1, "no_change", "no_work", True),
    ("codex", "401"): ("auth", 3, "agent_error", "auth", False),
    ("codex", "429"): ("usage_limit", 4, "usage_limit", "", False),
    ("codex", "quota"): ("credits", 3, "agent_error", "credits", False),
    ("codex", "cut"): ("agent_failing", 1, "agent_error", "transient", False),
    ("codex", "no-perm"): ("exhausted", 1, "no_change", "no_work", True),
}


@pytest.mark.parametrize(("name", "sample"), ENDS)
def test_a_failure_has_a_class_that_ends_the_run_or_is_charged(tmp_path: Path, name: str, sample: str) -> None:
    stop, code, outcome, reason, charged = ENDS[name, sample]
    quick = {"PRD_RALPH_CLOCK": "fast", "PRD_RALPH_MAX_TRANSIENT": "1"}
    done = run(with_agent(tmp_path, name, sample, code=1), "--max-attempts", "1", "--on-limit", "stop", **quick)
    assert stopped(done) == (stop, code)
    assert len(done.of("judged")) == (2 if reason == "transient" else 1)
    for judged in done.of("judged"):
        assert (judged["outcome"], judged["reason"], judged["charged"]) == (outcome, reason, charged)
    assert outcomes(done) == {"US-001": outcome}


def test_what_to_do_is_said_where_the_run_cannot_go_on(tmp_path: Path) -> None:
    done = run(with_agent(tmp_path, "claude", "nokey", code=1))
    assert "stopped: auth · Not logged in · Please run /login · exit 3" in done.err
    assert "hint: log in (`claude`, then /login) or set ANTHROPIC_API_KEY" in done.err
    assert (end(done)["reason"], done.of("agent_finished")[0]["error"]) == ("Not logged in · Please run /login",) * 2


def test_a_missing_permission_is_a_warning(tmp_path: Path) -> None:
    done = run(with_agent(tmp_path, "claude", "no-perm"), "--once")
    assert [each["message"] for each in done.of("warning")] == [
        "claude was not allowed to use Write: see autonomy.claude"
    ]


def test_a_promise_of_the_agents_is_worth_nothing(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin")
    done = run(project, "--max-attempts", "1")
    assert stopped(done) == ("exhausted", 1)
    assert project.passes() == {"US-001": False}


def test_several_agents_are_no_choice_of_ours(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin")
    shutil.copy(tmp_path / "bin" / "claude", tmp_path / "bin" / "codex")
    done = run(project)
    assert done.code == 3
    assert "there are several: claude, codex" in done.err


def test_a_dry_run_says_what_the_agent_may_do(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin")
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    told = project("run", "--dry-run", PATH=path).out
    assert told.startswith("agent codex 2.1.332, branch as it is")
    assert "codex 2.1.332 may act without asking: --dangerously-bypass-approvals-and-sandbox\n" in told
    agents = {each["name"]: each["path"] for each in json.loads(project("agents", "--json", PATH=path).out)["agents"]}
    assert agents == {"claude": None, "codex": str(tmp_path / "bin" / "codex"), "command": None, "scripted": None}
    assert "Claude Code; its own login or ANTHROPIC_API_KEY   (not on PATH)" in project("agents", PATH=path).out


def test_an_agent_that_refuses_to_start_ends_the_run_soon(tmp_path: Path) -> None:  # C155
    project = with_agent(tmp_path, "codex", "ok-json-stdin")
    refusal = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons"
    (tmp_path / "bin" / "codex").write_text(f"#!/bin/sh\ncat > /dev/null\necho '{refusal}' >&2\nexit 1\n")
    done = run(project, "--max-attempts", "9")
    assert stopped(done) == ("agent_failing", 1)
    assert len(done.of("agent_started")) == 3
    assert refusal in done.err
    assert {each["error"] for each in done.of("agent_finished")} == {refusal}


def test_a_story_about_limits_that_breaks_off_is_charged(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin", code=137)
    program = tmp_path / "bin" / "claude"
    told = '{"type":"assistant","message":{"content":[{"type":"text","text":"I test rate limit exceeded"}]}}'
    program.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && exit\ncat > /dev/null\necho '{told}'\nexit 137\n")
    done = run(project, "--max-attempts", "2")
    assert {event["failure"] for event in done.of("agent_finished")} == {"error"}
    assert [event["charged"] for event in done.of("judged")] == [True, True]
    assert stopped(done) == ("exhausted", 1)


def test_json_that_no_text_can_hold_ends_no_run(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin")
    odd = r'{"type":"result","is_error":false,"result":"half \ud83d","session_id":"\ud83d","total_cost_usd":%s}'
    for number in ("1e999", "NaN", "1" + 400 * "0", "-1"):
        program = tmp_path / "bin" / "claude"
        version = '[ "$1" = --version ] && exit'
        program.write_text(f"#!/bin/sh\n{version}\ncat > /dev/null\ncat <<'END'\n{odd % number}\nEND\n{WORK}\n")
        done = run(project, "--once")
        assert end(done)["cost_usd"] is None
        assert "Infinity" not in done.out
        assert done.code == 0, done.err
        project.git("reset", "--hard", "HEAD~1")


def test_a_transcript_in_a_github_log_is_no_command(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "claude", "ok-stream-stdin")
    told = r'{"type":"assistant","message":{"content":[{"type":"text","text":"so:\n::add-mask::e\n##[error]x"}]}}'
    script = f"[ \"$1\" = --version ] && exit\ncat > /dev/null\ncat <<'END'\n{told}\nEND\n"
    (tmp_path / "bin" / "claude").write_text(f"#!/bin/sh\n{script}")
    run(project, "--once")
    shown = project("show", "--transcript", GITHUB_ACTIONS="true")
    assert [line.strip() for line in shown.out.splitlines()] == ["says  so:", "|       ::add-mask::e", "# #[error]x"]


def test_a_dry_run_says_what_is_kept_from_whom(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin")
    kept = {"PRD_RALPH_ENV_EXCLUDE": "MY_*", "PRD_RALPH_CHECK_ENV_EXCLUDE": "MY_B", "MY_A": "1", "MY_B": "2"}
    told = project("run", "--dry-run", cwd=None, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", **kept).out
    assert "kept from the agent: MY_A, MY_B\n" in told
    assert "kept from the commands: MY_B\n" in told


def test_what_is_kept_from_the_agent_is_masked_whatever_it_is_called(tmp_path: Path) -> None:
    project = with_agent(tmp_path, "codex", "ok-json-stdin")
    value = "plain" + "value-93jd"
    env = {"BANK_PIN": value, "PRD_RALPH_ENV_EXCLUDE": "BANK_*"}
    done = run(project, "--max-attempts", "2", "--check", 'echo "pin=$BANK_PIN"; false', **env)
    assert "pin=***" in done.err
    state = project.root / ".git" / "prd-ralph"
    assert not [path for path in state.rglob("*") if path.is_file() and value.encode() in path.read_bytes()]


def test_a_name_that_no_agent_has_is_told_beside_what_is_missing(tmp_path: Path) -> None:
    project = make_project(tmp_path, [story("US-001", "true", agent="cluade")])
    done = project("run")
    assert done.code == 2
    assert "unknown agent: cluade" in done.err
    assert "no agent is configured" in done.err


def test_a_branch_whose_prd_names_another_agent_is_told_so(tmp_path: Path) -> None:
    """Its own prd.json counts, and agents are looked for before: that is the environment, and no bug."""
    command, work = "test -f a.txt", {"default": [{"write": "a.txt", "text": ""}]}
    project = make_project(tmp_path, [story("US-001", command)], work, branchName="ralph/x")
    project.git("checkout", "-q", "-b", "ralph/x")
    prd = json.loads(project.prd_path.read_text())
    prd["userStories"][0]["agent"] = "codex"
    project.prd_path.write_text(json.dumps(prd))
    project.git("commit", "-qam", "another agent")
    project.git("checkout", "-q", "-")
    done = project.run()
    assert stopped(done) == ("environment", 3), done.err
    assert "US-001 wants the agent codex" in done.err and "hint: run again" in done.err
    assert done.of("agent_started") == []
