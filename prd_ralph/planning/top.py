"""The top keys (RULES: Top keys): project, branch and description, from what stands outside the stories."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath

from prd_ralph.planning.blocks import Blocks, Bullets, Heading, Line, Paragraph
from prd_ralph.planning.document import Document
from prd_ralph.planning.inline import Sort, bold_lead, box, boxless, code_of, pieces, unwrapped
from prd_ralph.planning.labels import label_of
from prd_ralph.planning.outline import Area, Stretch
from prd_ralph.planning.render import block_text
from prd_ralph.planning.words import plain

PROJECT_KEYS = ("project", "title")
BRANCH_KEYS = ("branch", "branchName")
_PROJECT = {"project", "product name"}
_BRANCH = {"branch", "branch name"}
_KIND = r"(?:product\s+requirements?\s+documents?|product\s+requirements|prd|产品需求文档)"
_SEPARATOR = r"[\s:：|—–-]*"
_LEADING = re.compile(rf"[\[(]?{_KIND}(?![^\W_])[\])]?{_SEPARATOR}", re.IGNORECASE)
_TRAILING = re.compile(rf"{_SEPARATOR}(?<![^\W_])[\[(]?{_KIND}[\])]?\s*$", re.IGNORECASE)
_STEM = "prd-"


def project_of(document: Document, stretches: Iterable[Stretch], name: str, *, titled: bool = True) -> str:
    """The project's name; `name` is that of the file, or folder. Not `titled`: title and h1 are those of a story."""
    said = document.front.get(*(PROJECT_KEYS if titled else PROJECT_KEYS[:1]))
    if said:
        return said.text
    heading = next((heading for heading in document.headings if heading.level == 1 and titled), None)
    return (
        (_bare(heading) if heading else "")
        or next(_labelled(stretches, _PROJECT), "")
        or (PurePath(name).stem.removeprefix(_STEM) or name)
    )


def _bare(heading: Heading) -> str:
    """A title without what kind of document it is."""
    text, before = heading.text.strip(), ""
    while text != before:
        before = text
        text = _TRAILING.sub("", _LEADING.sub("", text, count=1) if _LEADING.match(text) else text).strip()
    return text


def branch_of(document: Document, stretches: Iterable[Stretch], project: str) -> str | None:
    """The branch that is named, or one made of the project's name; None where nothing of it is left."""
    said = document.front.get(*BRANCH_KEYS)
    named = said.text if said else next(filter(None, map(_branch, _labelled(stretches, _BRANCH))), "")
    slug = _slug(project)
    return named or (f"ralph/{slug}" if slug else None)


def _branch(value: str) -> str:
    """A branch as people write it: in backticks, perhaps with a comment after it."""
    first = next(pieces(value), None)
    code = code_of(first).split() if first and first.sort is Sort.CODE else []
    return (code or value.replace("`", "").split() or [""])[0]


def _slug(project: str) -> str:
    folded = unicodedata.normalize("NFKD", project.casefold())
    bare = "".join(char for char in folded if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", "-", bare).strip("-")


def _labelled(stretches: Iterable[Stretch], names: set[str]) -> Iterator[str]:
    """The values of bold labels with one of these names, outside stories."""
    for stretch in stretches:
        if stretch.story is None:
            for line in _lines(stretch.blocks):
                label = label_of(line) if bold_lead(line.text) else None
                if label and label.value and plain(label.name) in names:
                    yield unwrapped(label.value)


def _lines(blocks: Blocks) -> Iterator[Line]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield from block.lines
        elif isinstance(block, Bullets):
            for item in block.items:
                if item.head:
                    yield from (replace(line, text=boxless(line.text)) for line in item.head.lines)


def description_of(stretches: Iterable[Stretch], first_story: int) -> str:
    """The first plain paragraph before the line of the first story, and before a stories section, outside gates."""
    for stretch in stretches:
        if stretch.story is not None or stretch.area is Area.STORIES:
            break
        for block in stretch.blocks if stretch.area is not Area.GATES else ():
            if block.line >= first_story:
                return ""
            if isinstance(block, Paragraph) and all(map(_is_plain, block.lines)):
                return block_text(block)
    return ""


def _is_plain(line: Line) -> bool:
    """Whether a line has neither a bold label nor a box."""
    return box(line.text) is None and not (bold_lead(line.text) and label_of(line))
