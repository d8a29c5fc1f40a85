"""A moment as a person writes it: `7pm (Asia/Tokyo)`, `Oct 3, 9am (UTC)`, `2025-10-03 09:00 UTC`. Pure."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOMENT = re.compile(
    r"""
    (?: (?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d) (?:,?\s+(?:at\s+)?|T)
      | (?P<name>(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))[a-z]*\.?\s+(?P<date>\d{1,2})(?:st|nd|rd|th)?
        (?:,?\s+(?P<of>\d{4}))? (?:,?\s+(?:at\s+)?)
    )?
    (?P<hour>\d{1,2}) (?: :(?P<minute>\d\d) (?: :\d\d (?:\.\d+)? )? )?
    \s* (?P<half>(?i:am|pm)\b)?
    \s* (?: \((?P<zone>[^()\s]+)\) | (?P<short>Z\b|[A-Z]{3,5}\b) | (?P<offset>[+-]\d\d:?\d\d)\b )?
    """,
    re.VERBOSE,
)
_MINUTES = re.compile(r"([+-])(\d\d):?(\d\d)")


def moment_at(text: str, now: float, local: tzinfo | None = None) -> float | None:
    """Unix time of the moment that `text` begins with; None where it is none, or of a zone that is not known.

    Without a day, or without its year, it is the next such moment after `now` (Unix time); without a zone that of
    `local`, None being the machine's as it is at `now`. A moment in full may have passed.
    """
    found = _MOMENT.match(text)
    if found is None or not (found["minute"] or found["half"]):
        return None
    zone = _zone(found, local or datetime.fromtimestamp(now).astimezone().tzinfo)
    hour = _hour(int(found["hour"]), found["half"])
    if zone is None or hour is None:
        return None
    try:
        return _unix(found, hour, int(found["minute"] or 0), now, zone)
    except (ValueError, OverflowError):  # the 31st of February, the year 9999
        return None


def _unix(found: re.Match[str], hour: int, minute: int, now: float, zone: tzinfo) -> float | None:
    today = datetime.fromtimestamp(now, UTC).astimezone(zone)
    time = today.replace(hour=hour, minute=minute, second=0, microsecond=0, fold=0)
    if found["year"]:
        return time.replace(int(found["year"]), int(found["month"]), int(found["day"])).timestamp()
    if found["name"] is None:
        coming = [(time + timedelta(days=ahead)).timestamp() for ahead in (0, 1, 2)]
        return next(moment for moment in coming if moment > now)
    month, day = _MONTHS.index(found["name"].lower()) + 1, int(found["date"])
    if found["of"]:
        return time.replace(int(found["of"]), month, day).timestamp()
    years = [_in_year(time, today.year + ahead, month, day) for ahead in range(9)]  # the 29th of February
    return next((moment for moment in years if moment is not None and moment > now), None)


def _in_year(time: datetime, year: int, month: int, day: int) -> float | None:
    try:
        return time.replace(year, month, day).timestamp()
    except ValueError:
        return None


def _hour(hour: int, half: str | None) -> int | None:
    """Of 24; 12am is midnight, 12pm is noon."""
    if half is None:
        return hour if hour < 24 else None
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half.lower() == "pm" else 0)


def _zone(found: re.Match[str], local: tzinfo | None) -> tzinfo | None:
    """The zone that is named; the local one where none is; None for one that is not known."""
    if found["offset"]:
        sign, hours, minutes = _MINUTES.fullmatch(found["offset"]).groups()  # type: ignore[union-attr]
        away = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-away if sign == "-" else away) if away < timedelta(days=1) else None
    name = found["zone"] or found["short"]
    if name is None:
        return local
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not there, no name, a folder
        return None
