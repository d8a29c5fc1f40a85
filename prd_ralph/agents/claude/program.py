"""How Claude Code is called."""

import os
import time
from collections.abc import Mapping, Sequence

from prd_ralph.agents.claude.stream import ClaudeStream
from prd_ralph.agents.preset import Preset
from prd_ralph.errors import Problem

_SKIP = "--dangerously-skip-permissions"
_SANDBOX = "IS_SANDBOX"
_TOOLS = "Bash,Edit,Write,Read,NotebookEdit,Glob,Grep,Agent,Task,TodoWrite,Skill,WebFetch,WebSearch"

# Traffic that no story needs; and ten retries are three minutes without a word. What the person has set, stays.
_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_MAX_RETRIES": "3",
}


def _arguments(autonomy: Sequence[str], model: str | None) -> tuple[str, ...]:
    chosen = ("--model", model) if model else ()
    return ("-p", "--output-format", "stream-json", "--verbose", *autonomy, *chosen)


def _autonomy(env: Mapping[str, str]) -> tuple[str, ...]:
    """As root it refuses to skip permissions, unless IS_SANDBOX is exactly 1; naming the tools is always allowed."""
    return ("--allowedTools", _TOOLS) if _is_bare_root(env) else (_SKIP,)


def _refusal(autonomy: Sequence[str], env: Mapping[str, str]) -> Problem | None:
    given = " ".join(autonomy)
    if _is_bare_root(env) and (_SKIP in given or "bypassPermissions" in given):
        return Problem(
            f"claude refuses {given} for root",
            f"set {_SANDBOX}=1 (exactly 1) if this is a sandbox, or leave autonomy.claude out: then tools are named",
        )
    return None


def _is_bare_root(env: Mapping[str, str]) -> bool:
    return os.geteuid() == 0 and env.get(_SANDBOX) != "1"


CLAUDE = Preset(
    name="claude",
    about="Claude Code; its own login or ANTHROPIC_API_KEY",
    login="log in (`claude`, then /login) or set ANTHROPIC_API_KEY",
    arguments=_arguments,
    environment=lambda env: {**_QUIET, **env},
    default_autonomy=_autonomy,
    refusal=_refusal,
    stream=lambda on_action: ClaudeStream(on_action, time.time),
    answering=("--tools", "", "--strict-mcp-config"),
    tells=("cost", "tokens"),
)
