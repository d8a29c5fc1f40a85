"""What an agent made where git ignores it, and what commands have left behind: a pass may rest on it, no clone has it.

What tools install and cache there is left alone: commands would only make it again, and that takes long.
"""

from collections.abc import Collection

from prd_ralph.patterns import Patterns
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Stamp, lstat, stamp
from prd_ralph.workspace.status import below, split_z

_AGAIN = Patterns(
    (
        *("node_modules", ".venv", "venv", "vendor", "*.egg-info", ".eggs", ".tox", ".nox", ".yarn", ".pnpm-store"),
        *(
            "__pycache__",
            "*.pyc",
            ".pytest_cache",
            ".mypy_cache",
            ".ruff_cache",
            ".hypothesis",
            ".cache",
            "*.tsbuildinfo",
        ),
        *(".gradle", ".turbo", ".parcel-cache", ".coverage*", "coverage", "htmlcov", "*.log", ".DS_Store"),
    )
)


class Outputs:
    """Of one attempt after the other."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._before: frozenset[str] | None = None
        self._at_first: dict[str, Stamp | None] | None = None
        self._made: tuple[str, ...] = ()

    def resume(self) -> None:
        """What commands have left behind may be another run's agent's doing."""
        self._at_first = {}

    def note(self, left: frozenset[str]) -> None:
        """An agent is about to start. `left`: what commands have left behind; of no agent before the first."""
        self._before, self._made = self._look(), ()
        if self._at_first is None:
            self._at_first = {path: self._stamp(path) for path in left}

    def look(self, left: frozenset[str], theirs: Collection[str]) -> None:
        """The agent has ended. `theirs`: what is the person's, though an agent may have told git to ignore it.

        Where nobody noted what was there before, nothing is known to be the agent's.
        """
        before, first = self._before, self._at_first or {}
        new = self._look() - before if before is not None else frozenset[str]()
        held = frozenset(path for path in new if below(path, theirs) or any(each.startswith(path) for each in theirs))
        new = new - held | {path for path in left if (now := self._stamp(path)) is not None and first.get(path) != now}
        self._made = tuple(path for path in sorted(new) if not _AGAIN.match(path.rstrip("/")))
        self._before = None

    def made(self, but: tuple[str, ...]) -> tuple[str, ...]:
        """Files, and folders that end in `/`; those apart that are among `but` or below it."""
        return tuple(path for path in self._made if not below(path.rstrip("/"), [each.rstrip("/") for each in but]))

    def _stamp(self, path: str) -> Stamp | None:
        found = lstat(self._desk.root / path)
        return stamp(found) if found else None

    def _look(self) -> frozenset[str]:
        desk = self._desk
        listed = split_z(
            desk.git("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z", index=desk.base_index)
        )
        return frozenset(path for path in listed if not desk.own(path.rstrip("/")))
