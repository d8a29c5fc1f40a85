"""What makes no plan (RULES: the four errors): found for all stories at once, each with its line and a hint."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from prd_ralph.errors import Problem
from prd_ralph.planning.blocks import Block, Bullets, Heading, Line, Paragraph
from prd_ralph.planning.body import Body
from prd_ralph.planning.document import Document
from prd_ralph.planning.draft import Draft
from prd_ralph.planning.ids import key, named
from prd_ralph.planning.inline import boxless, unwrapped
from prd_ralph.planning.problems import ErrorKind, PlanError
from prd_ralph.planning.values import Place

_SEEN = 12
_EXPECTED = "write a heading `## User Stories`, and for each story one like `### US-001: Title`"


def refuse_ids(name: str, drafts: Sequence[Draft], documents: Sequence[Document], *, bare: bool) -> None:
    """Raises PlanError where there is no story, unless it may be `bare`, or two have the same id."""
    if not drafts and not bare:
        near = [place for document in documents for place in near_misses(document)]
        raise PlanError(_no_stories(name, documents, near), near)
    same: defaultdict[tuple[str, ...], list[Draft]] = defaultdict(list)
    for draft in drafts:
        for one in (draft, *draft.more[1:]):
            same[key(draft.id or "")].append(one)
    doubles = [group for group in same.values() if len(group) > 1]
    if doubles:
        raise PlanError((ErrorKind.DUPLICATE_ID, _double(draft, group)) for group in doubles for draft in group)


def _no_stories(name: str, documents: Sequence[Document], near: Sequence[Place]) -> list[tuple[ErrorKind, Problem]]:
    """One problem, and for each line that looks like a story one more."""
    found = [Problem(f"no user stories are found{_seen(documents)}", _EXPECTED, name)]
    found += [Problem("begins with an id, but is no story", _EXPECTED, place.file, place.line) for place in near]
    return [(ErrorKind.NO_STORIES, problem) for problem in found]


def _seen(documents: Sequence[Document]) -> str:
    """The headings that were met: what a person took for stories is often among them (C067)."""
    headings = [f"`{'#' * each.level} {each.text}`" for document in documents for each in document.headings]
    more = f" and {len(headings) - _SEEN} more" if len(headings) > _SEEN else ""
    return f"; the headings are {', '.join(headings[:_SEEN])}{more}" if headings else "; there is no heading"


def _double(draft: Draft, group: Sequence[Draft]) -> Problem:
    others = ", ".join(str(other.place.line) for other in group if other is not draft)
    if any(other.place.file != draft.place.file for other in group):
        others = ", ".join(str(other.place) for other in group if other is not draft)
    message = f"the id {draft.id} is used more than once, also in {others}"
    return Problem(
        message, "give each story an id of its own", draft.place.file, draft.place.line, story=draft.id or ""
    )


def refuse_bodies(drafts: Sequence[Draft], bodies: Sequence[Body], *, bare: bool) -> None:
    """Raises PlanError where a story has no criteria, unless it may be `bare`, or a dependency that no story is."""
    found: list[tuple[ErrorKind, Problem]] = []
    for draft, body in zip(drafts, bodies, strict=True):
        file, story = draft.place.file, draft.id or ""
        if not body.criteria and not bare:
            hint = "add `**Acceptance Criteria:**` and under it a list of what must hold"
            problem = Problem("the story has no acceptance criteria", hint, file, draft.place.line, story=story)
            found.append((ErrorKind.NO_CRITERIA, problem))
        for line, written in body.unknown:
            hint = "name the id of one story of this PRD, or write `none`"
            problem = Problem(f"no story is {written}, on which this one depends", hint, file, line, story=story)
            found.append((ErrorKind.UNKNOWN_DEPENDENCY, problem))
    if found:
        raise PlanError(found)


def near_misses(document: Document) -> Iterator[Place]:
    """The lines that begin, after list and bold marks, with an id; not those in fences, quotes and the like."""
    for line in _lines(document.blocks):
        if named(unwrapped(boxless(line.text))):
            yield document.place(line.number)


def _lines(blocks: Sequence[Block]) -> Iterator[Line]:
    for block in blocks:
        if isinstance(block, Heading):
            yield Line(block.text, block.line)
        elif isinstance(block, Paragraph):
            yield from block.lines
        elif isinstance(block, Bullets):
            for item in block.items:
                yield from _lines(item.blocks)
