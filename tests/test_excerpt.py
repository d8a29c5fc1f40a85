"""What is kept of a command's output."""

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.excerpt import excerpt, plain_text


def test_short_output_is_kept_whole() -> None:
    assert excerpt(b"one\ntwo\n") == "one\ntwo"


def test_the_failure_in_the_middle_is_kept_and_the_noise_around_it_is_not() -> None:
    noise = b"".join(b"compiling module %d\n" % number for number in range(2000))
    text = excerpt(noise + b"E   AssertionError: 1 != 2\n" + noise + b"2 failed in 3 s\n", 2000)
    assert "AssertionError: 1 != 2" in text
    assert text.endswith("2 failed in 3 s")
    assert "…" in text.splitlines()


@given(st.binary(max_size=20_000), st.integers(100, 3000))
def test_an_excerpt_is_bounded_and_clean(data: bytes, limit: int) -> None:
    text = excerpt(data, limit)
    assert len(text) <= limit + 2 * text.count("…") + 2
    assert "\x1b" not in text
    assert "\r" not in text


def test_terminal_escapes_are_left_out() -> None:
    assert plain_text(b"\x1b[31mred\x1b[0m\x1b]0;title\x07 \xff end") == "red � end"
