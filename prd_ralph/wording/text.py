"""Text that is safe to show: nothing of an agent's, a PRD's or a command's may steer the terminal or flood it."""

import re
from datetime import UTC, datetime

LINE_LIMIT = 200
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_ASCII = str.maketrans({"✓": "+", "✗": "x", "·": "-", "…": "..."})


def printable(text: str, limit: int = LINE_LIMIT) -> str:
    """One line of at most `limit` characters: terminal sequences are removed, other unprintable characters shown."""
    shown = "".join(_visible(char) for char in _ESCAPE.sub("", text[: 4 * limit]))
    return shown if len(shown) <= limit and len(text) <= 4 * limit else f"{shown[: limit - 1]}…"


def one_line(text: str, limit: int = LINE_LIMIT) -> str:
    """A text of several lines as one: printable, with a blank for each of its line ends."""
    return printable(" ".join(_ESCAPE.sub("", text[: 8 * limit]).split()), limit)


def last_lines(text: str, count: int) -> list[str]:
    """The last lines that are not blank, each printable; what was left out before them is said."""
    lines = [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]
    left_out = len(lines) - count
    shown = [printable(line.rstrip()) for line in lines[-count:]]
    return [f"… {plural(left_out, 'line')} before", *shown] if left_out > 0 else shown


def shown_lines(text: str, limit: int = 20_000) -> list[str]:
    """All lines of at most `limit` characters of a text, each printable; that something is left out is said."""
    lines = [printable(line, 2000) for line in re.split(r"\r\n|\r|\n", text[:limit])]
    return [*lines, f"… {len(text) - limit} characters more"] if len(text) > limit else lines


def duration(seconds: float) -> str:
    """`0.3s`, `42s`, `3m 5s`, `2h 10m`, `1d 2h`: two units at most."""
    if round(seconds, 1) < 10:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    for size, unit, less, smaller in ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s")):
        if whole >= size:
            rest = whole % size // less
            return f"{whole // size}{unit}" + (f" {rest}{smaller}" if rest else "")
    return f"{whole}s"


def moment(unix: float, now: float) -> str:
    """`19:00 UTC`, with its day where that is not the day of `now`; both are Unix time."""
    try:
        then, today = datetime.fromtimestamp(unix, UTC), datetime.fromtimestamp(now, UTC)
    except (ValueError, OverflowError, OSError):  # an agent can write into the ledger too
        return "an unknown time"
    return then.strftime("%H:%M UTC" if then.date() == today.date() else "%Y-%m-%d %H:%M UTC")


def plural(count: int, noun: str) -> str:
    """`1 line`, `2 lines`, `2 stories`, `2 processes`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if noun.endswith('s') else 's'}"


def encodable(text: str, encoding: str) -> str:
    """`text` as a stream of that encoding can take it: with plainer marks and escapes where it must be."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _visible(char: str) -> str:
    if char == "\t":
        return "    "
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
