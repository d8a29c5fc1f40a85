"""Claude Code and Codex, as small programs that print what the true ones did: how they are called, and read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents import registry
from prd_ralph.agents.transcript import reader
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.model import ActionKind, AgentAction, AgentResult, FailureClass, ProcessEnd
from prd_ralph.ports import Agent, AgentRequest
from prd_ralph.process import SupervisedProcesses
from tests.agents.conftest import MakeRequest
from tests.agents.test_samples import CACHED_WITHIN, DONE, SAMPLES, TWO_TURNS
from tests.support.unprivileged import unprivileged

SKIP = "--dangerously-skip-permissions"
BYPASS = "--dangerously-bypass-approvals-and-sandbox"


class Fake:
    """A program called `claude` or `codex` that notes how it was called, then prints a sample."""

    def __init__(
        self, folder: Path, name: str, sample: str, then: str = "exit 0", version: str = "9.8.7 (Fake)"
    ) -> None:
        self.folder, self.name = folder, name
        (folder / "bin").mkdir(exist_ok=True)
        program = folder / "bin" / name
        program.write_text(
            f"""#!/bin/sh
            if [ "$1" = --version ]; then echo "{version}"; exit 0; fi
            cat > {folder}/{name}.prompt
            for each; do echo "$each"; done > {folder}/{name}.argv
            env > {folder}/{name}.env
            cat {sample}
            {then}
            """
        )
        program.chmod(0o755)

    @property
    def argv(self) -> list[str]:
        return (self.folder / f"{self.name}.argv").read_text().splitlines()

    @property
    def env(self) -> dict[str, str]:
        lines = (self.folder / f"{self.name}.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    @property
    def prompt(self) -> bytes:
        return (self.folder / f"{self.name}.prompt").read_bytes()


@pytest.fixture
def fake_claude(tmp_path: Path) -> Fake:
    return Fake(tmp_path, "claude", str(SAMPLES / "claude" / "ok-stream-stdin.jsonl"))


@pytest.fixture
def fake_codex(tmp_path: Path) -> Fake:
    return Fake(tmp_path, "codex", str(SAMPLES / "codex" / "ok-json-stdin.jsonl"))


def env_of(tmp_path: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "IS_SANDBOX": "1", **more}


def resolved(
    name: str | None, processes: SupervisedProcesses, root: Path, env: Mapping[str, str], **autonomy: tuple[str, ...]
) -> Agent:
    return registry.resolve(name, None, processes=processes, root=root, env=env, autonomy=autonomy)


def attempt(agent: Agent, request: AgentRequest) -> tuple[AgentResult, list[AgentAction]]:
    actions: list[AgentAction] = []
    return agent.attempt(request, actions.append), actions


def test_claude_is_called_with_the_prompt_on_stdin(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, fake_claude: Fake
) -> None:
    env = env_of(tmp_path, CLAUDECODE="1", CLAUDE_CODE_SSE_PORT="7", DISABLE_TELEMETRY="0")
    agent = resolved("claude", processes, root, env)
    result, actions = attempt(agent, make_request("Do it. ✓\n", model="sonnet", **env))
    assert agent.label == "claude 9.8.7"
    assert agent.autonomy == SKIP
    assert fake_claude.argv == ["-p", "--output-format", "stream-json", "--verbose", SKIP, "--model", "sonnet"]
    assert fake_claude.prompt == "Do it. ✓\n".encode()
    seen = fake_claude.env
    assert not {"CLAUDECODE", "CLAUDE_CODE_SSE_PORT"} & seen.keys()
    assert (seen["DISABLE_AUTOUPDATER"], seen["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"]) == ("1", "1")
    assert seen["DISABLE_TELEMETRY"] == "0"  # the person's own word
    assert (result.failure, result.text, result.tokens, result.cost_usd) == (None, DONE, TWO_TURNS, 0.012512)
    assert [(each.kind, each.text) for each in actions] == [
        (ActionKind.NOTE, "session begins, model claude-opus-5-5"),
        (ActionKind.SAYS, "Writing the file now."),
        (ActionKind.USES, "Write: /repo/hello.txt"),
        (ActionKind.GETS, _line(actions[3].text)),
        (ActionKind.SAYS, DONE),
    ]
    assert actions[-1].spent is not None
    assert actions[-1].spent.input == 2468


def _line(text: str) -> str:
    assert text.startswith("File created successfully at: /repo/hello.txt")
    return text


def test_codex_is_called_with_the_prompt_on_stdin(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, fake_codex: Fake
) -> None:
    env = env_of(tmp_path)
    agent = resolved("codex", processes, root, env)
    result, actions = attempt(agent, make_request("Do it.\n", **env))
    assert agent.label == "codex 9.8.7"
    assert fake_codex.argv[:3] == ["exec", "--json", BYPASS]
    assert fake_codex.argv[-1] == "-"
    assert {"analytics.enabled=false", "check_for_update_on_startup=false"} <= set(fake_codex.argv)
    assert "--model" not in fake_codex.argv
    assert fake_codex.prompt == b"Do it.\n"
    assert (result.failure, result.text, result.tokens, result.cost_usd) == (None, DONE, CACHED_WITHIN, None)
    used = [each.text for each in actions if each.kind is ActionKind.USES]
    assert len(used) == 1
    assert used[0].startswith("shell: printf 'hello from mock")
    attempt(agent, make_request("Do it.\n", model="gpt-9", **env))
    assert fake_codex.argv[-3:] == ["--model", "gpt-9", "-"]


def test_a_transcript_reads_as_what_was_seen(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, fake_claude: Fake
) -> None:
    env = env_of(tmp_path)
    agent = resolved("claude", processes, root, env)
    request = make_request(**env)
    _, actions = attempt(agent, request)
    again: list[AgentAction] = []
    late = reader(agent.label, again.append)
    late.feed(request.transcript.read_bytes())
    late.close()
    assert again == actions


def test_a_transcript_of_any_command_reads_as_its_lines() -> None:
    said: list[AgentAction] = []
    lines = reader("command sh", said.append)
    lines.feed(b"one\n\n tw")
    lines.feed(b"o\nthree")
    lines.close()
    assert [each.text for each in said] == ["one", " two", "three"]
    scripted = reader("scripted 0.1", said.append)
    scripted.feed(b'{"event": "tool", "name": "Edit"}\n')
    assert (said[-1].kind, said[-1].text) == (ActionKind.USES, "Edit")


# --- autonomy -------------------------------------------------------------------------------------


def test_autonomy_is_the_persons_to_choose(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, fake_claude: Fake
) -> None:
    env = env_of(tmp_path)
    agent = resolved("claude", processes, root, env, claude=("--permission-mode", "acceptEdits"))
    assert agent.autonomy == "--permission-mode acceptEdits"
    attempt(agent, make_request(**env))
    assert fake_claude.argv[4:] == ["--permission-mode", "acceptEdits"]
    assert resolved("claude", processes, root, env, claude=()).autonomy == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
@pytest.mark.parametrize("sandbox", ["", "yes", "0"])
def test_root_names_the_tools_unless_it_says_that_this_is_a_sandbox(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, fake_claude: Fake, sandbox: str
) -> None:  # C155
    env = env_of(tmp_path, IS_SANDBOX=sandbox)
    assert resolved("claude", processes, root, env).autonomy.startswith("--allowedTools Bash,Edit,Write,Read")
    with pytest.raises(RalphError, match=r"claude refuses .* for root") as caught:
        resolved("claude", processes, root, env, claude=(SKIP,))
    assert caught.value.code is ExitCode.ENVIRONMENT
    assert "IS_SANDBOX=1" in caught.value.problems[0].hint


def test_anybody_else_skips_permissions(tmp_path: Path) -> None:
    with unprivileged(tmp_path):
        assert registry.default_autonomy("claude", {}) == (SKIP,)


# --- finding them ---------------------------------------------------------------------------------


def test_the_only_agent_on_path_is_the_default(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, fake_codex: Fake
) -> None:
    env = env_of(tmp_path)
    assert resolved(None, processes, root, env).label == "codex 9.8.7"
    assert registry.found(env) == {"codex": tmp_path / "bin" / "codex"}


def test_of_several_agents_one_is_asked_for(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, fake_codex: Fake, fake_claude: Fake
) -> None:
    with pytest.raises(BlockedError, match="there are several: claude, codex") as caught:
        resolved(None, processes, root, env_of(tmp_path))
    assert "--agent claude" in caught.value.problems[0].hint


def test_a_missing_agent_is_told_before_anything_runs(root: Path, processes: SupervisedProcesses) -> None:  # C152
    with pytest.raises(BlockedError, match=r"agent not found: claude \(looked on PATH\)"):
        resolved("claude", processes, root, os.environ)


@pytest.mark.parametrize("version", ["no number here", ""])
def test_a_version_that_is_not_told_is_left_out(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, version: str
) -> None:
    Fake(tmp_path, "claude", "/dev/null", version=version)
    assert resolved("claude", processes, root, env_of(tmp_path)).label == "claude"


# --- streams of other versions, and broken ones ---------------------------------------------------

RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "done", "total_cost_usd": 0.5}
INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
CALL = {"type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "Edit"}]}}
SHAPES = {
    "object": json.dumps(RESULT),
    "object over lines": json.dumps(RESULT, indent=2),
    "array": json.dumps([INIT, CALL, RESULT]),
    "array over lines": json.dumps([INIT, CALL, RESULT], indent=1),
    "lines": "\n".join(map(json.dumps, (INIT, CALL, RESULT))),
    "lines with blanks and junk": "\r\n".join(
        ("warming up", "", json.dumps(INIT), "{broken", json.dumps(CALL), "[]", json.dumps(RESULT), "")
    ),
    "keys the other way round": json.dumps(dict(reversed(RESULT.items()))),
}


def printed(
    tmp_path: Path,
    root: Path,
    processes: SupervisedProcesses,
    make_request: MakeRequest,
    text: str,
    then: str = "exit 0",
    name: str = "claude",
) -> AgentResult:
    """What is made of an agent that prints `text`, and does `then`."""
    sample = tmp_path / "sample"
    sample.write_text(text)
    Fake(tmp_path, name, str(sample), then)
    env = env_of(tmp_path)
    return attempt(resolved(name, processes, root, env), make_request(**env))[0]


@pytest.mark.parametrize("shape", SHAPES)
def test_claude_in_any_shape_says_the_same(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, shape: str
) -> None:  # C101
    result = printed(tmp_path, root, processes, make_request, SHAPES[shape])
    assert (result.failure, result.text, result.cost_usd) == (None, "done", 0.5)


@pytest.mark.parametrize(
    "text", ["", "<html><body>502</body></html>", 'null\n[1, 2]\n"x"\n', "{" * 5000, '{"type": 7}']
)
def test_what_is_no_protocol_is_unknown_not_wrong(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest, text: str
) -> None:  # C101
    result = printed(tmp_path, root, processes, make_request, text)
    assert (result.failure, result.tokens, result.cost_usd, result.tool_calls) == (None, None, None, None)


def test_a_protocol_that_breaks_off_is_no_success(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    result = printed(tmp_path, root, processes, make_request, f"{json.dumps(INIT)}\n{json.dumps(CALL)}\n")
    assert (result.failure, result.session) == (FailureClass.ERROR, "s-1")


def test_a_usage_limit_counts_although_the_protocol_breaks_off(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    refused = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1999999999}}
    text = "\n".join(map(json.dumps, (INIT, refused, CALL)))
    result = printed(tmp_path, root, processes, make_request, text, "exit 1")
    assert (result.failure, result.reset_at) == (FailureClass.USAGE_LIMIT, 1999999999)


def test_a_success_is_one_whatever_the_exit_code_and_the_words(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:  # C122 C123 C125
    said = {**RESULT, "result": "the 429 usage limit reached handler is done: rate_limit_error, Not logged in"}
    then = "echo 'HTTP 429 too many requests: overloaded_error' >&2; exit 1"
    result = printed(tmp_path, root, processes, make_request, "\n".join(map(json.dumps, (INIT, CALL, said))), then)
    assert result.failure is None
    assert result.process.exit_code == 1


def test_an_echo_of_the_prompt_is_nobodys_words(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    echo = {"type": "user", "message": {"role": "user", "content": "say <promise>COMPLETE</promise>"}}
    helper = {"type": "assistant", "parent_tool_use_id": "t", "message": {"content": [{"type": "text", "text": "sub"}]}}
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Which one?"}]}}
    cut = "\n".join(map(json.dumps, (INIT, echo, said, helper, echo)))
    assert printed(tmp_path, root, processes, make_request, cut).text == "Which one?"
    codex = '{"type":"thread.started"}\n{"type":"item.completed","item":{"type":"user_message","text":"<promise>"}}\n'
    result = printed(tmp_path, root, processes, make_request, codex, "echo '<promise>COMPLETE</promise>' >&2", "codex")
    assert result.text == ""


def limited(*events: Mapping[str, Any], failed: bool = True) -> str:
    end = {**RESULT, "is_error": failed, "result": "Claude AI usage limit reached" if failed else "done"}
    return "\n".join(map(json.dumps, (INIT, CALL, *events, end)))


REJECTED = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1930000000}}
ALLOWED = {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "resetsAt": 1940000000}}


def test_a_usage_limit_names_its_reset(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    result = printed(tmp_path, root, processes, make_request, limited(REJECTED))
    assert (result.failure, result.reset_at) == (FailureClass.USAGE_LIMIT, 1930000000)
    result = printed(tmp_path, root, processes, make_request, limited(REJECTED, ALLOWED))
    assert (result.failure, result.reset_at) == (FailureClass.USAGE_LIMIT, None)
    result = printed(tmp_path, root, processes, make_request, limited(REJECTED, failed=False))
    assert (result.failure, result.reset_at) == (None, None)
    body = json.dumps({"error": {"type": "usage_limit_reached", "message": "wait", "resets_at": 1930000001}})
    failed = json.dumps({"type": "turn.failed", "error": {"message": body}})
    result = printed(tmp_path, root, processes, make_request, failed, "exit 1", "codex")
    assert (result.failure, result.error, result.reset_at) == (FailureClass.USAGE_LIMIT, "wait", 1930000001)


def test_codex_without_a_network_is_ended_and_charged_to_nobody(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    """It would reconnect for ever; what it says in between, and a network that comes back, are waited for."""
    begun = '{"type":"thread.started"}\n{"type":"turn.started"}\n'
    again = '{"type":"error","message":"Reconnecting... waiting for network (Connection failed: no route)"}'
    forever = f"while :; do echo '{again}'; sleep 0.01; done"
    result = printed(tmp_path, root, processes, make_request, begun, forever, "codex")
    assert (result.process.end, result.failure) == (ProcessEnd.CUT, FailureClass.TRANSIENT)
    assert result.error.startswith("Reconnecting... waiting for network")
    said = '{"type":"item.completed","item":{"type":"agent_message","text":"on"}}'
    done = '{"type":"item.started","item":{"id":"1","type":"command_execution"}}\n{"type":"turn.completed"}'
    good = "\n".join([begun, *[again] * 19, said, *[again] * 19, done])
    result = printed(tmp_path, root, processes, make_request, good, "exit 0", "codex")
    assert (result.process.end, result.failure, result.text) == (ProcessEnd.EXITED, None, "on")


def test_what_the_program_itself_ends_is_an_error_whatever_it_quotes(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    end = {"type": "result", "subtype": "error_during_execution", "errors": ["the model User was not found, 429"]}
    text = "\n".join(map(json.dumps, (INIT, CALL, end)))
    assert printed(tmp_path, root, processes, make_request, text, "exit 1").failure is FailureClass.ERROR


def test_an_item_that_is_not_known_may_have_been_a_call(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    lines = (
        '{"type":"thread.started"}',
        '{"type":"item.completed","item":{"type":"new_tool"}}',
        '{"type":"turn.completed"}',
    )
    result = printed(tmp_path, root, processes, make_request, "\n".join(lines), name="codex")
    assert (result.failure, result.tool_calls) == (None, None)


def test_without_path_the_setting_is_named(root: Path, processes: SupervisedProcesses) -> None:
    with pytest.raises(BlockedError, match=r"PATH is kept from the agent \(env\.exclude\)"):
        resolved("claude", processes, root, {"HOME": str(root)})


def test_a_login_that_is_missing_is_told_with_what_to_do(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    sample = (SAMPLES / "claude" / "nokey.jsonl").read_text()
    result = printed(tmp_path, root, processes, make_request, sample, "exit 1")
    assert (result.failure, result.error) == (FailureClass.AUTH, "Not logged in · Please run /login")
    assert "/login" in result.hint


def test_a_missing_permission_is_told(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    sample = (SAMPLES / "claude" / "no-perm.jsonl").read_text()
    result = printed(tmp_path, root, processes, make_request, sample)
    assert (result.failure, result.tool_calls) == (FailureClass.NO_WORK, 0)
    assert result.notes == ("claude was not allowed to use Write: see autonomy.claude",)


def test_a_warning_is_no_error_of_an_agent_that_ended_well(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    sample = (SAMPLES / "codex" / "no-perm.jsonl").read_text()
    result = printed(tmp_path, root, processes, make_request, sample, "echo WARNING: proceeding >&2", "codex")
    assert (result.failure, result.text, result.error) == (FailureClass.NO_WORK, DONE, "")


def test_without_flags_an_agent_that_does_nothing_is_told_why(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    Fake(tmp_path, "codex", str(SAMPLES / "codex" / "no-perm.jsonl"))
    env = env_of(tmp_path)
    result, _ = attempt(resolved("codex", processes, root, env, codex=()), make_request(**env))
    assert result.notes == ("codex did nothing, and is given no flags to act by: see autonomy.codex",)
    assert attempt(resolved("codex", processes, root, env), make_request(**env))[0].notes == ()


def test_an_agent_that_hangs_after_its_words_is_a_hang(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    sample = tmp_path / "sample"
    sample.write_text(json.dumps(INIT) + "\n")
    Fake(tmp_path, "claude", str(sample), "sleep 300")
    env = env_of(tmp_path)
    request = make_request(**env)
    short = AgentRequest(request.prompt, root, request.transcript, None, request.env, wall_s=1.0, idle_s=0)
    result, _ = attempt(resolved("claude", processes, root, env), short)
    assert (result.process.end, result.failure) == (ProcessEnd.WALL, FailureClass.HANG)


def test_a_line_without_end_floods_nothing(
    tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:  # C099
    then = f"head -c 30000000 /dev/zero | tr '\\0' x; echo; echo '{json.dumps(RESULT)}'"
    result = printed(tmp_path, root, processes, make_request, json.dumps(INIT) + "\n", then)
    assert (result.failure, result.text) == (FailureClass.NO_WORK, "done")
