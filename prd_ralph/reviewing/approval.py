"""What a reviewer's last words come to: an approval is one line that only this review's reviewer can have written.

The nonce in it is made after everything that is under review, so that no file, diff or earlier review can hold it.
"""

import textwrap
from enum import StrEnum

PLACEHOLDER = "VERDICT-WORD"
"""Stands in the prompt where the word is to be, so that an echo of the prompt is no verdict."""
APPROVE, REJECT = "APPROVE", "REJECT"
_WIDTH = 240


class Opinion(StrEnum):
    """What the reviewer said; `unclear` whatever is neither the one nor the other beyond doubt."""

    APPROVED = "approved"
    REJECTED = "rejected"
    UNCLEAR = "unclear"


def form(nonce: str) -> str:
    """The line that a reviewer is asked for, with the placeholder in it."""
    return verdict(nonce, PLACEHOLDER)


def verdict(nonce: str, word: str) -> str:
    """The line itself."""
    return f'<verdict nonce="{nonce}">{word}</verdict>'


def opinion(text: str, nonce: str) -> Opinion:
    """Reads the verdict off the last line of the reviewer's final text.

    It counts where it is that whole line, and where the nonce stands nowhere else: who writes it twice, quotes it or
    speaks of it has not made up its mind. The form as it stands in the prompt is looked over.
    """
    last = text.rstrip().rpartition("\n")[2].strip()
    if text.replace(form(nonce), "").count(nonce) != 1:
        return Opinion.UNCLEAR
    return {verdict(nonce, APPROVE): Opinion.APPROVED, verdict(nonce, REJECT): Opinion.REJECTED}.get(
        last, Opinion.UNCLEAR
    )


def findings(text: str, nonce: str) -> str:
    """The text without the lines that hold the nonce: what a person, or the next attempt, is to read."""
    return "\n".join(line for line in text.splitlines() if nonce not in line).strip()


def bounded(text: str, limit: int) -> str:
    """At most about `limit` characters, from the beginning, in lines that an excerpt does not cut."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, _WIDTH) or [""]]
    whole = "\n".join(lines)
    if len(whole) <= limit:
        return whole
    return f"{whole[:limit].rpartition(chr(10))[0] or whole[:limit]}\n… and more"
