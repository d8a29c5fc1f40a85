"""The environment that every agent is started with."""

from collections.abc import Mapping

from prd_ralph.model import AGENT_EMAIL

# Marks of an agent's session that prd-ralph itself was started from: some agents refuse to start below another one,
# or attach to its editor. Settings of the same families (CLAUDE_CODE_USE_BEDROCK, IS_SANDBOX, …) are the person's.
_NESTED = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SSE_PORT",
        "CURSOR_AGENT",
        "GEMINI_CLI",
        "OPENCODE",
        "QWEN_CODE",
    }
)

# By it HEAD's reflog tells an agent's commit from a person's.
_COMMITTER = {"GIT_COMMITTER_NAME": "prd-ralph agent", "GIT_COMMITTER_EMAIL": AGENT_EMAIL}


def nested(env: Mapping[str, str]) -> tuple[str, ...]:
    """The traces of an outer agent's session that are in `env`; an agent is not given them."""
    return tuple(sorted(env.keys() & _NESTED))


def agent_env(env: Mapping[str, str]) -> dict[str, str]:
    """`env` with a committer of the agent's own, and without the traces of an outer agent's session."""
    return {name: value for name, value in env.items() if name not in _NESTED} | _COMMITTER
