"""The single rows of the board."""

from typing import TYPE_CHECKING

from prd_ralph.console.board_state import AttemptLine, BoardState, Caution, StoryLine
from prd_ralph.events import AgentFinished, CheckFinished, Judged
from prd_ralph.model import ActionKind, AgentAction, StoryState
from prd_ralph.wording.phrases import (
    SHORT,
    TITLE_LIMIT,
    agent_end,
    agent_failed,
    attempt_count,
    attempt_end,
    check_end,
    joined,
    waiting,
)
from prd_ralph.wording.spent import added, cost_words, token_words
from prd_ralph.wording.text import duration, one_line, plural, printable

if TYPE_CHECKING:
    from rich.text import Text

Thing = AgentAction | AgentFinished | CheckFinished | Judged | str
"""What a row of an attempt tells."""

_NARROW = 60
_BAR = 30
_LONG = 500
_MARKS = {"passed": ("✓", "green"), "exhausted": ("✗", "red"), "ready": ("·", "")}
_HELD = ("-", "dim")
_NOW = ("▶", "bold cyan")
_ACTION_STYLES = {ActionKind.SAYS: "", ActionKind.USES: "cyan", ActionKind.GETS: "dim", ActionKind.NOTE: "yellow"}
_COUNTED = (
    ("failing", (StoryState.READY, StoryState.EXHAUSTED)),
    ("blocked", (StoryState.BLOCKED,)),
    ("skipped", (StoryState.SKIPPED,)),
)


def text(*parts: tuple[str, str]) -> "Text":
    """One row of parts, each with its style: printable whatever they are, and markup is text like any other."""
    from rich.text import Text

    return Text.assemble(*((printable(part, _LONG), style) for part, style in parts))


