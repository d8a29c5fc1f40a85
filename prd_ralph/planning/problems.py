"""The errors of planning, in four kinds beside what cannot be read at all. All are told in one go."""

from collections.abc import Iterable
from enum import StrEnum

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.planning.values import Place


class ErrorKind(StrEnum):
    """Why no plan is made. The order is that of importance: the first kind that is met is `PlanError.kind`."""

    UNREADABLE = "unreadable"
    DUPLICATE_ID = "duplicate_id"
    NO_STORIES = "no_stories"
    NO_CRITERIA = "no_criteria"
    UNKNOWN_DEPENDENCY = "unknown_dependency"


class PlanError(ProblemsError):
    """No plan can be made. `kind` is the gravest kind met, `places` its lines; `problems` tells of all kinds."""

    def __init__(self, found: Iterable[tuple[ErrorKind, Problem]], places: Iterable[Place] | None = None) -> None:
        told = tuple(found)
        super().__init__(problem for _, problem in told)
        self.kind = min((kind for kind, _ in told), key=list(ErrorKind).index)
        graves = (problem for kind, problem in told if kind is self.kind)
        self.places = tuple(places) if places is not None else tuple(_places(graves))


def _places(problems: Iterable[Problem]) -> Iterable[Place]:
    return sorted({Place(problem.file, problem.line) for problem in problems if problem.line is not None})


def unreadable(file: str, message: str, hint: str, line: int | None = None) -> PlanError:
    """The error for a file that is no markdown that could be read."""
    return PlanError([(ErrorKind.UNREADABLE, Problem(message, hint, file, line))])
