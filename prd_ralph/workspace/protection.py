"""What decides verdicts beside prd.json: protected files are put back, and what else may sway a command is named."""

from typing import Literal

from prd_ralph.ports import Candidate
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.ground import Ground

Protect = tuple[str, ...] | Literal["auto"]


class Protection:
    """`protect`: patterns as in .gitignore, or `auto`: what existed as tests when the run began."""

    def __init__(self, desk: Desk, protect: Protect) -> None:
        self._desk = desk
        self._protect = protect

    def note(self, base: str) -> None:
        """Sees what is protected, before an agent starts."""

    def put_back(self, base: str) -> tuple[str, ...]:
        """Puts protected files back as `base` has them; names what was changed."""
        return ()

    def suspects(self, base: str, candidate: Candidate, ground: Ground) -> tuple[str, ...]:
        """What of the attempt's may sway a command though nobody looked: `path: why`."""
        return ()
