"""The board, drawn: a value and a size become rows, one for each line of the screen.

Everything that is not ours goes through `printable` and into a Text: markup in it is never read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prd_ralph.console.board_rows import (
    attempt_heading,
    attempt_row,
    bar_row,
    caution_row,
    ends,
    head_row,
    last_things,
    spent_words,
    story_row,
    text,
    waiting_row,
)
from prd_ralph.console.board_state import NO_HINT, BoardState, Hint
from prd_ralph.console.fitting import around, shares
from prd_ralph.wording.phrases import acts_alone

if TYPE_CHECKING:
    from rich.text import Text

WIDE, HIGH = 120, 12
"""From this size on there are two columns."""

_ALL = 1 << 16
_WARNINGS = 3
_AGENTS = 3
_BETWEEN = " │ "


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the screen: the fewest and the most rows that it could use, and its rows for a number of them."""

    least: int
    most: int
    rows: Callable[[int], Sequence["Text"]]


def draw(board: BoardState, width: int, height: int, now: float, hint: Hint = NO_HINT) -> list["Text"]:
    """At most `height` rows of at most `width` cells, for any size; `now` is of the clock that the fold was told."""
    width, height = max(1, width), max(1, height)
    if width >= WIDE and height >= HIGH:
        rows = _in_columns(board, width, height, now, hint)
    else:
        rows = _stacked(board, width, height, now, hint)
    for row in rows:
        row.truncate(width, overflow="ellipsis")
    return rows


def _stacked(board: BoardState, width: int, height: int, now: float, hint: Hint) -> list["Text"]:
    """One above the other. Where little fits, the attempt comes before all else."""
    head = _Part(1, 1, lambda _: [head_row(board, width, now)])
    progress = _Part(1, 1, lambda _: [bar_row(board, width)])
    stories, attempt, warnings = _stories(board, width), _attempt(board, width, now), _warnings(board, width)
    agents, foot = _agents(board), _foot(board, width, hint)
    by_weight = (attempt, head, progress, foot, stories, agents, warnings)
    room = dict(zip(by_weight, shares(height, [(part.least, part.most) for part in by_weight]), strict=True))
    from_above = (head, progress, stories, attempt, warnings, agents, foot)
    return [row for part in from_above for row in _rows(part, room[part])]


def _in_columns(board: BoardState, width: int, height: int, now: float, hint: Hint) -> list["Text"]:
    """Stories and warnings on the left, the attempt on the right."""
    agents = _agents(board)
    between = height - 3 - agents.most
    left, right = width * 2 // 5, width - width * 2 // 5 - len(_BETWEEN)
    stories, warnings = _stories(board, left), _warnings(board, left)
    rooms = shares(between, [(part.least, part.most) for part in (stories, warnings)])
    here = [*_rows(stories, rooms[0]), *_rows(warnings, rooms[1])]
    there = _rows(_attempt(board, right, now), between)
    return [
        head_row(board, width, now),
        bar_row(board, width),
        *(_beside(here, there, place, left) for place in range(between)),
        *_rows(agents, agents.most),
        *_rows(_foot(board, width, hint), 1),
    ]


def _beside(here: Sequence["Text"], there: Sequence["Text"], place: int, left: int) -> "Text":
    row = here[place].copy() if place < len(here) else text()
    row.truncate(left, overflow="ellipsis", pad=True)
    row.append(_BETWEEN, "dim")
    return row.append_text(there[place]) if place < len(there) else row


def _rows(part: _Part, room: int) -> list["Text"]:
    """Exactly as many as there is room for, so that what stands below never moves."""
    rows = [*part.rows(room)[:room]] if room > 0 else []
    return rows + [text() for _ in range(room - len(rows))]


def _stories(board: BoardState, width: int) -> _Part:
    lines = tuple(board.stories.values())
    now = board.attempt.story if board.attempt else ""
    at = next((place for place, line in enumerate(lines) if line.id == now), 0)

    def rows(room: int) -> list["Text"]:
        window = around(len(lines), at, room - 1)
        cut = f"{window.start + 1} to {window.stop} of {len(lines)}" if 0 < len(window) < len(lines) else ""
        heading = ends(text(("stories", "bold")), text((cut, "dim")), width, "─")
        return [heading, *(story_row(lines[place], lines[place].id == now, width) for place in window)]

    return _Part(3 if lines else 0, len(lines) + 1 if lines else 0, rows)


def _attempt(board: BoardState, width: int, now: float) -> _Part:
    attempt = board.attempt
    if attempt is None:
        return _Part(1, _ALL, lambda _: [ends(text(("starting", "bold")), text(), width, "─")])

    def rows(room: int) -> list["Text"]:
        things = last_things(attempt)
        body = [attempt_row(thing, attempt.commit) for thing in things[-(room - 1) :]] if room > 1 else []
        if board.waits is not None:  # above what the attempt before it came to
            return [waiting_row(board, now), attempt_heading(attempt, width, now), *body[1:]][:room]
        return [attempt_heading(attempt, width, now), *body]

    return _Part(2, _ALL, rows)


def _warnings(board: BoardState, width: int) -> _Part:
    given = board.warnings
    if not given:
        return _Part(0, 0, lambda _: [])

    def rows(room: int) -> list["Text"]:
        heading = ends(text((f"warnings ({len(given) + board.forgotten})", "bold yellow")), text(), width, "─")
        return [heading, *map(caution_row, given[len(given) - max(0, room - 1) :])]

    return _Part(2, 1 + min(_WARNINGS, len(given)), rows)


def _agents(board: BoardState) -> _Part:
    flags = tuple(board.run.autonomy.items()) if board.run else ()
    rows = [text((acts_alone(agent, flag), "yellow")) for agent, flag in flags[:_AGENTS]]
    return _Part(len(rows), len(rows), lambda _: rows)


def _foot(board: BoardState, width: int, hint: Hint) -> _Part:
    left = text((spent_words(board), ""))
    right = text((hint.text, "bold yellow" if hint.urgent else "dim"))
    if not hint.urgent and left.cell_len + right.cell_len + 2 > width:
        right = text()
    return _Part(1, 1, lambda _: [ends(left, right, width)])
