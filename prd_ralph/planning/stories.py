"""All stories of one document, whatever they look like (RULES: Stories), and what is left over beside them."""

from collections.abc import Iterable
from dataclasses import dataclass

from prd_ralph.planning.blocks import Block, Table, first_lines
from prd_ralph.planning.checklists import checklist
from prd_ralph.planning.document import Document
from prd_ralph.planning.draft import Draft
from prd_ralph.planning.ids import key
from prd_ralph.planning.outline import Area, Stretch, outline
from prd_ralph.planning.tables import rows


@dataclass(frozen=True, slots=True)
class Stories:
    """In document order. `left`: the first lines of what is in a stories section and in no story."""

    drafts: tuple[Draft, ...]
    left: tuple[int, ...]
    stretches: tuple[Stretch, ...]


def stories_of(document: Document) -> Stories:
    """Finds the stories of a document that is not one itself. The ids of rows are looked for in headings, too."""
    stretches = outline(document)
    drafts, _ = _found(document, stretches)
    ids = frozenset(key(draft.id) for draft in drafts if draft.row and draft.id)
    if ids:
        stretches = outline(document, ids)
    drafts, left = _found(document, stretches)
    return Stories(tuple(sorted(drafts, key=lambda draft: draft.place)), tuple(left), stretches)


def _found(document: Document, stretches: Iterable[Stretch]) -> tuple[list[Draft], list[int]]:
    drafts: list[Draft] = []
    left: list[int] = []
    for stretch in stretches:
        if stretch.story is not None:
            drafts.append(_of_heading(document, stretch))
        elif stretch.area in (Area.STORIES, Area.WHOLE):
            found, rest = _listed(document, stretch)
            drafts += found
            left += rest if stretch.area is Area.STORIES else ()
    return drafts, left


def _of_heading(document: Document, stretch: Stretch) -> Draft:
    assert stretch.heading is not None, "a story's stretch begins with its heading"
    assert stretch.story is not None, "it is a story's"
    line, skip = stretch.heading.line, stretch.heading.mark == "-"
    source = document.lines[line - 1 : stretch.end - 1]
    story = stretch.story
    return Draft(document.place(line), story.title, story.id or None, stretch.blocks, skip=skip, source=source)


def _listed(document: Document, stretch: Stretch) -> tuple[list[Draft], list[int]]:
    """Stories in tables and lists; tables count in a stories section only."""
    drafts: list[Draft] = []
    left: list[int] = []
    others: list[Block] = []
    for block in stretch.blocks:
        found = rows(document, block) if isinstance(block, Table) and stretch.area is Area.STORIES else None
        if found is not None:
            drafts += found
        elif isinstance(block, Table):
            left += first_lines((block,))
        else:
            others.append(block)
    listed = checklist(document, tuple(others), stretch.end)
    return [*drafts, *listed.drafts], sorted([*left, *listed.left])