def ends(left: "Text", right: "Text", width: int, fill: str = " ") -> "Text":
    """A row with something at both ends. The right one gives way to half of the row, the left one to the rest."""
    row = left.copy()
    right.truncate(width // 2, overflow="ellipsis")
    row.truncate(max(1, width - right.cell_len - bool(right.plain)), overflow="ellipsis")
    room = width - row.cell_len - right.cell_len
    between = f" {fill * (room - 2)} " if right.plain and room >= 2 else f" {fill * (room - 1)}" if room else ""
    row.append(between, "dim")
    return row.append_text(right)


def head_row(board: BoardState, width: int, now: float) -> "Text":
    """The project, its file and branch, and for how long the run goes on."""
    run = board.run
    if run is None:
        return text(("prd-ralph", "bold"))
    about = joined("", printable(run.prd, TITLE_LIMIT), printable(run.branch or "", TITLE_LIMIT))
    left = text((printable(run.project, TITLE_LIMIT), "bold"), (f" · {about}" if about else "", ""))
    return ends(left, text((_elapsed(now - board.began), "bold")), width)


def bar_row(board: BoardState, width: int) -> "Text":
    """How many stories pass of all: `━━━━──── 3 of 8 passed · 4 failing`."""
    states = [line.state for line in board.stories.values()]
    total = len(states)
    passed = states.count(StoryState.PASSES)
    counts = {word: sum(map(states.count, of)) for word, of in _COUNTED}
    told = joined(f"{passed} of {total} passed", *(f"{count} {word}" for word, count in counts.items() if count))
    if width < _NARROW:
        told = f"{passed}/{total}"
    length = max(0, min(max(_BAR, width // 2), width - len(told) - 1))
    done = length * passed // total if total else 0
    return text(("━" * done, "green"), ("─" * (length - done), "dim"), (f" {told}" if length else told, "bold"))


def story_row(line: StoryLine, now: bool, width: int) -> "Text":
    """A story, where it stands, and what came of its attempts in this run."""
    mark, style = _NOW if now and line.state == StoryState.READY else _MARKS.get(line.state, _HELD)
    left = text(
        (f"{mark} ", style),
        (printable(line.id, TITLE_LIMIT), "bold" if now else ""),
        (f" {printable(line.title, _LONG)}", "dim" if (mark, style) == _HELD else ""),
    )
    if width < _NARROW:
        return left
    told = joined(
        printable(line.reason, TITLE_LIMIT) or (line.state if (mark, style) == _HELD else ""),
        line.outcome if line.outcome != "passed" else "",
        plural(line.attempts, "attempt") if line.attempts else "",
        printable(line.commit[:SHORT]),
    )
    return ends(left, text((told, "dim")), width)


def attempt_heading(attempt: AttemptLine, width: int, now: float) -> "Text":
    """`[4/35] US-003 · attempt 1/3 · Title ──── claude 2.1.332 2m 3s`."""
    place = f"[{attempt.iteration}/{attempt.cap}] " if attempt.iteration else ""
    most = attempt.max_attempts
    count = attempt_count(attempt.charged, most, attempt.number) if most else "taken up"
    name = joined(printable(attempt.story, TITLE_LIMIT), count, printable(attempt.title, _LONG))
    took = _elapsed((now if attempt.over is None else attempt.over) - attempt.began)
    return ends(text((place + name, "bold")), text((_phase(attempt, width) + took, "bold")), width, "─")


def waiting_row(board: BoardState, now: float) -> "Text":
    """How long it is until an agent can be had; none where one can."""
    if board.waits is None:
        return text()
    return text((waiting(board.waits, max(0.0, round(board.waits_until - now))), "bold yellow"))


def _phase(attempt: AttemptLine, width: int) -> str:
    if width < _NARROW:
        return ""
    if attempt.judged is not None:
        return f"{printable(attempt.judged.outcome)} "
    if attempt.ended is not None or attempt.checks:
        return "checks "
    return f"{printable(attempt.agent, 40)} " if attempt.agent else "starting "


def last_things(attempt: AttemptLine) -> list[Thing]:
    """What an attempt's rows tell, in the order in which it happened."""
    things: list[Thing] = [*attempt.actions]
    if attempt.ended is not None:
        things.append(attempt.ended)
    elif attempt.agent and not things:
        things.append("nothing is heard of the agent yet")
    things += attempt.checks
    if attempt.judged is not None:
        things.append(attempt.judged)
    return things


def attempt_row(thing: Thing, commit: str = "") -> "Text":
    """One thing of an attempt."""
    match thing:
        case AgentAction():
            return text((f"{thing.kind} ", "dim"), (one_line(thing.text, _LONG), _ACTION_STYLES[thing.kind]))
        case AgentFinished():
            end = agent_end(thing.end, thing.exit_code, thing.failure, thing.duration_s)
            failed = agent_failed(thing)
            said = one_line(thing.error or thing.tail, _LONG) if failed else ""
            return text((joined(f"agent: {printable(end)}", said), "red" if failed else "dim"))
        case CheckFinished():
            return _check_row(thing)
        case Judged():
            style = "bold green" if thing.outcome == "passed" else "bold red"
            return text((attempt_end(thing, commit), style))
        case _:
            return text((thing, "dim"))


def _check_row(check: CheckFinished) -> "Text":
    name, took = printable(check.name), duration(check.duration_s)
    if check.status == "passed":
        suspect = f"suspect: {printable(check.suspect)}" if check.suspect else ""
        return text((joined(f"✓ {name} {took}", suspect), "yellow" if suspect else "green"))
    said = next((line for line in reversed(check.excerpt.splitlines()) if line.strip()), "")
    return text((joined(f"✗ {name} {check_end(check)}", took), "red"), (f" · {one_line(said)}" if said else "", "dim"))


def caution_row(caution: Caution) -> "Text":
    """A warning, with its story where it is about one."""
    story = f"{printable(caution.story, TITLE_LIMIT)}: " if caution.story else ""
    return text((f"{story}{one_line(caution.message, _LONG)}", "yellow"))


def spent_words(board: BoardState) -> str:
    """Tokens and money of the run, as far as they are known; the tokens of the attempt that goes on among them."""
    going_on = board.attempt.spent if board.attempt else None
    spent = board.spent
    return joined(token_words(added(spent.tokens, going_on), spent.uncounted), cost_words(spent))


def _elapsed(seconds: float) -> str:
    """In whole seconds; a clock that was set back counts as none."""
    return duration(max(0.0, seconds)) if seconds >= 10 else f"{max(0, int(seconds))}s"
