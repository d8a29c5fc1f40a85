"""What must hold of prd.json beyond its schema. Each check tolerates whatever the schema refuses."""

from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath

from prd_ralph.errors import Problem
from prd_ralph.model import Check, Prd
from prd_ralph.prdfile.commands import command_faults
from prd_ralph.prdfile.dependencies import circles
from prd_ralph.prdfile.folders import escape_fault
from prd_ralph.prdfile.names import branch_fault, id_fault, passable, token_fault
from prd_ralph.prdfile.positions import Path
from prd_ralph.prdfile.source import Object, Source, id_of, texts
from prd_ralph.prdfile.text import shown

HELD_WORDS = frozenset({"skipped", "skip", "deferred", "blocked", "conditional", "superseded", "cancelled", "on_hold"})


def faults(source: Source, root: FilePath | None) -> Iterator[Problem]:
    """Everything that is wrong, in no order. `root`: where `cwd` and other paths begin; None: judged by text alone."""
    yield from _branches(source)
    yield from _paths(source, root)
    yield from _ids(source)
    for index, story in source.stories():
        yield from _story(source, ("userStories", index), story)
    yield from circles(source)
    yield from command_faults(source, root)


def open_without_commands(prd: Prd, extra: Iterable[Check], file: str) -> list[Problem]:
    """The open stories, not skipped, that nothing could prove: neither the file's, nor `extra`, nor own commands."""
    given = tuple(extra)
    return [
        Problem(
            "an open story without verification commands can never pass",
            'give it "verificationCommands", or all stories `--check CMD` or `verification_commands` in '
            'prd-ralph.toml, or hold it with "skip": true',
            file,
            story.line,
            f"/userStories/{index}",
            story.id,
            "no-command",
        )
        for index, story in enumerate(prd.stories)
        if not story.passes and not story.skip and not prd.checks_for(story, given)
    ]


def is_held(story: Object) -> bool:
    """Whether the story is to be left alone; one that passes never is."""
    return (story.get("skip") is True or story.get("blocked") is True) and story.get("passes") is not True


def _branches(source: Source) -> Iterator[Problem]:
    top = source.root.value
    for key in ("branchName", "baseBranch"):
        name = top.get(key) if isinstance(top, dict) else None
        if isinstance(name, str) and (fault := branch_fault(name)):
            hint = "choose a name as ralph/my-feature, or leave the key out"
            yield source.problem((key,), f"{key} {shown(name)} {fault}", hint)


def _paths(source: Source, root: FilePath | None) -> Iterator[Problem]:
    """`source.path` enters a commit; a pattern of `protect` that leads outside protects nothing."""
    top = source.root.value
    origin = top.get("source") if isinstance(top, dict) else None
    named = origin.get("path") if isinstance(origin, dict) else None
    if isinstance(named, str):
        fault = escape_fault(named, root) if passable(named) else "holds a NUL or half a surrogate pair"
        if fault:
            yield source.problem(("source", "path"), f"path {shown(named)} {fault}", "name a file inside the project")
    for index, pattern in texts(top, "protect"):
        if not passable(pattern) or ".." in pattern.split("/"):
            yield source.problem(
                ("protect", index), f"the pattern {shown(pattern)} matches nothing", "name what is inside the project"
            )


def _ids(source: Source) -> Iterator[Problem]:
    seen: dict[str, Path] = {}
    for index, story in source.stories():
        path: Path = ("userStories", index, "id")
        story_id = id_of(story)
        if story_id is None:
            continue
        if fault := id_fault(story_id):
            yield source.problem(path, f"id {fault}", 'an id is a short text, as "US-001"')
        first = seen.setdefault(story_id.casefold(), path)
        if first is not path:
            message = f"id {shown(story_id)} is taken already, in line {source.line(first)} (case does not count)"
            yield source.problem(path, message, "give each story an id of its own")


def _story(source: Source, path: Path, story: Object) -> Iterator[Problem]:
    for key in ("agent", "model"):
        name = story.get(key)
        if isinstance(name, str) and (fault := token_fault(name)):
            yield source.problem((*path, key), f"{key} {shown(name)} {fault}", "write its name alone")
    status = story.get("status")
    held = isinstance(status, str) and status.lower().replace(" ", "_").replace("-", "_") in HELD_WORDS
    if held and story.get("passes") is False and not is_held(story):
        message = f"status {shown(status)} would hold this story, but prd-ralph does not read `status`"
        yield source.problem((*path, "status"), message, 'write "skip": true to hold it, or remove the status')
