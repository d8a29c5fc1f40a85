"""What has to be seen before an agent can edit what decides it; each of it is looked at once."""

from functools import cached_property

from prd_ralph.workspace import begin, plain
from prd_ralph.workspace.desk import Desk


class Early:
    """`desk`'s base index must have been noted."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def look(self) -> None:
        """Now: an agent is about to start."""
        _ = self.committed, self.signature

    @cached_property
    def committed(self) -> tuple[str, ...]:
        """Those of prd.json and progress.txt that git does not ignore."""
        return begin.in_commits(self._desk)

    @cached_property
    def signature(self) -> plain.Signature | None:
        """Whose name landings bear where nothing of the person's runs in them; None where something would."""
        return plain.signature(self._desk)
