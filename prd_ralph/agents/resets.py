"""When a usage limit ends, as an error names it: by number (seconds from now, Unix time), or as a person would."""

import re
from datetime import tzinfo

from prd_ralph.agents.moments import moment_at

_AT = re.compile(r"""(?:resets?_?at|limit reached)["'\s:|=]+(\d{10}(?:\d{3})?)\b""", re.IGNORECASE)
_SECONDS = re.compile(r"""(?:resets?_in_seconds|retry[-_ ]after)["'\s:=]+(\d{1,7})\b""", re.IGNORECASE)
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(
    r"(\d{1,6}(?:\.\d+)?)\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b", re.IGNORECASE
)
_SPAN = re.compile(
    rf"(?:try again|retry|resets?) (?:in|after)\s+((?:{_PART.pattern}[\s,]*(?:and\s+)?)+)", re.IGNORECASE
)
_BEFORE = re.compile(
    r"(?:resets?|try again|retry|available again)(?: (?:at|on|after))?[\s:]+(?=[\dA-Z])", re.IGNORECASE
)
_MILLISECONDS = 10**12


def reset_at(text: str, now: float, local: tzinfo | None = None) -> float | None:
    """Unix time of the reset that `text` names, or None. `now` is Unix time; `local` None is the machine's zone.

    Knows `resets_at`, `resetsAt` (seconds or milliseconds), `resets_in_seconds`, `Retry-After: N`,
    `limit reached|1749924000`, `try again in 3 hours 42 minutes`, and moments: `resets 7pm (Asia/Tokyo)`.
    """
    if found := _AT.search(text):
        return unix_time(int(found[1]))
    if found := _SECONDS.search(text):
        return now + int(found[1])
    if found := _SPAN.search(text):
        return now + sum(float(number) * _UNITS[unit[0].lower()] for number, unit in _PART.findall(found[1]))
    moments = (moment_at(text[found.end() :], now, local) for found in _BEFORE.finditer(text))
    return next((moment for moment in moments if moment is not None), None)


def unix_time(number: float) -> float:
    """Seconds, of a time that is given in seconds or milliseconds."""
    return number / 1000 if number >= _MILLISECONDS else float(number)
