"""The mask: a value that takes secrets out of texts and bytes."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from prd_ralph.masking.shapes import KEY_START, LONGEST, open_key, shapes
from prd_ralph.masking.values import secret_values

MARK = b"***"
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mask:
    """What one of `secrets` matches (of one with a group: the group) is replaced by `***`.

    No pattern may match more than `LONGEST` bytes, nor the end of a line, but for the private keys that `unfinished`
    sees coming.
    """

    secrets: tuple[re.Pattern[bytes], ...] = ()
    unfinished: re.Pattern[bytes] | None = None

    @classmethod
    def of(cls, env: Mapping[str, str], named: Collection[str] = ()) -> Self:
        """The well-known shapes, and the secrets of an environment: `named` are variables that are secret for sure."""
        values = (re.compile(re.escape(value)) for value in sorted(secret_values(env, named)))
        return cls((*shapes(), *values), open_key())

    def text(self, text: str) -> str:
        """The text without secrets. Lone surrogates (bytes of a file's name that are no UTF-8) stay as they are."""
        data = text.encode("utf-8", "surrogatepass")
        masked = self.data(data)
        return text if masked is data else masked.decode("utf-8", "surrogatepass")

    def data(self, data: bytes) -> bytes:
        """The bytes without secrets; the same object where there are none."""
        matches = self.matches(data)
        return replaced(data, secrets_in(matches), 0, len(data)) if matches else data

    def matches(self, data: bytes, start: int = 0) -> list[re.Match[bytes]]:
        """Where secrets are from `start` on, in any order; what stands before is seen as that, and not looked into."""
        return [match for secret in self.secrets for match in secret.finditer(data, start)]

    def open_at(self, data: bytes, start: int) -> int:
        """Where a private key begins that may go on behind the end; else the end itself."""
        begin = data.rfind(KEY_START.encode(), max(start, len(data) - LONGEST))
        if begin < 0 or self.unfinished is None or not self.unfinished.match(data, begin):
            return len(data)
        return begin


def replaced(data: bytes, spans: list[Span], start: int, end: int) -> bytes:
    """`data[start:end]` with a mark for each span; no span may reach over `end`."""
    pieces: list[bytes] = []
    for first, last in spans:
        if last > end:
            break
        pieces += (data[start:first], MARK)
        start = last
    return b"".join((*pieces, data[start:end]))


def secrets_in(matches: list[re.Match[bytes]]) -> list[Span]:
    """What is to be replaced, in order; what overlaps is one."""
    return _merged(match.span(match.lastindex or 0) for match in matches)


def undivided(matches: list[re.Match[bytes]]) -> list[Span]:
    """What is known to hold a secret only as long as it stays together, in order; what overlaps is one."""
    return _merged(match.span() for match in matches)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
