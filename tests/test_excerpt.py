"""What is kept of a command's output."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.excerpt import excerpt, no_tests_ran, plain_text


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


@pytest.mark.parametrize(
    "line",
    [
        "Ran 0 tests in 0.000s",
        "===== no tests ran in 0.01s =====",
        "collected 0 items",
        "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out",
        "0 passed; 12 filtered out",
        "?   	example.invalid/x	[no test files]",
        "No tests found, exiting with code 0",
    ],
)
def test_a_runner_that_ran_nothing_says_so(line: str) -> None:
    assert no_tests_ran(f"starting\n{line}\n".encode()) == line.strip()


@pytest.mark.parametrize("text", ["all good", "Ran 3 tests in 0.1s\nOK", "collected 0 items\n5 passed", "0 errors"])
def test_other_output_is_not_suspect(text: str) -> None:
    assert no_tests_ran(text.encode()) == ""
