"""Files of other tools: where their stories are, and what to tell about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.errors import Problem
from prd_ralph.prdfile.keys import meant_by
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object, Source, listed

LIST_NAMES = ("userStories", "user_stories", "stories", "tasks", "items", "features", "requirements")
WRAPPERS = ("prd", "current_prd", "data")
GROUP_NAMES = ("phases", "milestones", "epics", "features")
GROUPED_NAMES = ("userStories", "user_stories", "stories", "tasks", "items")

_OUR_KEYS = {
    "title": ("name", "task"),
    "description": ("details", "detail", "objective", "goal", "user_story"),
    "acceptanceCriteria": (
        *("acceptance_criteria", "acceptance", "criteria", "steps", "steps_to_verify", "verificationSteps"),
        *("requirements", "subtasks", "exit_criteria", "dod", "tests"),
    ),
    "passes": ("passed", "completed", "complete", "done", "status"),
    "dependsOn": ("depends_on", "dependencies", "blockedBy", "blocked_by"),
}
_TITLE_LIKE = frozenset({"title", "description", *_OUR_KEYS["title"], *_OUR_KEYS["description"]})
_STORY_LIKE = frozenset(
    {"acceptanceCriteria", "passes", "priority", *_OUR_KEYS["acceptanceCriteria"], *_OUR_KEYS["passes"]}
)


@dataclass(frozen=True, slots=True)
class Found:
    """A list of stories: its dialect (`prd.userStories`, `phases[].tasks`), its place, and what is in it."""

    dialect: str
    path: Path
    entries: tuple[Json, ...]


def refusal(source: Source) -> Problem | None:
    """One problem that says what the file is, when it is none of ours (no `userStories` at the top)."""
    top = source.root.value
    if isinstance(top, dict) and "userStories" in top:
        return None
    if found := next(story_lists(top), None):
        return _other_tool(source, found)
    if not isinstance(top, (dict, list)):
        return source.problem((), "a prd.json must be an object", "`prd-ralph demo` shows one that works")
    if (empty := next(_empty(top), None)) is not None:
        return source.problem(empty, "no stories", "make some: `prd-ralph plan PRD.md`")
    near = next((key for key in top if meant_by(key, ("userStories",))), None) if isinstance(top, dict) else None
    if near:
        return source.problem((near,), f"{near!r} must be 'userStories'", "rename it")
    message = "a specification, not a list of stories: there is no 'userStories'"
    if isinstance(top, dict) and (lists := [name for name in LIST_NAMES if listed(top, name)]):
        message += f", and the entries of {', '.join(map(repr, lists))} have no title and flag as stories have"
    return source.problem((), message, "plan the stories: `prd-ralph plan PRD.md`")


def _other_tool(source: Source, found: Found) -> Problem:
    renamed = {
        foreign: ours
        for entry in found.entries
        if isinstance(entry, dict)
        for ours, names in _OUR_KEYS.items()
        for foreign in names
        if foreign in entry and ours not in entry
    }
    place = f"in {found.dialect!r}" if found.path else "a list at the top"
    message = (
        f"another tool's file: its {len(found.entries)} stories are {place}, prd-ralph reads them in 'userStories'"
    )
    if renamed:
        message += "; " + ", ".join(f"`{foreign}` is our `{ours}`" for foreign, ours in renamed.items())
    hint = (
        f"`prd-ralph import {source.file or 'FILE'}` will make a prd.json from it, but is not in this version yet: "
        "until then move the stories to 'userStories' and rename their keys by hand, as `prd-ralph demo` shows them"
    )
    return source.problem(found.path[:1], message, hint)


def story_lists(top: Json) -> Iterator[Found]:
    """Every list of stories, in the order in which they are looked for."""
    if isinstance(top, list):
        if any(map(_is_story, top)):
            yield Found("list", (), tuple(top))
        return
    for prefix, holder in _holders(top):
        for name in LIST_NAMES:
            value = holder.get(name)
            entries = tuple(value.values()) if isinstance(value, dict) else tuple(listed(holder, name))
            if any(map(_is_story, entries)):
                suffix = "{}" if isinstance(value, dict) else ""
                yield Found(".".join((*prefix, name)) + suffix, (*prefix, name), entries)
    for prefix, holder in _holders(top):
        for group in GROUP_NAMES:
            for name in GROUPED_NAMES:
                entries = tuple(entry for part in listed(holder, group) for entry in listed(part, name))
                if any(map(_is_story, entries)):
                    yield Found(".".join((*prefix, f"{group}[]", name)), (*prefix, group), entries)


def _holders(top: Json) -> Iterator[tuple[tuple[str, ...], Object]]:
    if isinstance(top, dict):
        yield (), top
        for name in WRAPPERS:
            inner = top.get(name)
            if isinstance(inner, dict):
                yield (name,), inner


def _empty(top: Json) -> Iterator[Path]:
    if top == []:
        yield ()
    for prefix, holder in _holders(top):
        for name in LIST_NAMES:
            if holder.get(name) in ([], {}):
                yield (*prefix, name)


def _is_story(entry: Json) -> bool:
    return isinstance(entry, dict) and not _TITLE_LIKE.isdisjoint(entry) and not _STORY_LIKE.isdisjoint(entry)
