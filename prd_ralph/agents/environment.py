"""The environment that an agent is started with."""

from collections.abc import Mapping

from prd_ralph.model import STORY_VARIABLE

ATTEMPT_VARIABLE = "PRD_RALPH_ATTEMPT"
COMMITTER = ("prd-ralph agent", "agent@prd-ralph.invalid")

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


def agent_env(env: Mapping[str, str], story_id: str, mark: str) -> dict[str, str]:
    """`env` for an agent at work on `story_id`: own committer, story and mark, no trace of an outer session."""
    kept = {name: value for name, value in env.items() if name not in _NESTED}
    name, email = COMMITTER
    own = {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email, STORY_VARIABLE: story_id}
    return with_mark({**kept, **own}, mark)


def with_mark(env: Mapping[str, str], mark: str) -> dict[str, str]:
    """`env` with `mark` at the end of `PRD_RALPH_ATTEMPT`, a list with `:` between (an outer run's marks stay)."""
    outer = env.get(ATTEMPT_VARIABLE, "")
    return {**env, ATTEMPT_VARIABLE: f"{outer}:{mark}" if outer else mark}
