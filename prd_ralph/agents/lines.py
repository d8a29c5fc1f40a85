"""Lines out of a stream that may never end one."""

from collections.abc import Callable


class LineSplitter:
    """Calls `on_line` with each line (without its end) of what it is fed; never holds more than `limit` bytes of one.

    A longer line is passed over as a whole and counted in `skipped`.
    """

    def __init__(self, on_line: Callable[[bytes], None], limit: int = 1 << 20) -> None:
        self.skipped = 0
        self._on_line = on_line
        self._limit = limit
        self._pending = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> None:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._take(piece)
            self._end()
        self._take(rest)

    def close(self) -> None:
        """The stream is over: what is left is the last line, if there is any."""
        if self._pending or self._skipping:
            self._end()

    def _take(self, piece: bytes) -> None:
        if self._skipping:
            return
        if len(self._pending) + len(piece) > self._limit:
            self._pending.clear()
            self._skipping = True
            self.skipped += 1
        else:
            self._pending += piece

    def _end(self) -> None:
        if not self._skipping:
            self._on_line(bytes(self._pending).removesuffix(b"\r"))
        self._pending.clear()
        self._skipping = False
