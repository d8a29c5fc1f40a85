"""Rows of Rich, as a terminal takes them."""

from collections.abc import Callable, Sequence
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

Paint = Callable[[Sequence["Text"]], list[str]]


def painter(colour: bool) -> Paint:
    """Turns rows into strings with the terminal's own 16 colours, or with none."""
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.segment import Segment

    console = Console(file=StringIO(), force_terminal=True, color_system="standard")

    def paint(rows: Sequence["Text"]) -> list[str]:
        return ["".join(map(_shown, _segments(row))) for row in rows]

    def _segments(row: "Text") -> list[Segment]:
        found = row.render(console)
        return list(found if colour else Segment.remove_color(found))

    def _shown(segment: Segment) -> str:
        return segment.style.render(segment.text, color_system=ColorSystem.STANDARD) if segment.style else segment.text

    return paint
