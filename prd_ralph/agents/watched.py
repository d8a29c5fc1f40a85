"""Who is told of an agent's actions may have seen enough of it."""

from prd_ralph.model import AgentAction
from prd_ralph.ports import OnAction


class Watched:
    """Hands actions on, and remembers in `enough` that their taker has once said True: the attempt is to end."""

    def __init__(self, on_action: OnAction) -> None:
        self._on_action = on_action
        self.enough = False

    def __call__(self, action: AgentAction) -> None:
        self.enough = self._on_action(action) is True or self.enough
