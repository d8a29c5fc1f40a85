"""How facts are put into words, wherever people read them: on the terminal, in a report, on a page."""

from prd_ralph.wording.phrases import agent_end, awaited, check_end, exit_of, joined, listed
from prd_ralph.wording.text import duration, last_lines, one_line, plural, printable, shown_lines

__all__ = [
    "agent_end",
    "awaited",
    "check_end",
    "duration",
    "exit_of",
    "joined",
    "last_lines",
    "listed",
    "one_line",
    "plural",
    "printable",
    "shown_lines",
]
