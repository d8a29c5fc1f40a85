"""What is noticed while a file is read: its faults, and what was understood only by a rule."""

from prd_ralph.errors import Problem
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.source import Source, pointer_of


class Findings:
    """Filled by the readers of one file; a reader that finds a fault goes on with a value that will do."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._problems: dict[str, Problem] = {}
        self._warnings: dict[str, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems.values())

    @property
    def warnings(self) -> tuple[str, ...]:
        """`code pointer`, each once."""
        return tuple(self._warnings)

    def wrong(self, path: Path, message: str, hint: str) -> None:
        """A fault; of several at one place the first is told."""
        problem = self._source.problem(path, message, hint)
        self._problems.setdefault(problem.pointer or "", problem)

    def warn(self, code: str, place: Path | str) -> None:
        """`place` is a path, or a pointer with `*` for indices."""
        self._warnings[f"{code} {place if isinstance(place, str) else pointer_of(place)}"] = None

    def line(self, path: Path) -> int:
        return self._source.line(path)
