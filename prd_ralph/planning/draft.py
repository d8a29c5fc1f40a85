"""A story that was found, before its body is read: that needs the ids of all of them."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from prd_ralph.planning.blocks import Blocks
from prd_ralph.planning.body import NOTHING, Body
from prd_ralph.planning.ids import key
from prd_ralph.planning.values import Place

_TICKED = re.compile(r"(\s*(?:[-+*]|\d+[.)])?\s*)\[[xX]\]")


@dataclass(frozen=True, slots=True)
class Draft:
    """`id` None: it has none yet. `lead` is the description, or the only criterion where the blocks have none;
    `bullets`: it is one of a checklist. `given` is what is known without reading the blocks (a row's cells,
    front matter); `values` are what it depends on in its own words, with lines.

    `numbered`: the document gives it no id, and it has got the next free one.
    `source` are its lines in the file, for its fingerprint.
    """

    place: Place
    title: str
    id: str | None = None
    blocks: Blocks = ()
    bullets: bool = False
    lead: str = ""
    skip: bool = False
    given: Body = NOTHING
    values: tuple[tuple[str, int], ...] = ()
    source: tuple[str, ...] = ()
    row: bool = False
    numbered: bool = False
    more: tuple["Draft", ...] = ()

    @property
    def sha256(self) -> str:
        return fingerprint((*self.source, *(line for draft in self.more for line in draft.source)))


def fingerprint(lines: Iterable[str]) -> str:
    """A sha256 that stays the same when only blank lines, blanks at line ends or ticks in boxes change."""
    kept = (_TICKED.sub(r"\1[ ]", line.expandtabs(4).rstrip(), count=1) for line in lines if line.strip())
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def merged(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """A heading with the id of a row adds to the row, and its title wins (RULES: Tables)."""
    found = tuple(drafts)
    rows = {key(draft.id): at for at, draft in reversed(list(enumerate(found))) if draft.row and draft.id}
    kept: list[Draft | None] = list(found)
    for at, draft in enumerate(found):
        row_at = rows.get(key(draft.id)) if draft.id and not draft.row else None
        row = kept[row_at] if row_at is not None else None
        if row_at is not None and row is not None and not row.more:
            kept[row_at] = _added(row, draft)
            kept[at] = None
    return tuple(draft for draft in kept if draft is not None)


def _added(row: Draft, heading: Draft) -> Draft:
    title = heading.title or row.title
    differs = bool(row.title) and row.title != title
    given = row.given.plus(Body(unplaced=(row.place.line,))) if differs else row.given
    return replace(row, title=title, given=given, more=(heading,))
