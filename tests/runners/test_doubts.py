"""When an exit status of 0 is doubted, and when not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.runners import Run, explanation, shortfall, suspicion
from tests.runners.samples import SAMPLES

EMPTY = {name for name, (_, _, (passed, failed, _)) in SAMPLES.items() if passed == failed == 0}
FAILED = {name for name, (_, _, (_, failed, _)) in SAMPLES.items() if failed}
FLAKY = {"pytest reruns", "playwright flaky", "maven flakes"}
QUIET_CARGO = (
    "running 2 tests\n\nrunning 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_test_and_a_failed_test_are_doubted_and_nothing_else(name: str) -> None:
    runner, text, (_, failed, skipped) = SAMPLES[name]
    doubt = suspicion("make test", text)

    if name in FAILED:
        assert doubt == f"{runner} says that {failed} failed, yet the status is 0"
    elif name in EMPTY and skipped:
        assert doubt == f"{runner}: all {skipped} test{'s' if skipped > 1 else ''} skipped"
    elif name in FLAKY:
        assert doubt == f"{runner} ran 1 test again before it passed"
    else:
        assert doubt == (f"{runner}: no tests ran" if name in EMPTY else "")


DOUBTS: dict[str, tuple[Run, str, str]] = {
    # C014 C015
    "a selector that selects nothing": ("pytest -q -k nope", "\n6 deselected in 0.01s\n", "pytest: no tests ran"),
    "a fake line before the true one": (
        "pytest -q",
        "5 passed in 0.01s\n\nno tests ran in 0.00s\n",
        "pytest: no tests ran",
    ),
    "the second of two runners": (
        "pytest -q && npx vitest run --passWithNoTests",
        "5 passed in 0.01s\n\nNo test files found, exiting with code 0\n",
        "vitest: no tests ran",
    ),
    "all of several runs": (
        "pytest a; pytest b",
        "no tests ran in 0.01s\n1 skipped in 0.01s\n",
        "pytest: all 1 test skipped",
    ),
    "another's word": (
        "prove t && go test ./...",
        "Files=1, Tests=3,  0 wallclock secs\n",
        "go test said nothing of tests",
    ),
    "no word": ("pytest -q", "", "pytest said nothing of tests"),
    "an end in the middle": ("cd api && pytest -q", "..... [ 50%]\n", "pytest said nothing of tests"),
    "an end before the closing line": (
        "make test",
        "===== test session starts =====\ncollected 4 items\n\ntest_a.py ..",
        "pytest began, and its closing line is missing",
    ),
    "a test binary that ends itself": ("cargo test", QUIET_CARGO, "cargo test began, and its closing line is missing"),
    "an argv": (("python3.12", "-m", "pytest"), "hello\n", "pytest said nothing of tests"),
    "a wrapped call": ("CI=1 timeout 60 uv run pytest tests", "", "pytest said nothing of tests"),
    "coverage": ("coverage run -m pytest", "", "pytest said nothing of tests"),
    "coverage, as a module": ("python -m coverage run -m pytest", "", "pytest said nothing of tests"),
    "a path": (".venv/bin/pytest tests 2>&1", "", "pytest said nothing of tests"),
    "unittest": ("python -m unittest discover", "hello\n", "unittest said nothing of tests"),
    "go": ("go test ./...", "", "go test said nothing of tests"),
    "node": ("node --test", "hello\n", "node --test said nothing of tests"),
    "jest without any word": ("npx jest", "\n", "jest said nothing of tests"),
    "a hidden failure": ("npm test || true", "Tests:       1 failed, 1 total\n", "jest says that 1 failed"),
    "a file that is not there": (
        "test ! -f x.txt && npm test || true",
        "Tests: 1 failed, 1 total\n",
        "jest says that 1",
    ),
    "a list after a test": ("test ! -f x.txt && pytest", "", "pytest said nothing of tests"),
    "unittest's word alone": ("make test", "FAILED (failures=1)\n", "unittest says that 1 failed"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_what_proves_nothing_is_doubted(name: str) -> None:
    run, text, doubt = DOUBTS[name]

    assert suspicion(run, text).startswith(doubt)


HONEST: dict[str, tuple[Run, str]] = {
    "no runner": ("make", "0 errors, 0 failed\n"),
    "no output": ("test -f a.txt", ""),
    "talk of failures": ("./build", "failed to open cache, ignored\n2 failed attempts, then connected\n"),
    "several packages, one without tests": ("npm test --workspaces", "No tests found, exiting with code 0\n"
                                            "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n"),
    "the same, the other way round": ("npm test", "Tests:       2 passed, 2 total\n"
                                      "No tests found, exiting with code 0\n"),
    "go packages without tests": ("go test ./...", "?   \tx\t[no test files]\nok  \tx/a\t0.01s\n"),
    "an empty doc test": ("cargo test", SAMPLES["cargo"][1]),
    "a run within a test": ("pytest -s", "1 failed in 0.01s\nno tests ran in 0.01s\n2 passed in 0.03s\n"),
    "to nowhere": ("pytest -q >/dev/null", ""),
    "to nowhere, all of it": ("pytest -q &> out.txt", ""),
    "added to a file": ("pytest -q &>> out.txt", ""),
    "to a file": ("pytest -q > out.txt", ""),
    "through a pipe": ("pytest -q | tee out.txt | tail -1", ""),
    "a header that a filter leaves": ("pytest | grep -v passed", "===== test session starts =====\n"),
    "into the background": ("pytest -q & wait", ""),
    "not the last": ("pytest -q --junitxml=x.xml > log; echo done", "done\n"),
    "an alternative": ("make fast || pytest -q", ""),
    "collects only": ("pytest --collect-only -q", "test_a.py::test_ok\n\n1 test collected in 0.00s\n"),
    "collects only, framed": (
        "pytest --co",
        "===== test session starts =====\n\n=========== 6 tests collected in 0.01s ===========\n",
    ),
    "version": ("pytest --version", "pytest 9.2.0\n"),
    "help": ("go test -h", ""),
    "very quiet": ("pytest -qq", "..\n"),
    "quiet twice": ("pytest -q --quiet", "..\n"),
    "quiet by a setting": ("pytest", ".. [100%]\n"),
    "quiet by a variable": ("PYTEST_ADDOPTS=-qq pytest", "..\n"),
    "another tongue": ("pytest --tap-stream", "1..2\nok 1 a\nok 2 b\n"),
    "another look": ("pytest", "Results (0.05s):\n       3 passed\n"),
    "a reporter of one's own": ("npx jest", "all is well\n"),
    "a reporter by option": ("npx vitest run --reporter=junit --outputFile=x.xml", ""),
    "built, not run": ("cargo test --no-run", "    Finished `test` profile\n"),
    "an option of what stands before": ("uv run --with pytest-xdist pytest", ""),
    "a heredoc": ("pytest - <<E\nE", ""),
    "a function": ("f() { pytest -q; }; f", ""),
    "a quotation without end": ("pytest 'a", ""),
    "a comment": ("true # pytest", ""),
    "told to fail": ("! pytest tests/red", "1 failed in 0.01s\n"),
    "told to fail, with a test": ("if pytest red; then exit 1; fi", "1 failed in 0.01s\n"),
    "the status looked at": ("pytest red; test $? -eq 1", "1 failed in 0.01s\n"),
    "told to fail, in a list": (("sh", "-c", "! pytest tests/red"), "1 failed in 0.01s\n"),
    "nothing": ("", ""),
    "variables alone": ("A=1", ""),
    "no word of an argv": ((), ""),
    "an argv without a runner": (("make", "test"), ""),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_what_is_honest_is_not_doubted(name: str) -> None:
    assert suspicion(*HONEST[name]) == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_doubt_is_one_line_in_words_of_ours(run: str, text: str) -> None:
    """Of an output only numbers are in it: it goes where an agent reads."""
    doubt = suspicion(run, text)

    assert doubt.isprintable() and len(doubt) < 200


LEAST: dict[str, tuple[Run, str, int, str]] = {
    "enough": ("pytest -q", "5 passed in 0.01s\n", 5, ""),
    "too few": ("pytest -q", "3 passed in 0.01s\n", 5, "3 tests ran, minTests is 5"),
    "one": ("pytest -q", "1 passed, 9 skipped in 0.01s\n", 5, "1 test ran, minTests is 5"),
    "none": ("pytest -q", "no tests ran in 0.01s\n", 1, "0 tests ran, minTests is 1"),
    "unknown": ("./check", "all good\n", 1, "no count of tests could be read, minTests is 1"),
    "no number": ("go test ./...", "ok  \tx\t0.01s\n", 1, "no count of tests could be read, minTests is 1"),
    "enough without what is unknown": ("make", "ok  \tx\t0.01s\n5 passed in 0.01s\n", 5, ""),
    "after a fake one": ("pytest", "9 passed in 0.1s\n1 passed in 0.1s\n", 5, "1 test ran, minTests is 5"),
    "told twice": ("prove -v t", "1..1\nok 1\nFiles=1, Tests=1,  0 wallclock secs\n", 2, "1 test ran, minTests is 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAST)
def test_tests_are_counted_against_the_least_that_is_asked_for(name: str) -> None:
    run, text, least, lack = LEAST[name]

    assert shortfall(run, text, least) == lack


STATUSES: dict[str, tuple[Run, str, int | None, str]] = {
    "deselected": ("pytest -q -k x", "\n6 deselected in 0.01s\n", 5, "pytest collected no tests (exit 5)"),  # C015
    "without a word": ("pytest -qq -k x", "\n", 5, ""),
    "silent": ("pytest", "\n", 5, "pytest collected no tests (exit 5)"),
    "wrapped": ("tox -q", "no tests ran in 0.01s\n", 5, "pytest collected no tests (exit 5)"),
    "unittest": ("python3 -m unittest", "NO TESTS RAN\n", 5, "unittest collected no tests (exit 5)"),
    "another's status": ("npx jest", "no tests ran in 0.01s\n", 5, ""),
    "tests were run": ("pytest", "1 passed in 0.01s\n", 5, ""),
    "a failure": ("pytest", "1 failed in 0.01s\n", 1, ""),
    "a signal": ("pytest", "", -9, ""),
    "none": ("pytest", "", None, ""),
    "a plain 5": ("exit 5", "", 5, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", STATUSES)
def test_a_status_of_a_runners_own_is_explained(name: str) -> None:
    run, text, code, why = STATUSES[name]

    assert explanation(run, text, code) == why
