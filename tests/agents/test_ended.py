"""Agents that we end: whose watcher has seen enough, and which stay after their final result."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prd_ralph.agents.command import CommandAgent
from prd_ralph.agents.preset import Preset, PresetAgent
from prd_ralph.agents.presets import PRESETS
from prd_ralph.agents.scripted.adapter import ScriptedAgent
from prd_ralph.model import AgentAction, AgentResult, FailureClass, ProcessEnd
from prd_ralph.ports import Agent, AgentRequest, Linger
from prd_ralph.process import SupervisedProcesses
from tests.agents.conftest import MakeRequest
from tests.support.programs import program

LAST: dict[str, dict[str, Any]] = {
    "claude": {"type": "result", "subtype": "success", "is_error": False, "result": "done", "total_cost_usd": 0.5},
    "codex": {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1}},
}
FAILED = {
    "claude": LAST["claude"] | {"is_error": True, "result": "API Error: 529 Overloaded", "api_error_status": 529},
    "codex": {"type": "turn.failed", "error": {"message": "unexpected status 529 Overloaded"}},
}
AGAIN = {
    "claude": {"type": "assistant", "message": {"content": [{"type": "text", "text": "and now"}]}},
    "codex": {"type": "turn.started"},
}
CALL = {
    "claude": {
        "type": "assistant",
        "message": {"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "make"}}]},
    },
    "codex": {"type": "item.completed", "item": {"id": "1", "type": "command_execution", "command": "make"}},
}
TOOLS = {"claude": "Bash", "codex": "shell"}
Play = Callable[..., AgentResult]
NAMES = pytest.mark.parametrize("name", ["claude", "codex"])


def say(event: object) -> str:
    return f"echo '{json.dumps(event)}'"


@pytest.fixture
def play(tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest) -> Play:
    """Plays a program of shell lines in the place of `name`; it has `linger` seconds to end."""

    def play(name: str, *lines: str, linger: float = 0.3) -> AgentResult:
        version = '[ "$1" = --version ] && exit'
        program(tmp_path / "bin", name, "\n".join((version, "cat > /dev/null", *lines)))
        request = make_request(PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", IS_SANDBOX="1")
        preset: Preset = replace(PRESETS[name], linger=Linger(linger))
        return PresetAgent(preset, processes, root, request.env).attempt(request, lambda action: None)

    return play


@NAMES
def test_one_that_stays_after_its_result_is_ended_and_its_result_counts(play: Play, name: str) -> None:
    result = play(name, say(CALL[name]), say(LAST[name]), "sleep 99999")
    assert (result.process.end, result.failure, result.tool_calls) == (ProcessEnd.LINGERED, None, 1)
    assert result.error == ""
    assert (result.cost_usd == 0.5) == (name == "claude")


@NAMES
def test_the_failure_of_one_that_stays_is_the_one_that_it_told(play: Play, name: str) -> None:
    result = play(name, say(FAILED[name]), "sleep 99999")
    assert (result.process.end, result.failure) == (ProcessEnd.LINGERED, FailureClass.TRANSIENT)


@NAMES
def test_one_whose_child_holds_its_output_has_ended(play: Play, name: str) -> None:
    result = play(name, say(CALL[name]), say(LAST[name]), "setsid sleep 99999 &", "exit 0", linger=30.0)
    assert (result.process.end, result.process.exit_code, result.failure) == (ProcessEnd.EXITED, 0, None)
    assert result.process.swept == 1
    assert result.process.duration_s < 20


@NAMES
def test_one_that_goes_on_after_a_result_is_left_to_work(play: Play, name: str) -> None:
    later = (say(AGAIN[name]), "sleep 1", say(CALL[name]), say(LAST[name]), "exit 0")
    result = play(name, say(LAST[name]), *later, linger=0.5)
    assert (result.process.end, result.failure, result.tool_calls) == (ProcessEnd.EXITED, None, 1)


def test_without_a_result_nothing_is_cut_short(play: Play) -> None:
    result = play("claude", say(CALL["claude"]), "sleep 1", say(LAST["claude"]), linger=0.1)
    assert (result.process.end, result.failure) == (ProcessEnd.EXITED, None)


# --- whose watcher has seen enough ----------------------------------------------------------------


def ends_at(word: str, agent: Agent, request: AgentRequest) -> tuple[AgentResult, list[str]]:
    seen: list[str] = []

    def watch(action: AgentAction) -> bool:
        seen.append(action.text)
        return word in action.text

    return agent.attempt(request, watch), seen


@NAMES
def test_an_agent_is_ended_when_its_watcher_says_so(
    name: str, tmp_path: Path, root: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    lines = ('[ "$1" = --version ] && exit', "cat > /dev/null", say(CALL[name]), "sleep 99999")
    program(tmp_path / "bin", name, "\n".join(lines))
    request = make_request(PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", IS_SANDBOX="1")
    result, seen = ends_at("make", PresetAgent(PRESETS[name], processes, root, request.env), request)
    assert (result.process.end, result.failure) == (ProcessEnd.CUT, FailureClass.ERROR)
    assert [text for text in seen if text.endswith(": make")] == [f"{TOOLS[name]}: make"]


def test_a_command_is_ended_when_its_watcher_says_so(processes: SupervisedProcesses, make_request: MakeRequest) -> None:
    result, seen = ends_at("two", CommandAgent(processes, "sh -c 'echo one; echo two; sleep 99999'"), make_request())
    assert (result.process.end, seen) == (ProcessEnd.CUT, ["one", "two"])


def test_the_scripted_agent_is_ended_when_its_watcher_says_so(
    tmp_path: Path, processes: SupervisedProcesses, make_request: MakeRequest
) -> None:
    script = tmp_path / "script.json"
    steps = [{"tool": "Bash", "input": {"command": "make"}}, {"print": "on"}, {"sleep": 9999}]
    script.write_text(json.dumps({"stories": {"US-001": [steps]}}))
    result, seen = ends_at("Bash: make", ScriptedAgent(processes, script), make_request())
    assert (result.process.end, seen[0]) == (ProcessEnd.CUT, "Bash: make")
