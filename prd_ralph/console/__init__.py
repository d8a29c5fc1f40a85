"""What a person reads while a run goes on, and what a program reads: consumers of events."""

from prd_ralph.console.board_state import Hint
from prd_ralph.console.jsonl import JsonLines
from prd_ralph.console.lines import ConsoleLines, Verbosity
from prd_ralph.console.output import Output
from prd_ralph.console.phrases import agent_end, awaited, check_end
from prd_ralph.console.text import duration, plural, printable
from prd_ralph.console.view import View, takes_board, view

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
