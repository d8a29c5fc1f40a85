"""Agents by name."""

import difflib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from prd_ralph.agents.command import CommandAgent
from prd_ralph.agents.scripted.adapter import SCRIPT_VARIABLE, ScriptedAgent
from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.ports import Agent, Processes

_AGENTS = {
    "command": "any command of yours: --agent-command 'CMD', the prompt on its stdin or where {prompt_file} stands",
    "scripted": "plays a JSON script (PRD_RALPH_SCRIPT): for demos, tests and bug reports",
}
_NAMES = tuple(_AGENTS)


def names() -> tuple[str, ...]:
    """All that `--agent` and a story's `agent` may say."""
    return _NAMES


def presets() -> tuple[str, ...]:
    """Those that are programs which we know how to call."""
    return ("claude", "codex")


def default_autonomy(name: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The flags by which the agent called `name` acts without asking, where the person has set none."""
    if name == "codex":
        return ("--dangerously-bypass-approvals-and-sandbox",)
    bare_root = os.geteuid() == 0 and env.get("IS_SANDBOX") != "1"
    return ("--allowedTools", "Bash,Edit,Write,Read") if bare_root else ("--dangerously-skip-permissions",)


def found(env: Mapping[str, str]) -> dict[str, Path]:
    """The presets whose programs are on PATH, and where."""
    located = {name: shutil.which(name, path=env.get("PATH", "")) for name in presets()}
    return {name: Path(path) for name, path in located.items() if path is not None}


def descriptions() -> dict[str, str]:
    """What each one is, by name."""
    return dict(_AGENTS)


def resolve(
    name: str | None, command: str | None, *, processes: Processes, root: Path, env: Mapping[str, str]
) -> Agent:
    """The agent called `name`; without a name the one that `command` (`--agent-command`) describes.

    Raises RalphError for an unknown name or a broken script (exit 2), BlockedError (exit 3) where no agent is
    configured or its program is missing: before anything is started.
    """
    if name is None and command is None:
        raise BlockedError(
            "no agent is configured",
            'name one: --agent-command "CMD" (prompt on stdin), or agent_command in prd-ralph.toml (prd-ralph init)',
        )
    if name == "scripted":
        return _scripted(processes, env)
    if name not in (None, "command"):
        raise RalphError(f"unknown agent: {name}", _suggestion(str(name)))
    if command is None:
        raise RalphError("the agent `command` needs a command line", 'give it: --agent-command "CMD"')
    agent = CommandAgent(processes, command)
    agent.check(root, env)
    return agent


def _scripted(processes: Processes, env: Mapping[str, str]) -> Agent:
    script = env.get(SCRIPT_VARIABLE)
    if not script:
        raise RalphError("the agent `scripted` needs a script", f"set {SCRIPT_VARIABLE} to the path of its JSON script")
    return ScriptedAgent(processes, Path(script))


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name, _NAMES, 1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(_NAMES)}; any other by --agent-command"
