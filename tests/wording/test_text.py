"""Foreign text on the screen: harmless, bounded, and as told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.wording.text import duration, encodable, last_lines, plural, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 😀", "plain é 😀"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("\x1b]52;c;no end", "\\x1b]52;c;no end"),
        ("a\rb\nc", "a\\rb\\nc"),
        ("a\tb", "a    b"),
        ("\x07\x00\x9b", "\\x07\\x00\\x9b"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\udcff", "\\udcff"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(), st.integers(2, 50))
def test_printable_is_one_bounded_line_without_control_characters(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert shown.isprintable()


def test_what_is_cut_is_marked() -> None:
    assert printable("x" * 11, 10) == "x" * 9 + "…"
    assert printable("x" * 10, 10) == "x" * 10
    assert printable("\x1b[0m" * 99 + "hidden", 10).endswith("…")


def test_last_lines() -> None:
    assert last_lines("a\r\n\n  b  \rc\n", 9) == ["a", "  b", "c"]
    assert last_lines("1\n2\n3\n", 2) == ["… 1 line before", "2", "3"]
    assert last_lines("", 2) == []


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.0s"),
        (0.349, "0.3s"),
        (9.97, "10s"),
        (59.7, "1m"),
        (185, "3m 5s"),
        (3600, "1h"),
        (86399, "23h 59m"),
        (93784, "1d 2h"),
    ],
)
def test_duration(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_plural() -> None:
    assert [plural(1, "story"), plural(2, "story"), plural(0, "file"), plural(3, "process")] == [
        "1 story",
        "2 stories",
        "0 files",
        "3 processes",
    ]


def test_a_stream_that_knows_no_marks_gets_plain_ones() -> None:
    assert encodable("✓ a · é…", "utf-8") == "✓ a · é…"
    assert encodable("✓ a · é…", "ascii") == "+ a - \\xe9..."
