"""What an agent's stream told, and what that makes of its process."""

import re
from dataclasses import dataclass

from prd_ralph.agents.failures import failure_of, in_one_line
from prd_ralph.excerpt import plain_text
from prd_ralph.model import AgentResult, FailureClass, ProcessEnd, ProcessResult, Tokens


@dataclass(frozen=True, slots=True)
class Told:
    """`began`: anything of the agent's protocol was seen. `ended`: so was its closing event, which may be a failure.

    The rest is as in AgentResult.
    """

    began: bool = False
    ended: bool = False
    text: str = ""
    failure: FailureClass | None = None
    error: str = ""
    tokens: Tokens | None = None
    cost_usd: float | None = None
    session: str | None = None
    reset_at: float | None = None
    tool_calls: int | None = None
    notes: tuple[str, ...] = ()
    model: str | None = None


def result_of(process: ProcessResult, told: Told, hint: str = "") -> AgentResult:
    """The structured verdict comes before the exit code; a process that met a limit of ours is judged by that alone.

    `hint`: what to do where the agent has no login.
    """
    failure = _failure(process, told)
    # Of one that ended well, or was ended by us, stderr holds warnings and no error.
    complained = failure not in (None, FailureClass.NO_WORK, FailureClass.HANG)
    error = told.error or (_last_line(process.stderr) if complained else "")
    return AgentResult(
        process,
        text=told.text,
        failure=failure,
        tokens=told.tokens,
        cost_usd=told.cost_usd,
        session=told.session,
        reset_at=told.reset_at if failure is FailureClass.USAGE_LIMIT else None,
        tool_calls=told.tool_calls,
        error=in_one_line(error) if failure else "",
        hint=hint if failure is FailureClass.AUTH else "",
        notes=told.notes,
        model=told.model,
    )


def _failure(process: ProcessResult, told: Told) -> FailureClass | None:
    if process.end not in (ProcessEnd.EXITED, ProcessEnd.CUT, ProcessEnd.LINGERED):
        return failure_of(process)
    if not told.ended:
        # A protocol that breaks off is no success, whatever the exit code.
        failed = failure_of(process, told.began) or (FailureClass.ERROR if told.began else None)
        return told.failure or failed
    if told.failure is None and told.tool_calls == 0:
        return FailureClass.NO_WORK
    return told.failure


def _last_line(data: bytes) -> str:
    lines = re.split(r"\n+", plain_text(data).strip())
    return lines[-1] if lines else ""
