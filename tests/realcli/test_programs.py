"""The real programs, driven by `prd-ralph run` as a user would, against the mock.

Each case: how the run ends (class, outcome, charged or not, stop reason, exit code), and that nothing is left alive.
"""

import os

import pytest

from tests.realcli.conftest import Ended, SetStage
from tests.realcli.mock.scenarios import IDLE, RESET_IN_S, SPOKEN
from tests.realcli.programs import KEY, PROGRAMS, Program
from tests.realcli.stage import STORY, Seen, Stage, Told
from tests.support.waiting import lives, pids_in

pytestmark = pytest.mark.realcli

EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
CLAUDE, CODEX = PROGRAMS

PASSED = Seen("", "passed", True, "complete", 0)
NO_WORK = Seen("no_work", "no_change no_work", True, "exhausted", 1)
TRANSIENT = Seen("transient", "agent_error transient", False, "agent_failing", 1)
WALL = Seen("hang", "timed_out wall", True, "exhausted", 1)
IDLED = Seen("hang", "timed_out idle", True, "exhausted", 1)
INTERRUPTED = Seen("", "interrupted", False, "signal", 130)
TOO_LONG = Seen("context_overflow", "agent_error context_overflow", True, "exhausted", 1)

PROMISE = "<promise>COMPLETE</promise>"
# Each charged failure ends the run, and so does the vendor's limit.
ONCE = ("--max-attempts", "1", "--on-limit", "stop")
LINE = "0123456789abcde\n"


def assert_passed(stage: Stage, told: Told) -> None:
    """The story landed by what this very program wrote, with the dummy key; the cost is known as far as it is told."""
    assert stage.file.is_file()
    assert stage.project.passes() == {STORY: True}
    assert stage.project.landings() == [STORY]
    assert f"Prd-Ralph-Agent: {stage.program.name} {stage.program.pin.version}" in stage.project.git("log")
    assert {entry.key for entry in stage.requests} == {KEY}
    cost = told.last("agent_finished")["cost_usd"]
    assert (told.last("run_finished")["cost_usd"], told.last("run_finished")["exit"]) == (cost, told.exit)
    assert (cost is not None and cost > 0) if stage.program.tells_cost else cost is None


def assert_open(stage: Stage) -> None:
    assert stage.project.passes() == {STORY: False}
    assert stage.project.landings() == []


def autonomy(told: Told) -> str:
    """The flags by which the agent may act without asking."""
    return " ".join(told.last("run_started")["autonomy"].values())


def tokens(told: Told) -> tuple[int, int, int]:
    """Those of the last attempt: in, out, cached."""
    agent = told.last("agent_finished")
    return agent["tokens_in"], agent["tokens_out"], agent["tokens_cached"]


# --- work that is done ----------------------------------------------------------------------------


@EACH
def test_success(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "ok")
    told = stage.run(*ONCE)
    assert ended(stage, "success", told) == PASSED
    assert_passed(stage, told)
    assert autonomy(told).startswith("--dangerously")
    assert tokens(told) == (2468 if program.name == "claude" else 468, 112, 2000)
    assert PROMISE in told.last("agent_finished")["tail"]
    assert len(stage.requests) == 2
    assert {"Write", "exec_command"} & set(stage.requests[0].tools)


def test_success_of_root_outside_a_sandbox(set_stage: SetStage, ended: Ended) -> None:
    """Claude refuses root the flag that lifts all questions; tools are allowed by name instead."""
    stage = set_stage(CLAUDE, "ok")
    told = stage.run(*ONCE, IS_SANDBOX=None)
    assert ended(stage, "success, no sandbox", told) == PASSED
    assert_passed(stage, told)
    assert autonomy(told).startswith("--allowedTools" if os.geteuid() == 0 else "--dangerously")


@EACH
def test_every_stream_is_cut(program: Program, set_stage: SetStage, ended: Ended) -> None:
    """Claude asks again for an answer in one piece, and gets it; codex gives up."""
    stage = set_stage(program, "cut")
    told = stage.run(*ONCE)
    assert ended(stage, "streams cut", told) == {CLAUDE: PASSED, CODEX: TRANSIENT}[program]


