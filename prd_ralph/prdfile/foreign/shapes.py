"""The names under which tools keep what a story has, and what a story looks like (docs/import.md)."""

from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.source import Object, listed

LIST_NAMES = ("userStories", "user_stories", "stories", "tasks", "items", "features", "requirements")
# `master` is the tag under which Task Master keeps what has none.
WRAPPERS = ("prd", "current_prd", "data", "master")
GROUP_NAMES = ("phases", "milestones", "epics", "features")
GROUPED_NAMES = ("userStories", "user_stories", "stories", "tasks", "items")

TITLES = ("title", "name", "task")
DESCRIPTIONS = ("description", "details", "detail", "objective", "goal", "user_story")
CRITERIA = (
    *("acceptanceCriteria", "acceptance_criteria", "acceptance", "criteria", "steps", "steps_to_verify"),
    *("verificationSteps", "requirements", "subtasks", "exit_criteria", "dod", "tests"),
)
ASSERTIONS = ("test", "assertions")
FLAGS = ("passed", "completed", "complete", "done")
DEPENDENCIES = ("dependsOn", "depends_on", "dependencies", "blockedBy", "blocked_by")

_TITLE_LIKE = frozenset((*TITLES, *DESCRIPTIONS))
_STORY_LIKE = frozenset((*CRITERIA, "passes", *FLAGS, "status", "priority"))


def is_story(value: Json) -> bool:
    """Whether it looks like a story: it says what it is, and how it is judged or where it stands."""
    if not isinstance(value, dict) or _TITLE_LIKE.isdisjoint(value):
        return False
    return not _STORY_LIKE.isdisjoint(value) or has_text_tasks(value) or bool(assertions(value))


def is_group(value: Json) -> bool:
    """Whether it holds stories rather than being one: they hang below it, and it has no criteria of its own."""
    if not isinstance(value, dict) or any(value.get(key) for key in CRITERIA):
        return False
    return any(is_story(entry) for name in GROUPED_NAMES for entry in entries_of(value, name))


def entries_of(holder: Json, name: str) -> list[Json]:
    """What a list, or an object of things by their id, holds under `name`."""
    value = holder.get(name) if isinstance(holder, dict) else None
    return list(value.values()) if isinstance(value, dict) else listed(holder, name)


def has_text_tasks(story: Object) -> bool:
    """Whether `tasks` are steps in words, and so criteria."""
    tasks = listed(story, "tasks")
    return bool(tasks) and all(isinstance(task, str) for task in tasks)


def assertions(story: Object) -> Json:
    """What stands under `test.assertions`."""
    outer, inner = ASSERTIONS
    test = story.get(outer)
    return test.get(inner) if isinstance(test, dict) else None


def is_empty(value: Json) -> bool:
    """Whether a key with this value counts as not there."""
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())
