"""The table at the end: program by case, how it ended, and whether that was expected."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HEAD = ("program", "case", "class", "outcome", "charged", "stop", "exit", "left", "")
AS_EXPECTED, MISMATCH = "ok", "MISMATCH"


@dataclass(frozen=True, slots=True)
class Row:
    """One case as it was seen; all texts, so that a worker process can hand them over."""

    cells: tuple[str, ...]
    holds: bool

    def texts(self) -> tuple[str, ...]:
        return (*self.cells, AS_EXPECTED if self.holds else MISMATCH)


def lines(rows: Iterable[Row]) -> list[str]:
    """The rows below a head, in columns."""
    table = [HEAD, *sorted(row.texts() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [_line(row, widths) for row in table]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
