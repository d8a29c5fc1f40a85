"""When a usage limit ends, as an error names it by number: seconds from now, or Unix time."""

import re

_AT = re.compile(r"""(?:resets?_?at|limit reached)["'\s:|=]+(\d{10}(?:\d{3})?)\b""", re.IGNORECASE)
_SECONDS = re.compile(r"""(?:resets?_in_seconds|retry[-_ ]after)["'\s:=]+(\d{1,7})\b""", re.IGNORECASE)
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_PART = re.compile(
    r"(\d{1,6}(?:\.\d+)?)\s*(d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b", re.IGNORECASE
)
_SPAN = re.compile(
    rf"(?:try again|retry|resets?) (?:in|after)\s+((?:{_PART.pattern}[\s,]*(?:and\s+)?)+)", re.IGNORECASE
)
_MILLISECONDS = 10**12


def reset_at(text: str, now: float) -> float | None:
    """Unix time of the reset that `text` names, or None. `now` is Unix time.

    Knows `resets_at`, `resetsAt` (seconds or milliseconds), `resets_in_seconds`, `Retry-After: N`,
    `limit reached|1749924000` and `try again in 3 hours 42 minutes`.
    """
    if found := _AT.search(text):
        return unix_time(int(found[1]))
    if found := _SECONDS.search(text):
        return now + int(found[1])
    if found := _SPAN.search(text):
        return now + sum(float(number) * _UNITS[unit[0].lower()] for number, unit in _PART.findall(found[1]))
    return None


def unix_time(number: float) -> float:
    """Seconds, of a time that is given in seconds or milliseconds."""
    return number / 1000 if number >= _MILLISECONDS else float(number)
