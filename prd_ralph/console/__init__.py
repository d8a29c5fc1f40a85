"""What a person reads while a run goes on, and what a program reads: consumers of events."""

from prd_ralph.console.board_state import Hint
from prd_ralph.console.jsonl import JsonLines
from prd_ralph.console.lines import ConsoleLines, Verbosity
from prd_ralph.console.output import Output
from prd_ralph.console.view import View, takes_board, view
from prd_ralph.wording.phrases import agent_end, awaited, check_end
from prd_ralph.wording.text import duration, plural, printable

__all__ = [
    "ConsoleLines",
    "Hint",
    "JsonLines",
    "Output",
    "Verbosity",
    "View",
    "agent_end",
    "awaited",
    "check_end",
    "duration",
    "plural",
    "printable",
    "takes_board",
    "view",
]
