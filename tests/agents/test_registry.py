import json
import os
from pathlib import Path

import pytest

from prd_ralph.agents import registry
from prd_ralph.errors import BlockedError, ExitCode, RalphError
from prd_ralph.ports import Agent
from tests.support.plain import PlainProcesses


def resolve(name: str | None, command: str | None, root: Path, **env: str) -> Agent:
    return registry.resolve(name, command, processes=PlainProcesses(), root=root, env={**os.environ, **env})


def test_a_command_line_needs_no_name(root: Path) -> None:
    assert resolve(None, "sh -c true", root).label == "command sh"
    assert resolve("command", "sh -c true", root).label == "command sh"


def test_the_scripted_agent_is_found_by_its_script(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": []}))
    assert resolve("scripted", None, root, PRD_RALPH_SCRIPT=str(script)).label.startswith("scripted ")


def test_a_name_counts_for_more_than_a_command_line(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": []}))
    assert resolve("scripted", "sh", root, PRD_RALPH_SCRIPT=str(script)).label.startswith("scripted ")


@pytest.mark.parametrize(
    ("name", "command", "error", "code", "hint"),
    [
        (None, None, "no agent is configured", ExitCode.ENVIRONMENT, "--agent-command"),
        ("command", None, "needs a command line", ExitCode.BAD_INPUT, "--agent-command"),
        ("scripted", None, "needs a script", ExitCode.BAD_INPUT, "PRD_RALPH_SCRIPT"),
        ("scriptd", None, "unknown agent: scriptd", ExitCode.BAD_INPUT, "did you mean scripted?"),
        ("qqq", "sh", "unknown agent: qqq", ExitCode.BAD_INPUT, "known: claude, codex, command, scripted"),
        (None, "no-such-agent -p", "agent not found: no-such-agent", ExitCode.ENVIRONMENT, "install it"),
    ],
)
def test_what_cannot_be_resolved_is_told_with_a_hint(
    root: Path, name: str | None, command: str | None, error: str, code: ExitCode, hint: str
) -> None:
    with pytest.raises(RalphError, match=error) as caught:
        resolve(name, command, root)
    assert caught.value.code is code
    assert hint in caught.value.problems[0].hint


def test_a_missing_program_is_the_environments_fault(root: Path) -> None:
    with pytest.raises(BlockedError):
        resolve(None, "no-such-agent", root)


def test_names_lists_what_can_be_asked_for() -> None:
    assert registry.names() == ("claude", "codex", "command", "scripted")
