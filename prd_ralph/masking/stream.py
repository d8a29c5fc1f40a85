"""The mask on a stream, wherever its chunks part a secret."""

from prd_ralph.masking.mask import Mask, replaced, secrets_in, undivided
from prd_ralph.masking.shapes import LONGEST

LIMIT = 2 * LONGEST
"""Bytes of an unfinished line that are held back."""

_CONTEXT = 16


class MaskedStream:
    """Gives out what it is fed, masked, as soon as no secret can begin in it that goes on in what comes next.

    So complete lines come out at once; of an unfinished one at most some `LIMIT` bytes are held back, and a private
    key until its end. All that comes out together is what `mask.data` makes of all that went in.
    """

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._held = bytearray()
        self._context = b""

    def feed(self, chunk: bytes) -> bytes:
        """What may leave now, `b""` for nothing."""
        self._held += chunk
        if len(self._held) <= LIMIT and b"\n" not in chunk:
            return b""
        return self._release(final=False)

    def close(self) -> bytes:
        """The rest: nothing comes any more."""
        return self._release(final=True)

    def _release(self, final: bool) -> bytes:
        start = len(self._context)
        data = self._context + self._held
        matches = self._mask.matches(data, start)
        end = len(data) if final else self._end(data, start)
        for first, last in undivided(matches):
            if first < end < last:
                # Secrets that overlap over more than is ever held are let go together: there is no place in between.
                end = last if first == start and len(data) - start > LIMIT else first
        masked = replaced(data, secrets_in(matches), start, end)
        self._held = bytearray(data[end:])
        self._context = data[max(0, end - _CONTEXT) : end]
        return masked

    def _end(self, data: bytes, start: int) -> int:
        """Up to here nothing depends on what comes next: the end of the last line, or far enough from the end."""
        line = data.rfind(b"\n", start) + 1 or start
        safe = min(line, self._mask.open_at(data, start))
        return safe if len(data) - safe <= LIMIT else max(safe, len(data) - LONGEST)
