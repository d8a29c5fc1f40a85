"""An agent's request as a process: what is the same whatever the agent."""

from collections.abc import Mapping
from pathlib import Path

from prd_ralph.ports import AgentRequest, ProcessRequest


def process_request(
    request: AgentRequest, argv: tuple[str, ...], env: Mapping[str, str], stdin: Path | None
) -> ProcessRequest:
    """Two streams, each with its log; an idle limit of 0 is none, and work of the processor is a sign of life."""
    return ProcessRequest(
        argv=argv,
        cwd=request.cwd,
        env=env,
        stdin=stdin,
        log=request.transcript,
        separate=True,
        stderr_log=request.transcript.with_name(f"{request.transcript.name}.stderr"),
        wall_s=request.wall_s,
        idle_s=request.idle_s or None,
        idle_counts_cpu=True,
    )
