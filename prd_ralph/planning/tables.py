"""Stories that are rows of a table (RULES: Tables)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from prd_ralph.planning.blocks import Row, Table
from prd_ralph.planning.body import Body
from prd_ralph.planning.commands import commands_in
from prd_ralph.planning.document import Document
from prd_ralph.planning.draft import Draft
from prd_ralph.planning.ids import kept, named
from prd_ralph.planning.inline import masked, unlinked, unwrapped
from prd_ralph.planning.labels import is_area
from prd_ralph.planning.priorities import priority_of
from prd_ralph.planning.sentences import capital, from_columns, is_sentence, title_of
from prd_ralph.planning.words import Word, plain, row_in_story


class Column(StrEnum):
    """The columns that a table of stories has beside those of the word table."""

    ID = "id"
    TITLE = "title"
    AS_A = "as a"
    WANT = "i want"
    SO_THAT = "so that"


_TITLES = "title, story, name, título, nombre, historia, titel, titre, nom, nome, história, 标题, 名称, cím, név"
_COLUMNS = {
    Column.ID: {"id", "#"},
    Column.TITLE: set(_TITLES.split(", ")),
    Column.AS_A: {"as a", "as an", "as a/an", "as"},
    Column.WANT: {"i want", "i want to"},
    Column.SO_THAT: {"so that"},
}
_FALLBACKS = ("user story", "task")
_SPLIT = re.compile(r";|<br\s*/?>", re.IGNORECASE)
_TO = re.compile(r"to\s+", re.IGNORECASE)
_EMPTY = {"", "-", "–", "—"}
_BRACKETS = "[]()"


def columns_of(table: Table) -> tuple[Column | Word | None, ...] | None:
    """What each column is; None for a table that has no column for a title."""
    names = [plain(unwrapped(cell).rstrip("….")) or cell.strip() for cell in table.header]
    found = [next((c for c, words in _COLUMNS.items() if name in words), row_in_story(name)) for name in names]
    if Column.TITLE not in found and Column.WANT not in found:
        at = next((names.index(name) for name in _FALLBACKS if name in names), None)
        if at is None:
            return None
        found[at] = Column.TITLE
    return tuple(None if isinstance(c, Column) and c in found[:at] else c for at, c in enumerate(found))


def rows(document: Document, table: Table) -> tuple[Draft, ...] | None:
    """A story for each row; None where the table is none of stories."""
    columns = columns_of(table)
    if columns is None:
        return None
    read = (_Cells(document, table, columns, row) for row in table.rows if any(row.cells))
    return tuple(cells.draft() for cells in read)


class _Cells:
    """One row, by its columns."""

    def __init__(self, document: Document, table: Table, columns: tuple[Column | Word | None, ...], row: Row) -> None:
        self._document = document
        self._row = row
        self._cells = [
            (column, unwrapped(name).strip(), cell)
            for column, name, cell in zip(columns, table.header, row.cells, strict=False)
            if cell
        ]

    def draft(self) -> Draft:
        story_id = kept(unlinked(unwrapped(self._first(Column.ID))).strip(_BRACKETS)) or None
        sentence, title = self._sentence()
        if story_id is None and (found := named(title)) and found.title:
            story_id, title = found.id, found.title
        place = self._document.place(self._row.line)
        draft = Draft(place, title, None if story_id in _EMPTY else story_id, row=True, given=self._body(sentence))
        source = self._document.lines[self._row.line - 1 : self._row.line]
        return replace(draft, values=tuple(self._depends()), source=source)

    def _first(self, *wanted: Column | Word) -> str:
        return next((cell for column, _, cell in self._cells if column in wanted), "")

    def _texts(self, wanted: Column | Word) -> Iterator[str]:
        return (unwrapped(cell) for column, _, cell in self._cells if column is wanted)

    def _sentence(self) -> tuple[str, str]:
        """What the three columns, or a title that is a sentence, say; and the title."""
        want = unwrapped(self._first(Column.WANT))
        header = next((plain(name.rstrip("….")) for column, name, _ in self._cells if column is Column.WANT), "")
        title = unwrapped(self._first(Column.TITLE))
        if is_sentence(title):
            return title, title_of(title)
        said = want if not header.endswith(" to") or _TO.match(want) else f"to {want}" if want else ""
        who, why = (unwrapped(self._first(column)) for column in (Column.AS_A, Column.SO_THAT))
        return from_columns(who, said, why), title or capital(_TO.sub("", want, count=1) if _TO.match(want) else want)

    def _depends(self) -> Iterator[tuple[str, int]]:
        return ((cell, self._row.line) for column, _, cell in self._cells if column is Word.DEPENDS)

    def _body(self, sentence: str) -> Body:
        body = Body("\n\n".join(filter(None, (sentence, *self._texts(Word.DESCRIPTION)))))
        for column, name, cell in self._cells:
            body = body.plus(self._cell(column, name, cell))
        return body

    def _cell(self, column: Column | Word | None, name: str, cell: str) -> Body:
        """What one cell adds."""
        note = Body(notes=(f"{name.rstrip('…:：. ')}: {cell}",))
        match column:
            case Word.CRITERIA | Word.MORE:
                return Body(criteria=tuple(filter(None, _split(cell))))
            case Word.PRIORITY if cell not in _EMPTY:
                number = priority_of(cell)
                return Body(priority=number, unplaced=(self._row.line,) if number is None else ())
            case Word.VERIFY if cell not in _EMPTY:
                commands = commands_in(cell)
                return Body(commands=commands) if commands else note
            case Word.NOTES:
                return Body(notes=(cell,))
            case None:
                return replace(note, areas=(cell,)) if is_area(name) else note
        return Body()


def _split(cell: str) -> Iterator[str]:
    """Criteria are parted by `;` and `<br>`, but not within code."""
    begin = 0
    for found in _SPLIT.finditer(masked(cell)):
        yield cell[begin : found.start()].strip()
        begin = found.end()
    last = cell[begin:].strip()
    yield "" if last in _EMPTY else last