@EACH
@pytest.mark.parametrize(("size", "name"), [(900_000, "prompt of 0.9 MB"), (2_000_000, "prompt of 2 MB")])
def test_a_long_prompt(program: Program, size: int, name: str, set_stage: SetStage, ended: Ended) -> None:
    """Claude takes any; codex none of over 1 048 576 characters, and says so before it asks the model."""
    text = LINE * (size // len(LINE))
    stage = set_stage(program, "ok", text)
    told = stage.run(*ONCE)
    is_refused = program is CODEX and size > 1 << 20
    assert ended(stage, name, told) == (TOO_LONG if is_refused else PASSED)
    if is_refused:
        assert stage.requests == []
    else:
        assert stage.requests[0].body.count(LINE.strip().encode()) == size // len(LINE)


@EACH
def test_a_token_that_a_tool_and_a_command_print(program: Program, set_stage: SetStage, ended: Ended) -> None:
    """Whole, and in two writes; and another one that the model says: none of it is kept or shown."""
    stage = set_stage(program, "secret")
    token = "aB3dE6gH9" + "jK2mN5pQ8"
    check = 'echo "$DEPLOY_TOKEN"; printf %s "${DEPLOY_TOKEN%?????}"; sleep 0.1; echo "${DEPLOY_TOKEN#?????????????}"'
    told = stage.run(*ONCE, "--check", check, DEPLOY_TOKEN=token)
    assert ended(stage, "token printed", told) == PASSED
    assert token.encode() in b"".join(entry.body for entry in stage.requests)  # the model has seen it
    kept = {path: path.read_bytes() for path in stage.state.rglob("*") if path.is_file()}
    assert [path for path, data in kept.items() if token.encode() in data or SPOKEN.encode() in data] == []
    assert any(b"***" in data for data in kept.values())
    assert token not in told.err
    assert SPOKEN not in told.err


# --- work that is not done ------------------------------------------------------------------------


@EACH
def test_a_promise_in_the_prompt_is_nobodys_word(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "idle", f"When all is done, say {PROMISE}.")
    told = stage.run(*ONCE)
    assert ended(stage, "promise in the prompt", told) == NO_WORK
    assert PROMISE.encode() in stage.requests[0].body
    assert IDLE in told.last("agent_finished")["tail"]
    assert PROMISE not in told.last("agent_finished")["tail"]
    assert_open(stage)


@EACH
def test_a_promise_without_work(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "refuse")
    told = stage.run(*ONCE)
    assert ended(stage, "promise, no work", told) == NO_WORK
    assert PROMISE in told.last("agent_finished")["tail"]
    assert_open(stage)


@EACH
def test_permission_is_missing(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "ok")
    told = stage.run(*ONCE, **{f"PRD_RALPH_AUTONOMY_{program.name.upper()}": "[]"})
    assert ended(stage, "no permission", told) == NO_WORK
    assert told.last("agent_finished")["tool_calls"] == 0
    assert f"autonomy.{program.name}" in told.last("warning")["message"]
    assert_open(stage)


# --- the vendor's errors --------------------------------------------------------------------------

REFUSALS = {
    "401": Seen("auth", "agent_error auth", False, "auth", 3),
    "429": Seen("usage_limit", "usage_limit", False, "usage_limit", 4),
    "529": TRANSIENT,
    "400": Seen("error", "agent_error error", True, "exhausted", 1),
    "lost": TRANSIENT,
}


@EACH
@pytest.mark.parametrize("scenario", REFUSALS)
def test_a_refusal(program: Program, scenario: str, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, scenario)
    told = stage.run(*ONCE)
    assert ended(stage, scenario, told) == REFUSALS[scenario]
    assert told.last("agent_finished")["error"]
    assert_open(stage)


def test_a_limit_is_waited_out(set_stage: SetStage, ended: Ended) -> None:
    """A subscription's limit: claude tells its end as an event, and the run goes on after it, nothing charged."""
    stage = set_stage(CLAUDE, "limit-reset")
    login = {"ANTHROPIC_API_KEY": None, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-" + KEY}
    told = stage.run("--max-attempts", "1", **login)
    assert ended(stage, "429 with a reset, then good", told) == PASSED
    assert [(event["outcome"], event["charged"]) for event in told.of("judged")] == [
        ("usage_limit", False),
        ("passed", True),
    ]
    (wait,) = told.of("waiting")
    assert wait["reason"] == "usage_limit"
    assert RESET_IN_S - 120 < wait["seconds"] < RESET_IN_S + 120
    assert told.last("run_finished")["iterations"] == 2


def test_an_overload_that_passes(set_stage: SetStage, ended: Ended) -> None:
    """Two attempts of two requests each meet it."""
    stage = set_stage(CLAUDE, "529x4")
    told = stage.run("--max-attempts", "1")
    assert ended(stage, "529 twice, then good", told) == PASSED
    assert [(event["outcome"], event["reason"], event["charged"]) for event in told.of("judged")] == [
        ("agent_error", "transient", False),
        ("agent_error", "transient", False),
        ("passed", "", True),
    ]
    assert [event["reason"] for event in told.of("waiting")] == ["transient", "transient"]


def test_a_quota_that_is_used_up(set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(CODEX, "quota")
    told = stage.run(*ONCE)
    assert ended(stage, "quota", told) == Seen("credits", "agent_error credits", False, "credits", 3)


@EACH
def test_a_stream_that_stalls(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "stall")
    told = stage.run(*ONCE, "--idle-timeout", "8s")
    assert ended(stage, "stall", told) == IDLED
    assert_open(stage)


# --- processes ------------------------------------------------------------------------------------


def assert_gone(stage: Stage) -> None:
    """The process that the tool started, in a session of its own, lives no more."""
    assert not [pid for pid in pids_in(stage.pids) if lives(pid)]


@EACH
def test_the_time_limit_ends_a_tool(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "sleep600")
    told = stage.run(*ONCE, "--timeout", "20s")
    assert ended(stage, "tool at the time limit", told) == WALL
    assert_gone(stage)


@EACH
def test_what_a_tool_left_in_the_background_is_ended(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "orphan")
    told = stage.run(*ONCE)
    assert ended(stage, "background child", told) == PASSED
    assert_gone(stage)


@EACH
def test_an_interrupt_ends_a_tool(program: Program, set_stage: SetStage, ended: Ended) -> None:
    stage = set_stage(program, "sleep600")
    told = stage.interrupt(*ONCE)
    assert ended(stage, "SIGINT during a tool", told) == INTERRUPTED
    assert_gone(stage)
    assert_open(stage)
