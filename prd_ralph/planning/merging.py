"""The new document of a re-plan: the old one with what was decided, and everything else as it was. Pure."""

from collections.abc import Sequence

from prd_ralph.planning.matching import stories_in
from prd_ralph.planning.replan import Decision, Replan, What
from prd_ralph.planning.stamps import TOP_KEYS
from prd_ralph.planning.values import Json, Object, Plan

_ORDER = (
    *("$schema", "project", "name", "branchName", "baseBranch", "description", "source", "setup"),
    *("verificationCommands", "protect", "userStories"),
)
_STORY_ORDER = (
    *("id", "title", "description", "acceptanceCriteria", "priority", "dependsOn", "verificationCommands"),
    *("passes", "notes", "skip"),
)
_DEFAULTS: Object = {"verificationCommands": [], "skip": False}
"""A story does not say these: no commands would be an error, and nothing is held."""


def merged(document: Object, plan: Plan, path: str | None, replan: Replan) -> Object:
    """`path` is that of the PRD, None where it has none that prd.json could name: then the one there stays.

    While a conflict is left, `source.sha256` stays that of the last plan: not all of the PRD is in there yet.
    """
    result = dict(document)
    for decision in replan.top:
        for key, value in decision.taken:
            result = _with(result, key, value, _ORDER)
    result["userStories"] = [*_stories(document, replan)]
    return _with(result, "source", _source(document, plan, path, replan), _ORDER)


def _with(value: Object, key: str, new: Json, order: Sequence[str]) -> Object:
    """With a key set, or without it where its value says nothing; a new key stands where `order` has it."""
    if new is None or (key in _DEFAULTS and new == _DEFAULTS[key]):
        return {name: old for name, old in value.items() if name != key}
    if key in value:
        return {**value, key: new}
    later = set(order[order.index(key) + 1 :])
    names = list(value)
    at = next((number for number, name in enumerate(names) if name in later), len(names))
    return {name: value.get(name, new) for name in (*names[:at], key, *names[at:])}


def _stories(document: Object, replan: Replan) -> list[Object]:
    """Those that were there, in their order; new ones each behind the story that the PRD has before it."""
    decisions = {decision.story: decision for decision in replan.stories}
    kept = [
        (story_id, _story(story, decisions.get(story_id)))
        for story_id, story in stories_in(document).items()
        if story_id not in decisions or decisions[story_id].what is not What.PRUNED
    ]
    order = [story_id for story_id, _ in kept]
    at = 0
    for decision in replan.stories:
        if decision.what is What.NEW:
            order.insert(at, decision.story)
            kept.insert(at, (decision.story, dict(decision.taken)))
        at = order.index(decision.story) + 1 if decision.story in order else at
    return [story for _, story in kept]


def _story(story: Object, decision: Decision | None) -> Object:
    for field, value in decision.taken if decision else ():
        story = _with(story, field, value, _STORY_ORDER)
    if not (decision and decision.reset):
        return story
    if isinstance(story.get("approved"), dict):  # a person's word was for what it said then
        story = {key: value for key, value in story.items() if key != "approved"}
    return {**story, "passes": False}


def _source(document: Object, plan: Plan, path: str | None, replan: Replan) -> Object:
    old = document.get("source")
    named: Object = {"path": old} if isinstance(old, str) else {}
    origin: Object = old if isinstance(old, dict) else named
    sha256 = origin.get("sha256") if replan.conflicts else plan.sha256
    stamps = {decision.story: decision.stamp for decision in replan.stories if decision.stamp}
    top = {key: each.stamp for key, each in zip(TOP_KEYS, replan.top, strict=True) if each.stamp}
    said: Object = {"path": path, "sha256": sha256, "stories": _updated(origin.get("stories"), stamps), "top": {**top}}
    # The place of another PRD says nothing of one from stdin or from outside of the project.
    stays = path is not None or "sha256" not in origin
    kept = {key: value for key, value in origin.items() if key != "path" or stays}
    return {**kept, **{key: value for key, value in said.items() if value is not None}}


def _updated(old: Json, stamps: dict[str, str]) -> Object:
    """The new stamps; those that stay keep their order, and so their lines."""
    before = [key for key in old if key in stamps] if isinstance(old, dict) else []
    return {key: stamps[key] for key in dict.fromkeys([*before, *stamps])}
