"""How Codex is called."""

import time
from collections.abc import Sequence

from prd_ralph.agents.codex.stream import CodexStream
from prd_ralph.agents.preset import Preset

# Updates, statistics and the sync of plugins and apps, which no story needs, at every start.
_QUIET = (
    *("-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"),
    *("--disable", "plugins", "--disable", "apps"),
)


def _arguments(autonomy: Sequence[str], model: str | None) -> tuple[str, ...]:
    """`-` reads the prompt from stdin; with a prompt as argument it would wait for the end of stdin all the same."""
    chosen = ("--model", model) if model else ()
    return ("exec", "--json", *autonomy, *_QUIET, *chosen, "-")


CODEX = Preset(
    name="codex",
    about="OpenAI Codex; its own login or CODEX_API_KEY",
    login="log in (`codex login`) or set CODEX_API_KEY",
    arguments=_arguments,
    environment=dict,
    default_autonomy=lambda env: ("--dangerously-bypass-approvals-and-sandbox",),
    refusal=lambda autonomy, env: None,
    stream=lambda on_action: CodexStream(on_action, time.time),
    answering=("--sandbox", "read-only", "--skip-git-repo-check"),
    tells=("tokens",),
)
