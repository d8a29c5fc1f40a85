"""What decides verdicts beside prd.json: protected files are put back, and what else may sway a command is named."""

from typing import Literal

from prd_ralph.ports import Candidate, Current
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.ground import Ground
from prd_ralph.workspace.surroundings import Surroundings

Protect = tuple[str, ...] | Literal["auto"]


class Protection:
    """`protect`: patterns as in .gitignore, or `auto`: what existed as tests when the run began."""

    def __init__(self, desk: Desk, protect: Protect) -> None:
        self._desk = desk
        self._protect = protect
        self._surroundings = Surroundings(desk)

    def note(self, base: str) -> None:
        """Sees what is protected, before an agent starts."""
        self._surroundings.note()

    def put_back(self, base: str) -> tuple[str, ...]:
        """Puts protected files back as `base` has them; names what was changed."""
        self._surroundings.look()
        return ()

    def suspects(self, base: str, candidate: Candidate, ground: Ground) -> tuple[str, ...]:
        """What of the attempt's may sway a command though nobody looked: `path: why`."""
        return self._surroundings.suspects(candidate)

    def put_back_outside(self) -> tuple[str, ...]:
        """Puts back what every program reads, git too: before git is asked anything after an agent."""
        return self._surroundings.put_back()

    def resume(self, current: Current) -> None:
        """Takes up what was seen before the attempt that `current` tells of."""
        self._surroundings.resume(current.key.run, killed=not current.ended)
