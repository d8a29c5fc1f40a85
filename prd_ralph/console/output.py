"""A stream that whole lines are written to, at once."""

import errno
import os
from collections.abc import Mapping
from typing import TextIO

from prd_ralph.console.text import encodable
from prd_ralph.errors import cannot_write

_GONE = (errno.EPIPE, errno.EIO)
_COLOURS = {"red": 31, "green": 32, "yellow": 33, "bold": 1, "dim": 2}


class Output:
    """A reader that has gone away ends the output, not the run: the ledger holds it all.

    Any other failure to write raises BlockedError (exit 3).
    """

    def __init__(self, stream: TextIO, env: Mapping[str, str]) -> None:
        self._stream = stream
        self._encoding = getattr(stream, "encoding", None) or "utf-8"
        self._colour = wants_colour(stream, env)

    def line(self, text: str = "", colour: str = "") -> None:
        """Writes one line, flushed; in colour on a terminal."""
        text = encodable(text, self._encoding)
        if colour and self._colour:
            text = f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except OSError as error:
            self._to_nowhere()
            if error.errno not in _GONE:
                raise cannot_write("the output", error) from error

    def _to_nowhere(self) -> None:
        """Python writes what it still holds at its end, and would fail once more."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, self._stream.fileno())
        finally:
            os.close(nowhere)


def wants_colour(stream: TextIO, env: Mapping[str, str]) -> bool:
    """On a terminal that is not dumb, unless NO_COLOR is set (https://no-color.org)."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"
