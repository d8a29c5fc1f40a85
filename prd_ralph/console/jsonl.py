"""`run --json`: the ledger's lines, on stdout."""

from collections.abc import Mapping
from typing import Any, TextIO

from prd_ralph.console.output import Output
from prd_ralph.events import as_line


class JsonLines:
    """Prints each record as the ledger holds it."""

    def __init__(self, stream: TextIO) -> None:
        self._output = Output(stream, {"NO_COLOR": "1"})

    def write(self, record: Mapping[str, Any]) -> None:
        """One record, one line, flushed."""
        self._output.line(as_line(record))
