"""`dependsOn` and `supersedes`: known ids, and no circles."""

from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import count, islice

from prd_ralph.errors import Problem
from prd_ralph.prdfile.keys import closest
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.source import Source, id_of, texts
from prd_ralph.prdfile.text import printable, shown

# To find a circle, or the id that was meant, costs a look at every story: not once for each of thousands.
CIRCLES_TOLD = 20
SUGGESTIONS = 20

Resolver = Callable[[str], str | None]


def resolver(ids: list[str]) -> Resolver:
    """Finds the id that is meant: letter for letter, or the only one equal but for case, hyphens and leading zeros."""
    exact = set(ids)
    alike: dict[str, list[str]] = {}
    for story_id in ids:
        alike.setdefault(_loose(story_id), []).append(story_id)

    def resolved(reference: str) -> str | None:
        if reference in exact:
            return reference
        found = alike.get(_loose(reference), [])
        return found[0] if len(found) == 1 else None

    return resolved


def reference_faults(source: Source) -> Iterator[tuple[Problem, bool]]:
    """Unknown ids and self-dependencies (errors), loosely written ids (warnings)."""
    ids = all_ids(source)
    resolved = resolver(ids)
    unknown = count()
    for index, story in source.stories():
        for key in ("dependsOn", "supersedes"):
            for place, reference in texts(story, key):
                path: Path = ("userStories", index, key, place)
                meant = resolved(reference)
                if meant is None:
                    yield _unknown(source, path, reference, ids if next(unknown) < SUGGESTIONS else []), True
                elif meant == id_of(story):
                    yield source.problem(path, f"{shown(meant)} names itself in {key}", "remove it"), True
                elif meant != reference:
                    message = f"{shown(reference)} is read as {shown(meant)}"
                    yield source.problem(path, message, f"write {shown(meant)}"), False


def circles(source: Source) -> Iterator[Problem]:
    """The circles of dependencies, 20 at most, each as a path that ends where it begins."""
    resolved = resolver(all_ids(source))
    graph: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for index, story in source.stories():
        if (story_id := id_of(story)) is not None:
            found = (resolved(reference) for _, reference in texts(story, "dependsOn"))
            graph[story_id] = [other for other in found if other is not None and other != story_id]
            places[story_id] = index
    for circle in islice(_circles(graph), CIRCLES_TOLD):
        first = min(range(len(circle)), key=lambda number: places[circle[number]])
        turned = [*circle[first:], *circle[:first], circle[first]]
        message = f"stories wait for each other: {' → '.join(map(printable, turned))}"
        yield source.problem(("userStories", places[turned[0]], "dependsOn"), message, "remove one of these")


def all_ids(source: Source) -> list[str]:
    return [story_id for _, story in source.stories() if (story_id := id_of(story)) is not None]


def _circles(graph: dict[str, list[str]]) -> Iterator[list[str]]:
    """Circles that share no story."""
    while circle := _circle(graph):
        yield circle
        for story_id in circle:
            del graph[story_id]


def _circle(graph: dict[str, list[str]]) -> list[str]:
    try:
        TopologicalSorter({key: [other for other in graph[key] if other in graph] for key in graph}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[:0:-1]  # first and last are the same, and each depends on the one before it
    return []


def _unknown(source: Source, path: Path, reference: str, ids: list[str]) -> Problem:
    near = closest(reference, ids)
    hint = f"did you mean {shown(near)}?" if near else "name the id of a story in this file"
    return source.problem(path, f"there is no story {shown(reference)}", hint)


def _loose(story_id: str) -> str:
    letters = story_id.casefold().replace("-", "")
    parts: list[str] = []
    for char in letters:
        if char.isdecimal() == (parts[-1][-1].isdecimal() if parts else not char.isdecimal()):
            parts[-1] += char
        else:
            parts.append(char)
    return "\0".join(part.lstrip("0") or "0" if part[0].isdecimal() else part for part in parts)
