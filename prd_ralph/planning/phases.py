"""Each story as several, one a phase: to build it first and polish it after, say. Pure: a plan in, a plan out.

`US-001` in the phases build and polish becomes `US-001-build` and `US-001-polish`. The later depends on the earlier;
what depended on the story depends on its last phase, because only then is it done. Every phase has the story's
criteria and its commands: the first one makes them green, and a later one may not break them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from prd_ralph.errors import Problem, ProblemsError, RalphError
from prd_ralph.planning.draft import fingerprint
from prd_ralph.planning.ids import key
from prd_ralph.planning.values import Plan, PlannedStory

_NAME = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")
_EXAMPLE = "name them as --phases build,polish"


def phases_of(text: str) -> tuple[str, ...]:
    """The phases that a list with commas names. Raises RalphError for none, a double or one that suits no id."""
    names = tuple(name.strip() for name in text.split(","))
    unfit = [name for name in names if not _NAME.fullmatch(name)]
    if unfit:
        raise RalphError(f"{unfit[0]!r} is no phase", f"letters, digits and hyphens; {_EXAMPLE}")
    if len({key(name) for name in names}) < len(names):
        raise RalphError("a phase is named twice", _EXAMPLE)
    return names


def in_phases(plan: Plan, phases: Sequence[str]) -> Plan:
    """The plan with each story in these phases. Priorities keep the stories' order, and in it that of the phases.

    Raises ProblemsError where a new id is one that another story has already.
    """
    _refuse_doubles(plan, phases)
    last = {story.id: _id(story.id, phases[-1]) for story in plan.stories}
    rank = {number: at for at, number in enumerate(sorted({story.priority for story in plan.stories}))}
    stories = (
        replace(each, priority=rank[story.priority] * len(phases) + step)
        for story in plan.stories
        for step, each in enumerate(_phased(story, phases, [last[name] for name in story.depends_on]), start=1)
    )
    return replace(plan, stories=tuple(stories))


def _id(story_id: str, phase: str) -> str:
    return f"{story_id}-{phase}"


def _phased(story: PlannedStory, phases: Sequence[str], depends_on: Iterable[str]) -> Iterator[PlannedStory]:
    before = tuple(depends_on)
    for phase in phases:
        story_id = _id(story.id, phase)
        yield replace(
            story,
            id=story_id,
            title=f"{story.title} ({phase})",
            depends_on=before,
            sha256=fingerprint((story.sha256, phase)),
        )
        before = (story_id,)


def _refuse_doubles(plan: Plan, phases: Sequence[str]) -> None:
    seen: dict[tuple[str, ...], PlannedStory] = {}
    problems = []
    for story in plan.stories:
        for phase in phases:
            other = seen.setdefault(key(_id(story.id, phase)), story)
            if other is not story:
                message = f"{story.id} and {other.id} have the same id in the phase {phase}"
                place = story.place
                problems.append(Problem(message, "name the phase otherwise", place.file, place.line, story=story.id))
    if problems:
        raise ProblemsError(problems)
