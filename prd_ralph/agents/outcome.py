"""What an agent's process says about the agent, where its output says nothing better."""

from prd_ralph.model import FailureClass, ProcessEnd, ProcessResult

_BY_END = {
    ProcessEnd.WALL: FailureClass.HANG,
    ProcessEnd.IDLE: FailureClass.HANG,
    # Stopped by the person: no failure of the agent's.
    ProcessEnd.STOPPED: None,
}


def failure_of(process: ProcessResult) -> FailureClass | None:
    """None for an agent that ended by itself with status 0, or that the person stopped."""
    return None if process.ok else _BY_END.get(process.end, FailureClass.ERROR)
