"""A file without faults, as the value `Prd`."""

from pathlib import Path as FilePath

from prd_ralph.model import LAST_PRIORITY, Approval, Check, Prd, Story
from prd_ralph.prdfile.commands import check_of
from prd_ralph.prdfile.dependencies import Resolver, all_ids, resolver
from prd_ralph.prdfile.meaning import is_held
from prd_ralph.prdfile.names import clean
from prd_ralph.prdfile.positions import Json
from prd_ralph.prdfile.source import Object, Source, id_of, listed, texts


def prd_of(source: Source, root: FilePath | None) -> Prd:
    """The document. Only for a source in which no error was found."""
    top = source.root.value
    assert isinstance(top, dict)
    resolved = resolver(all_ids(source))
    origin = top.get("source")
    return Prd(
        project=_text(top, "project") or _text(top, "name"),
        stories=tuple(_story(source, index, story, resolved, root) for index, story in source.stories()),
        description=_text(top, "description"),
        branch=_text(top, "branchName") or None,
        base_branch=_text(top, "baseBranch") or None,
        source=(_text(origin, "path") or None) if isinstance(origin, dict) else None,
        setup=_checks(top, "setup", root),
        checks=_checks(top, "verificationCommands", root),
        protect="auto" if top.get("protect") == "auto" else _texts(top, "protect"),
    )


def _story(source: Source, index: int, story: Object, resolved: Resolver, root: FilePath | None) -> Story:
    priority = story.get("priority")
    return Story(
        id=id_of(story) or "",
        title=_text(story, "title"),
        passes=story.get("passes") is True,
        description=_text(story, "description"),
        criteria=_texts(story, "acceptanceCriteria"),
        priority=priority if isinstance(priority, (int, float)) else LAST_PRIORITY,
        depends_on=_references(story, "dependsOn", resolved),
        checks=_checks(story, "verificationCommands", root),
        notes=_text(story, "notes"),
        skip=is_held(story),
        agent=_text(story, "agent") or None,
        model=_text(story, "model") or None,
        supersedes=_references(story, "supersedes", resolved),
        approved=approval_in(story),
        line=source.line(("userStories", index)),
    )


def approval_in(story: Object) -> Approval | None:
    """Of a story that does not pass it says nothing any more; what other tools keep under this key is theirs."""
    found = story.get("approved")
    if not isinstance(found, dict) or story.get("passes") is not True or not _text(found, "by"):
        return None
    return Approval(_text(found, "by"), _text(found, "at"), _text(found, "note"))


def _text(value: Object, key: str) -> str:
    found = value.get(key)
    return clean(found) if isinstance(found, str) else ""


def _texts(value: Json, key: str) -> tuple[str, ...]:
    return tuple(clean(text) for _, text in texts(value, key))


def _checks(value: Json, key: str, root: FilePath | None) -> tuple[Check, ...]:
    return tuple(check_of(command, root) for command in listed(value, key))


def _references(story: Object, key: str, resolved: Resolver) -> tuple[str, ...]:
    found = (resolved(reference) for _, reference in texts(story, key))
    return tuple(dict.fromkeys(story_id for story_id in found if story_id is not None))
