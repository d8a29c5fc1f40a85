"""Agents by name."""

import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from prd_ralph.agents.command import CommandAgent
from prd_ralph.agents.preset import PresetAgent
from prd_ralph.agents.presets import PRESETS
from prd_ralph.agents.scripted.adapter import SCRIPT_VARIABLE, ScriptedAgent
from prd_ralph.errors import BlockedError, RalphError
from prd_ralph.ports import Agent, Processes

_OTHERS = {
    "command": "any command of yours: --agent-command 'CMD', the prompt on its stdin or where {prompt_file} stands",
    "scripted": "plays a JSON script (PRD_RALPH_SCRIPT): for demos, tests and bug reports",
}
Autonomy = Mapping[str, Sequence[str] | None]


def names() -> tuple[str, ...]:
    """All that `--agent` and a story's `agent` may say."""
    return (*PRESETS, *_OTHERS)


def presets() -> tuple[str, ...]:
    """Those that are programs which we know how to call."""
    return tuple(PRESETS)


def descriptions() -> dict[str, str]:
    """What each one is, by name."""
    return {**{name: preset.about for name, preset in PRESETS.items()}, **_OTHERS}


def default_autonomy(name: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The flags by which the agent called `name` acts without asking, where the person has set none."""
    return PRESETS[name].default_autonomy(env)


def answering() -> Autonomy:
    """By preset, the flags by which it answers without being able to change anything: for `resolve`."""
    return {name: preset.answering for name, preset in PRESETS.items()}


def login_hint(name: str) -> str:
    """What to do where the agent called `name` is not logged in."""
    return PRESETS[name].login


def found(env: Mapping[str, str]) -> dict[str, Path]:
    """The presets whose programs are on PATH, and where."""
    located = {name: preset.locate(env) for name, preset in PRESETS.items()}
    return {name: path for name, path in located.items() if path is not None}


def name_of(name: str | None, command: str | None, env: Mapping[str, str]) -> str:
    """The name that the agent goes by which these two ask for. Raises BlockedError (exit 3) where there is none."""
    return name or ("command" if command is not None else _only_one(env))


def resolve(
    name: str | None,
    command: str | None,
    *,
    processes: Processes,
    root: Path,
    env: Mapping[str, str],
    autonomy: Autonomy | None = None,
    home: Path | None = None,
    now: Callable[[], float] = time.time,
) -> Agent:
    """The agent called `name`; without a name the one that `command` (`--agent-command`) describes; without either
    the only preset on PATH.

    `autonomy`: by preset, the flags of the person's choice; None or left out: the preset's own. `home`: where a
    relative path of the command's program begins, if not where the agent is started. `now` gives Unix time.
    Raises RalphError for an unknown name or a broken script (exit 2), BlockedError (exit 3) where no agent is
    configured or its program is missing: before anything is started.
    """
    name = name_of(name, command, env)
    if name in PRESETS:
        return PresetAgent(PRESETS[name], processes, root, env, (autonomy or {}).get(name))
    if name == "scripted":
        return _scripted(processes, env, now)
    if name != "command":
        raise RalphError(f"unknown agent: {name}", _suggestion(name))
    if command is None:
        raise RalphError("the agent `command` needs a command line", 'give it: --agent-command "CMD"')
    agent = CommandAgent(processes, command, home, now)
    agent.check(root, env)
    return agent


def _only_one(env: Mapping[str, str]) -> str:
    here = tuple(found(env))
    if not here:
        raise BlockedError(
            f"no agent is configured, and none is on PATH (looked for {', '.join(PRESETS)})",
            'install one, or name any command: --agent-command "CMD" (agent_command in prd-ralph.toml: prd-ralph init)',
        )
    if len(here) > 1:
        raise BlockedError(
            f"no agent is configured, and there are several: {', '.join(here)}",
            f'name one: --agent {here[0]}, or agent = "{here[0]}" in prd-ralph.toml',
        )
    return here[0]


def _scripted(processes: Processes, env: Mapping[str, str], now: Callable[[], float]) -> Agent:
    script = env.get(SCRIPT_VARIABLE)
    if not script:
        raise RalphError("the agent `scripted` needs a script", f"set {SCRIPT_VARIABLE} to the path of its JSON script")
    return ScriptedAgent(processes, Path(script), now)


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name, names(), 1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(names())}; any other by --agent-command"
