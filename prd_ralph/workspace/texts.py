"""git's words and file names as they may stand in a one-line message."""

from prd_ralph.model import ProcessResult

SHARED = " (shared with other work trees, left as it is)"
_SHOWN = 10


def one_line(text: str) -> str:
    """Line ends become blanks, what cannot be shown is escaped."""
    joined = " ".join(text.split())
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in joined)


def said(told: ProcessResult) -> str:
    """What a git command that failed had to say, or how it ended."""
    text = one_line(told.stderr.decode("utf-8", "surrogateescape"))
    return text or told.error or f"git ended with {told.exit_code} ({told.end})"


def listed(names: tuple[str, ...]) -> str:
    """The first ten, and how many there are."""
    shown = ", ".join(one_line(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{shown}{more} ({len(names)})" if len(names) > 1 else shown
