"""The user's own agent: what it is started with, and what becomes of it."""

import os
from pathlib import Path

import pytest

from prd_ralph.agents.command import CommandAgent
from prd_ralph.agents.failures import failure_of
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.model import AgentResult, FailureClass, ProcessEnd, ProcessResult
from prd_ralph.ports import AgentRequest
from prd_ralph.process import SupervisedProcesses
from tests.agents.conftest import MakeRequest

SHOW = """sh -c 'for each; do printf "[%s]" "$each"; done' sh"""
"""Prints its arguments, each in brackets."""


def attempt(processes: SupervisedProcesses, template: str, request: AgentRequest) -> AgentResult:
    return CommandAgent(processes, template).attempt(request, lambda line: None)


@pytest.mark.parametrize("size", [0, 300_000, 2 << 20])
def test_a_prompt_arrives_byte_for_byte_on_stdin(
    processes: SupervisedProcesses, make_request: MakeRequest, root: Path, size: int
) -> None:
    prompt = ("päck 🧦 `touch pwned`\n\n".encode() * (size // 20))[:size]
    result = attempt(processes, "sh -c 'cat > got'", make_request(prompt))
    assert result.failure is None
    assert (root / "got").read_bytes() == prompt


def test_a_prompt_in_a_placeholder_leaves_nothing_on_stdin(
    processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    show = """sh -c 'cat; printf "[%s]" "$@"' sh"""
    for placeholder in ("{prompt}", "--prompt={prompt}"):
        result = attempt(processes, f"{show} {placeholder}", make_request("the prompt"))
        assert result.text == f"[{placeholder.replace('{prompt}', 'the prompt')}]"
    request = make_request("the prompt")
    assert attempt(processes, f"{show} {{prompt_file}}", request).text == f"[{request.prompt}]"


def test_nothing_in_a_prompt_is_run_or_expanded(
    processes: SupervisedProcesses, make_request: MakeRequest, root: Path
) -> None:
    hostile = "`touch pwned` $(touch pwned) ; touch pwned {model} {story_id}\n'\""
    result = attempt(processes, f"{SHOW} {{prompt}}", make_request(hostile, model="m"))
    assert result.text == f"[{hostile}]"
    assert list(root.iterdir()) == []


def test_placeholders_are_filled_and_other_braces_stay(
    processes: SupervisedProcesses, make_request: MakeRequest, root: Path
) -> None:
    line = SHOW + """ --m={model} {root} {story_id}/{model} {other} {} '{"a": 1}' "two words\""""
    result = attempt(processes, line, make_request(model="big-1", story="US 2"))
    assert result.text == f'[--m=big-1][{root}][US 2/big-1][{{other}}][{{}}][{{"a": 1}}][two words]'


def test_an_element_with_an_absent_model_is_dropped(processes: SupervisedProcesses, make_request: MakeRequest) -> None:
    assert attempt(processes, f"{SHOW} a --model={{model}} b", make_request()).text == "[a][b]"


@pytest.mark.parametrize("model", ["--yolo", "-m", "two words", "line\nbreak", "nul\0"])
def test_a_model_that_is_no_plain_word_is_refused(
    processes: SupervisedProcesses, make_request: MakeRequest, root: Path, model: str
) -> None:
    with pytest.raises(RalphError, match="not a model's name") as caught:
        attempt(processes, "touch started {model}", make_request(model=model))
    assert caught.value.code is ExitCode.BAD_INPUT
    assert not (root / "started").exists()


def test_a_prompt_too_long_for_an_argument_is_refused_before_anything_starts(
    processes: SupervisedProcesses, make_request: MakeRequest, root: Path
) -> None:
    longest = b"x" * (120 << 10)
    assert attempt(processes, f"{SHOW} {{prompt}}", make_request(longest)).failure is None
    with pytest.raises(RalphError, match="too long for an argument") as caught:
        attempt(processes, "touch started {prompt}", make_request(longest + b"x"))
    assert "stdin" in caught.value.problems[0].hint
    assert caught.value.code is ExitCode.BAD_INPUT
    assert not (root / "started").exists()


def test_bytes_that_no_argument_can_hold_are_left_out(
    processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    result = attempt(processes, f"{SHOW} {{prompt}}", make_request(b"a\0b\xff"))
    assert result.text == "[ab�]"


def test_stdout_is_the_text_and_the_transcript_and_stderr_lies_beside(
    processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    request = make_request()
    result = attempt(processes, """sh -c 'printf "out\\377"; echo err >&2'""", request)
    assert result.text == "out�"
    assert request.transcript.read_bytes() == b"out\xff"
    assert request.transcript.with_name("transcript.log.stderr").read_bytes() == b"err\n"
    assert result.process.stderr == b"err\n"


@pytest.mark.parametrize(
    ("line", "failure"),
    [("true", None), ("false", FailureClass.ERROR), ("sh -c 'kill -9 $$'", FailureClass.ERROR)],
)
def test_only_exit_0_is_no_failure(
    processes: SupervisedProcesses, make_request: MakeRequest, line: str, failure: FailureClass | None
) -> None:
    result = attempt(processes, line, make_request())
    assert result.failure is failure
    # What it does not tell is unknown, not nothing.
    assert (result.cost_usd, result.tokens, result.tool_calls) == (None, None, None)


@pytest.mark.parametrize(
    ("end", "code", "failure"),
    [
        (ProcessEnd.EXITED, 0, None),
        (ProcessEnd.EXITED, 1, FailureClass.ERROR),
        (ProcessEnd.WALL, 0, FailureClass.HANG),
        (ProcessEnd.IDLE, -15, FailureClass.HANG),
        (ProcessEnd.STOPPED, -15, None),
        (ProcessEnd.LOST, None, FailureClass.ERROR),
        (ProcessEnd.NOT_STARTED, None, FailureClass.ERROR),
    ],
)
def test_how_it_ended_decides_the_failure(end: ProcessEnd, code: int | None, failure: FailureClass | None) -> None:
    assert failure_of(ProcessResult(end, code, 1.0)) is failure


def test_an_agent_is_no_part_of_an_outer_session_and_commits_as_itself(
    processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    request = make_request(CLAUDECODE="1", CLAUDE_CODE_ENTRYPOINT="cli", CLAUDE_CODE_USE_BEDROCK="1", IS_SANDBOX="1")
    seen = dict(line.split("=", 1) for line in attempt(processes, "env", request).text.splitlines() if "=" in line)
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"} & seen.keys()
    assert seen["CLAUDE_CODE_USE_BEDROCK"] == seen["IS_SANDBOX"] == "1"
    assert seen["GIT_COMMITTER_NAME"] == "prd-ralph agent"
    assert seen["GIT_COMMITTER_EMAIL"] == "agent@prd-ralph.invalid"
    assert seen["PRD_RALPH_STORY_ID"] == "US-001"


@pytest.mark.parametrize("template", ["", "   ", "''", "agent 'open", "{model} -p"])
def test_a_line_that_names_no_program_is_refused(processes: SupervisedProcesses, template: str) -> None:
    with pytest.raises(RalphError, match="agent command") as caught:
        CommandAgent(processes, template)
    assert caught.value.code is ExitCode.BAD_INPUT


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("echo hi && my-agent", "wrap it: sh -c 'echo hi && my-agent'"),
        ("my-agent | tee log", "wrap it: sh -c 'my-agent | tee log'"),
        ("cd x; my-agent", "wrap it: sh -c 'cd x; my-agent'"),
        ("my-agent {prompt} | cat", "wrap it: sh -c 'my-agent {prompt_file} | cat'"),
        ("my-agent > log", "wrap it: sh -c 'my-agent > log'"),
        ("my-agent {promptfile}", "did you mean {prompt_file}? known are {prompt_file}, {prompt}, {model}, {root}"),
        ("my-agent --id={storyId}", "did you mean {story_id}?"),
    ],
)
def test_what_only_a_shell_or_another_tool_would_understand(
    processes: SupervisedProcesses, template: str, hint: str
) -> None:
    with pytest.raises(RalphError, match="agent command holds") as caught:
        CommandAgent(processes, template)
    assert caught.value.code is ExitCode.BAD_INPUT
    assert hint in caught.value.problems[0].hint


@pytest.mark.parametrize(
    "template",
    [
        "sh -c 'echo hi && my-agent | tee log; exit'",
        "my-agent '|' \";\" \\;",
        "my-agent --sep=';'",
        "awk '{print}' {} {x}",
        "sh -c 'echo ${promptfile}'",
    ],
)
def test_what_is_quoted_is_the_agents_own_matter(processes: SupervisedProcesses, template: str) -> None:
    CommandAgent(processes, template)


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("FOO=1 my-agent", "begin the command with env: env FOO=1 my-agent"),
        ("~/my-agent -p", "no shell expands ~: write /"),
        ("~ann/my-agent", "no shell expands ~: write the whole path"),
        ("$HOME/my-agent -p", "wrap it: sh -c '$HOME/my-agent -p'"),
        ("no-such-agent", "install it"),
    ],
)
def test_a_missing_program_may_be_what_a_shell_would_have_made_of_it(
    processes: SupervisedProcesses, root: Path, template: str, hint: str
) -> None:
    with pytest.raises(BlockedError, match="agent not found") as caught:
        CommandAgent(processes, template).check(root, {"PATH": os.defpath})
    assert hint in caught.value.problems[0].hint


def executable(path: Path, mode: int = 0o755) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_a_program_is_looked_for_on_the_agents_path_and_below_the_root(
    processes: SupervisedProcesses, root: Path, tmp_path: Path
) -> None:
    tool = executable(tmp_path / "bin" / "my-agent")
    executable(root / "local.sh")
    env = {"PATH": str(tool.parent)}
    for line in ("my-agent -p", "./local.sh", "{root}/local.sh", str(tool)):
        CommandAgent(processes, line).check(root, env)


def test_a_missing_program_is_told_before_anything_runs(
    processes: SupervisedProcesses, root: Path, tmp_path: Path
) -> None:
    executable(tmp_path / "bin" / "my-agent")
    for line, where in (("my-agent -p", "PATH"), ("./none.sh", str(root))):
        with pytest.raises(BlockedError, match="agent not found") as caught:
            CommandAgent(processes, line).check(root, {"PATH": os.defpath})
        assert where in str(caught.value)
        assert caught.value.code is ExitCode.ENVIRONMENT


def test_a_script_that_lacks_the_x_bit_is_told_as_that(processes: SupervisedProcesses, root: Path) -> None:
    executable(root / "plain.sh", 0o644)
    with pytest.raises(BlockedError, match=r"agent is not executable: \./plain\.sh") as caught:
        CommandAgent(processes, "./plain.sh").check(root, {"PATH": os.defpath})
    assert caught.value.problems[0].hint == f"chmod +x {root / 'plain.sh'}"


def test_its_label_names_the_program(processes: SupervisedProcesses) -> None:
    assert CommandAgent(processes, "/opt/bin/my-agent --x").label == "command my-agent"
