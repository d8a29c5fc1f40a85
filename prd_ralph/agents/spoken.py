"""An agent without a protocol: each line that is not blank is something that it says."""

from collections.abc import Callable

from prd_ralph.agents.lines import LineSplitter
from prd_ralph.model import ActionKind, AgentAction


def spoken(on_action: Callable[[AgentAction], object]) -> LineSplitter:
    """Takes the bytes of stdout."""

    def say(line: bytes) -> None:
        if line.strip():
            on_action(AgentAction(ActionKind.SAYS, line.decode("utf-8", "replace")))

    return LineSplitter(say)
