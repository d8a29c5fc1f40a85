"""A plan as the JSON object of prd.json (DESIGN §4): its keys in order, those without a value left out."""

import json

from prd_ralph.planning.commands import JsonCommand
from prd_ralph.planning.stamps import TOP_KEYS, mark, stamp_of, value_of
from prd_ralph.planning.values import Json, Object, Plan, PlannedStory


def prd_json(plan: Plan, source: str | None) -> Object:
    """What is written to prd.json. `source` is the path of the PRD as it is to be kept there, None where it has none.

    Without commands the key `verificationCommands` is absent, in a story too: an empty list would be an error.
    """
    top, stories = top_json(plan), [story_json(story) for story in plan.stories]
    after = {key: top.pop(key) for key in ("verificationCommands",) if key in top}
    return {**top, "source": source_json(plan, source, stories), **after, "userStories": [*stories]}


def top_json(plan: Plan) -> Object:
    """The top keys that a PRD gives."""
    branch: Object = {"branchName": plan.branch} if plan.branch else {}
    commands: Object = {"verificationCommands": commands_json(plan.commands)} if plan.commands else {}
    return {"project": plan.project, **branch, "description": plan.description, **commands}


def source_json(plan: Plan, path: str | None, stories: list[Object]) -> Object:
    """Where the stories come from: the path and its sha256, and what tells later changes in it from those here."""
    top = top_json(plan)
    planned = zip(plan.stories, stories, strict=True)
    stamps: Object = {story.id: str(stamp_of(story.sha256, told)) for story, told in planned}
    return {
        **({"path": path} if path is not None else {}),
        "sha256": plan.sha256,
        "stories": stamps,
        "top": {key: mark(value_of(top, key)) for key in TOP_KEYS},
    }


def story_json(story: PlannedStory) -> Object:
    """One entry of `userStories`, not passing: a tick in the PRD is no proof."""
    commands: Object = {"verificationCommands": commands_json(story.commands)} if story.commands else {}
    skip: Object = {"skip": True} if story.skip else {}
    return {
        "id": story.id,
        "title": story.title,
        "description": story.description,
        "acceptanceCriteria": list(story.criteria),
        "priority": story.priority,
        "dependsOn": list(story.depends_on),
        **commands,
        "passes": False,
        "notes": story.notes,
        **skip,
    }


def commands_json(commands: tuple[str, ...]) -> list[Json]:
    """Commands as prd.json holds them: texts, and what was written as JSON."""
    return [json.loads(command) if isinstance(command, JsonCommand) else command for command in commands]
