"""A plan as the JSON object of prd.json (DESIGN §4): its keys in order, those without a value left out."""

from prd_ralph.planning.values import Place, Plan, PlannedStory

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def prd_json(plan: Plan, source: str) -> dict[str, Json]:
    """What is written to prd.json. `source` is the path of the PRD as it is to be kept there.

    Without commands the key `verificationCommands` is absent, in a story too: an empty list would be an error.
    """
    stories: list[Json] = [story_json(story) for story in plan.stories]
    branch: dict[str, Json] = {"branchName": plan.branch} if plan.branch else {}
    commands: dict[str, Json] = {"verificationCommands": list(plan.commands)} if plan.commands else {}
    return {
        "project": plan.project,
        **branch,
        "description": plan.description,
        "source": source_json(plan, source),
        **commands,
        "userStories": stories,
    }


def source_json(plan: Plan, path: str) -> dict[str, Json]:
    """Where the stories come from: the path, the sha256 of it, and one of each story's text."""
    return {"path": path, "sha256": plan.sha256, "stories": {story.id: story.sha256 for story in plan.stories}}


def story_json(story: PlannedStory) -> dict[str, Json]:
    """One entry of `userStories`, not passing: a tick in the PRD is no proof."""
    commands: dict[str, Json] = {"verificationCommands": list(story.commands)} if story.commands else {}
    skip: dict[str, Json] = {"skip": True} if story.skip else {}
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


def place_json(place: Place, *, folder: bool) -> int | str:
    """A line as messages in JSON name it: its number, with the file before it where there are several."""
    return str(place) if folder else place.line
