"""One file a story (RULES: "One file a story"): the whole file is the story, its headings are labels."""

from dataclasses import replace

from prd_ralph.planning.blocks import Heading
from prd_ralph.planning.body import Body
from prd_ralph.planning.document import Document
from prd_ralph.planning.draft import Draft
from prd_ralph.planning.frontmatter import Entry
from prd_ralph.planning.ids import Named, is_none, kept, named
from prd_ralph.planning.labels import is_area
from prd_ralph.planning.outline import has_criteria_label, is_story, stories_sections
from prd_ralph.planning.priorities import priority_of
from prd_ralph.planning.words import Word, means

_DEPENDS = ("dependsOn", "depends_on", "dependencies", "blockedBy")
_COMMANDS = "verificationCommands"
_READ = {"id", "title", "priority", _COMMANDS, *_DEPENDS}


def story_of(document: Document, top: frozenset[str] = frozenset()) -> Draft | None:
    """The story that a file is; None where it is a document like any other. `top`: keys of the front matter that
    are read elsewhere."""
    title = next((heading for heading in document.headings if heading.level == 1), None)
    said = named(title.text) if title else None
    entry = document.front.get("id")
    if (entry is not None and is_none(entry.text)) or _has_stories(document, entry is not None):
        return None
    if entry is None and (said is None or not _has_criteria(document)):
        return None
    story_id = kept(entry.text) if entry else said.id if said else ""
    draft = Draft(document.place(_first_line(document, entry, title)), "", story_id, given=_given(document, top))
    return replace(
        _titled(draft, document, title, said),
        blocks=tuple(block for block in document.blocks if block is not title),
        values=tuple(_depends(document)),
        source=document.lines,
    )


def _has_stories(document: Document, declared: bool) -> bool:
    """Whether the document has stories of its own, and so is none."""
    sections = stories_sections(document.headings)
    stories = any(map(is_story, document.headings))
    return stories and (bool(sections) or not declared)


def _has_criteria(document: Document) -> bool:
    return any(
        means(block.text, Word.CRITERIA) if isinstance(block, Heading) else has_criteria_label(block)
        for block in document.blocks
    )


def _first_line(document: Document, entry: Entry | None, title: Heading | None) -> int:
    if entry is not None:
        return entry.line
    return title.line if title else 1


def _titled(draft: Draft, document: Document, heading: Heading | None, said: Named | None) -> Draft:
    """With the title of the front matter, or else of the heading; a heading that says another one is unplaced."""
    entry = document.front.get("title")
    spoken = (said.title if said else heading.text) if heading else ""
    title = entry.text if entry else spoken
    if heading and entry and spoken and spoken.casefold() != title.casefold():
        draft = replace(draft, given=draft.given.plus(Body(unplaced=(heading.line,))))
    return replace(draft, title=title)


def _depends(document: Document) -> list[tuple[str, int]]:
    entry = document.front.get(*_DEPENDS)
    return [(value, entry.line) for value in entry.values] if entry else []


def _given(document: Document, top: frozenset[str]) -> Body:
    """What the front matter says: keys that are not read go to the notes."""
    front = document.front
    priority, commands = front.get("priority"), front.get(_COMMANDS)
    number = priority_of(priority.text) if priority else None
    flat = commands is not None and not commands.nested
    unread = ((priority, number is not None), (commands, flat))
    rest = [entry for entry in front.entries if entry.key not in _READ | top and entry.text]
    return Body(
        priority=number,
        commands=commands.values if commands and flat else (),
        notes=tuple(f"{entry.key}: {entry.text}" for entry in rest),
        areas=tuple(value for entry in rest if is_area(entry.key) for value in entry.values),
        unplaced=tuple(entry.line for entry, read in unread if entry and not read),
    )
