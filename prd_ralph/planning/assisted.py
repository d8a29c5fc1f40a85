"""A plan out of what an agent answered: the PRD's own words win, nothing passes, and what was added says so."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import LAST_PRIORITY, Check, Prd, Story
from prd_ralph.planning.coverage import Source, added, is_told, lost
from prd_ralph.planning.draft import fingerprint
from prd_ralph.planning.ids import key
from prd_ralph.planning.notices import without_command
from prd_ralph.planning.priorities import filled
from prd_ralph.planning.values import Concern, Place, Plan, PlannedStory


def refuse_unplannable(prd: Prd, file: str) -> None:
    """Raises ProblemsError for a valid document that makes no plan: no criteria, commands with options."""
    problems = [*_faults(prd.checks, ""), *(fault for story in prd.stories for fault in _story_faults(story))]
    if problems:
        raise ProblemsError(replace(problem, file=file) for problem in problems)


def _story_faults(story: Story) -> Iterator[Problem]:
    if not any(criterion.strip() for criterion in story.criteria):
        yield Problem("the story has no acceptanceCriteria", "say what must hold", line=story.line, story=story.id)
    yield from _faults(story.checks, story.id)


def _faults(checks: Sequence[Check], story: str) -> Iterator[Problem]:
    for check in checks:
        if not isinstance(check.run, str) or check != Check(check.run):
            yield Problem(f"the command {check.label} is no text", "write each command as one shell line", story=story)


def assisted(prd: Prd, read: Plan | None, sources: Sequence[Source], agent: str) -> Plan:
    """The plan of an accepted document. `read` is what rules read, None where they found no stories: then all that is
    at the top is the agent's too. Where they did, the project, the branch and the description are the PRD's.

    Of the rules' warnings those about missing commands, and of what found no place what has one now, are dropped.
    The sha256 is left to the caller where there is no `read`.
    """
    top = Place(sources[0].file, 1)
    priorities = filled(None if story.priority == LAST_PRIORITY else int(story.priority) for story in prd.stories)
    stories = tuple(
        _story(story, priority, read, top, agent) for story, priority in zip(prd.stories, priorities, strict=True)
    )
    made = Plan(prd.project, prd.branch, prd.description, _commands(prd.checks), stories, (), (), "")
    if read is not None:
        kept = tuple(notice for notice in read.warnings if notice.concern is not Concern.NO_COMMAND)
        warnings = (*kept, *lost(read, made, sources))
        unplaced = tuple(entry for entry in read.unplaced if not is_told(entry.text, made))
        made = replace(read, commands=made.commands, stories=stories, warnings=warnings, unplaced=unplaced)
    bare = () if made.commands else (without_command(story) for story in made.stories if not story.commands)
    return replace(made, warnings=(*made.warnings, *added(read, made, sources, agent), *bare))


def _story(story: Story, priority: int, read: Plan | None, top: Place, agent: str) -> PlannedStory:
    criteria = tuple(criterion for criterion in story.criteria if criterion.strip())
    commands = _commands(story.checks)
    same = next((each for each in read.stories if key(each.id) == key(story.id)), None) if read else None
    made = PlannedStory(
        story.id,
        story.title,
        same.place if same else top,
        fingerprint((story.title, story.description, *criteria, *commands)),
        story.description,
        criteria,
        priority,
        story.depends_on,
        commands,
        story.notes,
    )
    if same is None:
        return replace(made, notes="\n".join(filter(None, (story.notes, f"added by {agent}"))))
    # Only of what must hold as before may it later be said that it has not changed.
    unchanged = (same.criteria, same.commands) == (criteria, commands)
    return replace(made, skip=same.skip, sha256=same.sha256 if unchanged else made.sha256)


def _commands(checks: Sequence[Check]) -> tuple[str, ...]:
    return tuple(check.text for check in checks)
