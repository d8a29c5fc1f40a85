"""A plan out of what an agent answered: the PRD's own words win, nothing passes, and what was added says so."""

import json
from collections.abc import Sequence
from dataclasses import replace

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import LAST_PRIORITY, Check, Prd, Story
from prd_ralph.planning.commands import JsonCommand
from prd_ralph.planning.coverage import Source, added, is_told, lost
from prd_ralph.planning.draft import fingerprint
from prd_ralph.planning.ids import key
from prd_ralph.planning.notices import without_command
from prd_ralph.planning.priorities import filled
from prd_ralph.planning.values import Concern, Place, Plan, PlannedStory

# An agent reads all files, and what it leaves without commands is looked for anew.
_RULES_ALONE = (Concern.NO_COMMAND, Concern.FILE)


def refuse_bare(prd: Prd, file: str) -> None:
    """Raises ProblemsError for a valid document that makes no plan: with a story without criteria."""
    hint = "say what must hold"
    bare = [story for story in prd.stories if not any(criterion.strip() for criterion in story.criteria)]
    if bare:
        raise ProblemsError(
            Problem("the story has no acceptanceCriteria", hint, file, story.line, story=story.id) for story in bare
        )


def assisted(prd: Prd, read: Plan, sources: Sequence[Source], agent: str) -> Plan:
    """The plan of an accepted document. `read` is what rules read, with no stories where they found none: project,
    branch and description are the PRD's.

    Of the rules' warnings those that no longer hold are dropped, and so is of what found no place what has one now.
    """
    priorities = filled(None if story.priority == LAST_PRIORITY else int(story.priority) for story in prd.stories)
    top = Place(sources[0].file, 1)
    stories = tuple(
        _story(story, priority, read, top, agent) for story, priority in zip(prd.stories, priorities, strict=True)
    )
    made = replace(
        read, commands=_commands(prd.checks), stories=stories, description=read.description or prd.description
    )
    kept = (notice for notice in read.warnings if notice.concern not in _RULES_ALONE)
    bare = () if made.commands else (without_command(story) for story in stories if not story.commands)
    warnings = (*kept, *lost(read, made, sources), *added(read, made, sources, agent), *bare)
    unplaced = tuple(entry for entry in read.unplaced if not is_told(entry.text, made))
    return replace(made, warnings=warnings, unplaced=unplaced)


def _story(story: Story, priority: int, read: Plan, top: Place, agent: str) -> PlannedStory:
    criteria = tuple(criterion for criterion in story.criteria if criterion.strip())
    commands = _commands(story.checks)
    same = next((each for each in read.stories if key(each.id) == key(story.id)), None)
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
    return tuple(map(_command, checks))


def _command(check: Check) -> str:
    """As rules have it: a shell line as its text, all else as the JSON that it is in prd.json."""
    run = check.run if isinstance(check.run, str) else list(check.run)
    if check == Check(check.run):
        return run if isinstance(run, str) else JsonCommand(json.dumps(run, ensure_ascii=False))
    options = {
        "name": check.name,
        "run": run,
        "cwd": check.cwd if check.cwd != "." else None,
        "timeout": _whole(check.timeout_s),
        "env": dict(check.env),
        "retries": check.retries,
        "when": check.when if check.when != "always" else None,
        "minTests": check.min_tests,
        "parallel": check.parallel,
    }
    said = {key: value for key, value in options.items() if value or (key == "minTests" and value == 0)}
    return JsonCommand(json.dumps(said, ensure_ascii=False))


def _whole(number: float | None) -> float | None:
    """5 and not 5.0, as a person writes it."""
    return int(number) if number is not None and number == int(number) else number
