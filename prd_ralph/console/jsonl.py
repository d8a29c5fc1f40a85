"""`run --json`: the ledger's lines, on stdout."""

from collections.abc import Mapping
from typing import Any, TextIO

from prd_ralph.console.output import Output, is_github
from prd_ralph.events import as_line


class JsonLines:
    """Prints each record as the ledger holds it."""

    def __init__(self, stream: TextIO, env: Mapping[str, str] | None = None) -> None:
        self._output = Output(stream, {"NO_COLOR": "1"})
        self._on_github = is_github(env or {})

    def write(self, record: Mapping[str, Any]) -> None:
        """One record, one line, flushed. On GitHub with an escape where its runner would see a command of its own."""
        line = as_line(record)
        self._output.line(line.replace("##[", "#\\u0023[") if self._on_github else line)
