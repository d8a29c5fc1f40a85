"""Where the stories are in a file of any tool."""

from collections.abc import Iterator
from dataclasses import dataclass

from prd_ralph.prdfile.foreign.shapes import (
    GROUP_NAMES,
    GROUPED_NAMES,
    LIST_NAMES,
    WRAPPERS,
    is_group,
    is_story,
)
from prd_ralph.prdfile.positions import Json, Path
from prd_ralph.prdfile.source import Object, listed, pointer_of


@dataclass(frozen=True, slots=True)
class Entry:
    """One story as it was found; `key` is its id where the stories are an object by id."""

    path: Path
    value: Json
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A list of stories: its dialect (`prd.userStories`, `phases[].tasks`), its place, and what is in it.

    `pointer` is the list's, with `*` for the groups' indices; `group_key` is its name in each group.
    """

    dialect: str
    path: Path
    pointer: str
    entries: tuple[Entry, ...]
    group_key: str = ""

    @property
    def at_the_top(self) -> bool:
        """Whether it stands where ours does: a file that is judged as ours."""
        return self.path == ("userStories",)


def story_lists(top: Json) -> Iterator[Found]:
    """Every list of stories, in the order in which they are looked for."""
    if isinstance(top, list):
        if any(map(is_story, top)):
            yield _found("list", (), top)
        return
    for prefix, holder in holders(top):
        for name in LIST_NAMES:
            value = holder.get(name)
            found = _found(".".join((*prefix, name)), (*prefix, name), value)
            certain = not prefix and name == "userStories" and bool(found.entries)
            if certain or any(_counts(entry.value, name) for entry in found.entries):
                yield found
    for prefix, holder in holders(top):
        for group in GROUP_NAMES:
            for name in GROUPED_NAMES:
                found = _in_groups((*prefix, group), listed(holder, group), name)
                if any(is_story(entry.value) for entry in found.entries):
                    yield found


def holders(top: Json) -> Iterator[tuple[tuple[str, ...], Object]]:
    """The objects that are looked into: the whole file, and what some tools wrap it in."""
    if isinstance(top, dict):
        yield (), top
        for name in WRAPPERS:
            inner = top.get(name)
            if isinstance(inner, dict):
                yield (name,), inner


def empty_lists(top: Json) -> Iterator[Path]:
    """The places of the lists that could hold stories, and hold nothing."""
    if top == []:
        yield ()
    for prefix, holder in holders(top):
        yield from ((*prefix, name) for name in (*LIST_NAMES, *GROUP_NAMES) if holder.get(name) in ([], {}))
    for prefix, holder in holders(top):
        for group in GROUP_NAMES:
            for index, part in enumerate(listed(holder, group)):
                empty = [name for name in GROUPED_NAMES if isinstance(part, dict) and part.get(name) in ([], {})]
                for name in empty:
                    yield (*prefix, group, index, name)


def _counts(value: Json, name: str) -> bool:
    """`features` is a list of stories to some tools, and of groups of them to others."""
    return is_story(value) and not (name in GROUP_NAMES and is_group(value))


def _found(dialect: str, path: Path, value: Json) -> Found:
    suffix = "{}" if isinstance(value, dict) else ""
    return Found(dialect + suffix, path, pointer_of(path), tuple(_entries(path, value)))


def _in_groups(path: Path, groups: list[Json], name: str) -> Found:
    parts = [
        _found("", (*path, index, name), part.get(name)) for index, part in enumerate(groups) if isinstance(part, dict)
    ]
    suffix = next((part.dialect for part in parts if part.entries), "")
    dialect = ".".join(map(str, (*path[:-1], f"{path[-1]}[]", name))) + suffix
    entries = tuple(entry for part in parts for entry in part.entries)
    return Found(dialect, path, f"{pointer_of(path)}/*/{name}", entries, name)


def _entries(path: Path, value: Json) -> Iterator[Entry]:
    if isinstance(value, dict):
        yield from (Entry((*path, key), inner, key) for key, inner in value.items())
    elif isinstance(value, list):
        yield from (Entry((*path, index), inner) for index, inner in enumerate(value))
