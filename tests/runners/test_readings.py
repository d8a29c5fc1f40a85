"""Closing lines are read as their runners mean them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.runners import Reading, read, suspicion
from tests.runners.samples import SAMPLES

FIVE, THREE = "5 passed in 0.01s\n", "3 passed in 0.01s\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_runners_closing_lines_are_counted(name: str) -> None:
    runner, text, counted = SAMPLES[name]

    (reading,) = read("make test", f"building\n{text}")

    assert (reading.runner, reading.passed, reading.failed, reading.skipped) == (runner, *counted)


def test_skipped_tests_have_not_run_and_what_is_not_said_is_not_known() -> None:
    said, unsaid = Reading("pytest", passed=2, failed=1, skipped=4), Reading("go test", passed=None)

    assert (said.ran, said.total) == (3, 7)
    assert (unsaid.ran, unsaid.total) == (None, None)


@pytest.mark.parametrize(
    ("run", "passed"),
    [
        ("pytest -q", 3),  # once: what came before is not the runner's own
        ("cd api && python -m pytest -q", 3),
        ("pytest a && pytest b", 8),
        ("make test", 8),
        ("npm test", 8),
        ("(pytest -q)", 8),  # not read, and so not known
        (("pytest", "-q"), 3),
    ],
)
def test_the_last_closing_counts_of_a_runner_that_is_called_once(run: str | tuple[str, ...], passed: int) -> None:
    assert read(run, FIVE + THREE) == (Reading("pytest", passed),)


def test_what_one_run_tells_in_parts_is_added_up_however_it_is_called() -> None:
    _, text, counted = SAMPLES["cargo"]

    assert read("cargo test", text) == (Reading("cargo test", *counted),)


def test_a_total_that_includes_the_ones_before_is_not_added_to_them() -> None:
    _, text, counted = SAMPLES["xctest"]

    assert read("swift test", text) == (Reading("XCTest", *counted),)


def test_two_runners_are_read_side_by_side() -> None:
    text = SAMPLES["pytest"][1] + SAMPLES["jest"][1]

    assert {reading.runner: reading.ran for reading in read("make test", text)} == {"pytest": 2, "jest": 2}


NO_CLOSINGS = (
    "all good\n0 failed\n3 passed\n",
    "2 files failed to open, ignored\n",
    "Tests: see below\nerrors 0, warnings 3\n",
    "ok\n",  # a word of its own, without a plan
    "  1 failed\n",
    "I ran 5 tests in 3 s\n",
)


@pytest.mark.parametrize("text", NO_CLOSINGS)
def test_what_only_looks_like_a_closing_line_is_none(text: str) -> None:
    assert read("make", text) == ()


@given(st.text(max_size=2000))
def test_any_text_can_be_read(text: str) -> None:
    for reading in read(text, text):
        assert reading.failed >= 0 and reading.skipped >= 0
        assert reading.passed is None or reading.passed >= 0


WORDS = (
    "1 ",
    "9" * 400,
    "passed",
    "failed",
    ", ",
    "; ",
    " (",
    ")",
    "\n",
    "=",
    "ok ",
    "not ok ",
    "# TODO",
    "Tests: ",
    "[",
    "= ",
    " in 1s",
)


@pytest.mark.parametrize("first", WORDS)
@pytest.mark.parametrize("second", WORDS)
def test_no_text_makes_work_that_does_not_end(first: str, second: str) -> None:
    """Of the size that is kept of an output: a pattern that tries all ways would be at it for years."""
    text = (first + second) * (65536 // len(first + second))

    for name in ("pytest", "make"):
        assert len(suspicion(name, text)) < 200


@given(st.lists(st.sampled_from([text for _, text, _ in SAMPLES.values()]), max_size=4))
def test_the_same_closings_twice_are_twice_as_many(texts: list[str]) -> None:
    """Where nothing says that it is one run."""
    nested = any("Executed " in text for text in texts)
    one, two = ({each.runner: each for each in read("make", "\n".join(texts) * count)} for count in (1, 2))

    for name, reading in one.items():
        if reading.passed and not nested:
            assert two[name].passed == 2 * reading.passed
