"""A stream that whole lines are written to, at once."""

import errno
import os
from collections.abc import Mapping
from typing import TextIO

from prd_ralph.errors import cannot_write
from prd_ralph.wording.text import encodable

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
        self._on_github = is_github(env)
        self._in_group = False

    def line(self, text: str = "", colour: str = "") -> None:
        """Writes one line, flushed; in colour on a terminal. None is taken for a command to GitHub's runner."""
        self._write(defused(text) if self._on_github else text, colour)

    def begin_group(self, title: str, colour: str = "") -> None:
        """A line, and on GitHub the head of a group of lines that its log can fold."""
        self.end_group()
        if not self._on_github:
            self.line(title, colour)
            return
        self._write(f"::group::{_as_data(defused(title))}")
        self._in_group = True

    def end_group(self) -> None:
        """Ends the group, where there is one."""
        if self._in_group:
            self._in_group = False
            self._write("::endgroup::")

    def _write(self, text: str, colour: str = "") -> None:
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


def is_github(env: Mapping[str, str]) -> bool:
    """Whether GitHub Actions reads our lines: https://docs.github.com/actions/reference/workflow-commands."""
    return env.get("GITHUB_ACTIONS") == "true"


def defused(text: str) -> str:
    """The line with nothing in it that GitHub's runner obeys: it skips blanks before `::`, and finds `##[` anywhere."""
    text = text.replace("##[", "# #[")
    return f"| {text}" if text.lstrip().startswith("::") else text


def _as_data(text: str) -> str:
    """As the runner reads it back: `%` begins an escape."""
    return text.replace("%", "%25")
