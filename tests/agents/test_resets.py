"""When a usage limit ends, in the words of those who say so."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.agents.moments import moment_at
from prd_ralph.agents.resets import reset_at

NOW = datetime(2031, 3, 1, 8, 0, tzinfo=UTC).timestamp()
ZONES = ("UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe")


def utc(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Claude usage limit reached. Your limit will reset at 7pm (Asia/Tokyo).", utc(2031, 3, 1, 10)),
        ("You've hit your limit · resets 7am (UTC)", utc(2031, 3, 2, 7)),
        ("5-hour limit reached ∙ resets 3:30pm (America/New_York)", utc(2031, 3, 1, 20, 30)),
        ("resets at 10:30am", utc(2031, 3, 1, 9, 30)),
        ("resets 19:05", utc(2031, 3, 1, 18, 5)),
        ("limit resets 12am (UTC)", utc(2031, 3, 2)),
        ("limit resets 12pm (UTC)", utc(2031, 3, 1, 12)),
        ("resets Oct 3, 9am (UTC)", utc(2031, 10, 3, 9)),
        ("resets Jan 3 at 9:15am (UTC)", utc(2032, 1, 3, 9, 15)),
        ("resets Feb 29, 9am (UTC)", utc(2032, 2, 29, 9)),
        ("try again at 2031-03-02 09:00 UTC", utc(2031, 3, 2, 9)),
        ("Try again at 2025-10-03T09:00:00.123Z.", utc(2025, 10, 3, 9)),
        ("try again at 2031-03-02 09:00:00 +05:30", utc(2031, 3, 2, 3, 30)),
        ("try again at 2031-03-02 09:00-0200", utc(2031, 3, 2, 11)),
        ("You've hit your usage limit. Try again at Mar 4th, 2031 3:42 PM.", utc(2031, 3, 4, 14, 42)),
        ("quota resets on October 3, 2031 at 9pm GMT", utc(2031, 10, 3, 21)),
        ("it resets at noon; try again at 9am (UTC)", utc(2031, 3, 1, 9)),
    ],
)
def test_a_moment_is_read_with_its_zone(text: str, expected: float) -> None:  # C121
    assert reset_at(text, NOW, timezone(timedelta(hours=1))) == expected


@pytest.mark.parametrize(
    "text",
    [
        "resets 7pm (Asia/Atlantis)",
        "resets 7pm (America)",
        "resets 7pm (../../etc/passwd)",
        "resets 7pm PST",
        "resets 7",
        "resets 25:00",
        "resets 13pm (UTC)",
        "resets 0am (UTC)",
        "resets 7:75am (UTC)",
        "resets Feb 30, 9am (UTC)",
        "resets Feb 29, 2031 9am (UTC)",
        "try again at 2031-13-01 09:00 UTC",
        "try again at 2031-03-01 09:00 +99:99",
        "try again at 0000-03-01 09:00 UTC",
        "resets soon",
        "resets 7pm" + "0" * 1000,
        "7pm (Asia/Tokyo)",
    ],
)
def test_what_is_no_moment_that_we_know_is_none(text: str) -> None:
    assert reset_at(text, NOW) is None


def test_a_number_counts_for_more_than_a_moment() -> None:
    assert reset_at('{"resets_at": 1930000000} resets 7pm (UTC)', NOW) == 1930000000
    assert reset_at("resets 7pm (UTC), try again in 90 seconds", NOW) == NOW + 90


def test_without_a_zone_it_is_the_machines() -> None:
    here = datetime.fromtimestamp(NOW).astimezone().tzinfo
    assert reset_at("resets 7pm", NOW) == reset_at("resets 7pm", NOW, here)


@given(
    now=st.floats(0, 4e9),
    hour=st.integers(1, 12),
    minute=st.integers(0, 59),
    half=st.sampled_from(("am", "pm", "AM", " PM")),
    zone=st.sampled_from(ZONES),
)
def test_it_is_the_next_such_time_of_day(now: float, hour: int, minute: int, half: str, zone: str) -> None:
    found = moment_at(f"{hour}:{minute:02d}{half} ({zone})", now)
    assert found is not None
    assert now < found <= now + 49 * 3600  # what summer time leaves out is there on the day after
    then = datetime.fromtimestamp(found, UTC).astimezone(ZoneInfo(zone))
    wanted = hour % 12 + 12 * (half.strip().lower() == "pm")
    # The hour that a clock skips in spring is told as the one after it.
    assert then.minute == minute or zone == "Australia/Lord_Howe"
    assert then.hour in (wanted, (wanted + 1) % 24)


@given(
    at=st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)).map(lambda at: at.replace(second=0, microsecond=0)),
    now=st.floats(0, 4e9),
)
def test_a_moment_in_full_is_itself_whenever_it_is_read(at: datetime, now: float) -> None:
    unix = at.replace(tzinfo=UTC).timestamp()
    assert moment_at(f"{at:%Y-%m-%d %H:%M} UTC", now) == unix
    assert moment_at(f"{at:%b} {at.day}, {at.year} {at.hour % 12 or 12}:{at:%M%p} (UTC)", now) == unix


@given(text=st.text(max_size=60), now=st.floats(0, 4e9))
def test_no_text_is_too_odd(text: str, now: float) -> None:
    for words in (text, f"resets {text}", f"resets 7pm ({text})"):
        found = reset_at(words, now)
        assert found is None or isinstance(found, float | int)
