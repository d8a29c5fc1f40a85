"""Files that are none of ours: what they are, and what to do about it."""

from prd_ralph.errors import Problem
from prd_ralph.prdfile.foreign.finding import Found, empty_lists, story_lists
from prd_ralph.prdfile.foreign.shapes import CRITERIA, DEPENDENCIES, DESCRIPTIONS, FLAGS, LIST_NAMES, TITLES
from prd_ralph.prdfile.keys import meant_by
from prd_ralph.prdfile.source import Source, listed

_THEIR_KEYS = {
    "title": TITLES[1:],
    "description": DESCRIPTIONS[1:],
    "acceptanceCriteria": CRITERIA[1:],
    "passes": (*FLAGS, "status"),
    "dependsOn": DEPENDENCIES[1:],
}
_SEE = "`prd-ralph demo` shows a file that works"


def refusal(source: Source) -> Problem | None:
    """One problem that says what the file is, when it is none of ours (no `userStories` at the top)."""
    top = source.root.value
    if isinstance(top, dict) and "userStories" in top:
        return None
    found = next(story_lists(top), None)
    return _other_tool(source, found) if found else refusal_to_read(source)


def refusal_to_read(source: Source) -> Problem:
    """Why no list of stories is found in a file, of whatever tool."""
    top = source.root.value
    if not isinstance(top, (dict, list)):
        return source.problem((), "a prd.json must be an object", "`prd-ralph demo` shows one that works")
    if isinstance(top, dict) and top.get("userStories", []) != []:
        message = "userStories must be a list, or an object of stories by id"
        return source.problem(("userStories",), message, f"write a list with at least one story: {_SEE}")
    if (empty := next(empty_lists(top), None)) is not None:
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
        if isinstance(entry.value, dict)
        for ours, names in _THEIR_KEYS.items()
        for foreign in names
        if foreign in entry.value and ours not in entry.value
    }
    place = f"in {found.dialect!r}" if found.path else "a list at the top"
    message = (
        f"another tool's file: its {len(found.entries)} stories are {place}, prd-ralph reads them in 'userStories'"
    )
    if renamed:
        message += "; " + ", ".join(f"`{foreign}` is our `{ours}`" for foreign, ours in renamed.items())
    hint = f"`prd-ralph import {source.file or 'FILE'} -o NEW` makes a prd.json from it"
    return source.problem(found.path[:1], message, hint)
