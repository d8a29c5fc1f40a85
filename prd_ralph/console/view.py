"""What shows a run to a person: plain lines, or the board where there is a terminal for it."""

from collections.abc import Callable, Mapping
from typing import Protocol, TextIO

from prd_ralph.console.board_state import NO_HINT, Hint
from prd_ralph.console.lines import ConsoleLines, Verbosity
from prd_ralph.events import RunEvent
from prd_ralph.model import AgentAction


class View(Protocol):
    """Is told all that happens in one run, in its order, by one thread."""

    def emit(self, event: RunEvent, ago_s: float = 0.0) -> None:
        """An event, and how long ago it happened. Raises BlockedError (exit 3) where the stream takes no more."""
        ...

    def action(self, action: AgentAction) -> None:
        """What the agent was seen to do."""
        ...

    def close(self) -> None:
        """Gives the terminal back, however the run has ended."""
        ...


def view(
    stream: TextIO,
    env: Mapping[str, str],
    run_id: str,
    verbosity: Verbosity = Verbosity.NORMAL,
    hint: Callable[[], Hint] = lambda: NO_HINT,
) -> View:
    """The board on a terminal of a person's who asked for no more and no less; else plain lines.

    `hint` tells what the person can do now.
    """
    lines = ConsoleLines(stream, env, run_id, verbosity)
    if verbosity is not Verbosity.NORMAL or not takes_board(stream, env):
        return lines
    from prd_ralph.console.live import LiveBoard  # Rich is slow to import

    return LiveBoard(stream, env, lines, hint)


def takes_board(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Whether it is a terminal that can be painted, and not that of a machine that builds."""
    can = (getattr(stream, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return stream.isatty() and can and env.get("TERM", "dumb") not in ("", "dumb") and not env.get("CI")
