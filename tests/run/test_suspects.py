"""A status of 0 that proves nothing is a pass with a doubt; under --strict it is none."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.run.told import last, outcomes, statuses
from tests.support.project import make_project, story

RED = "test -f feature.txt"
"""Red before the work: what is green already is another matter."""
FIX = {"write": "feature.txt", "text": "made\n"}
PYTEST = f"{sys.executable} -m pytest -p no:cacheprovider -q"
UNITTEST = f"{sys.executable} -m unittest discover -q"
TEST = "def test_it():\n    assert True\n"
NONE = "import pytest\n\n@pytest.mark.skip\ndef test_it():\n    pass\n"
ENDS = "import os\nos._exit(0)\n"

# Files, the command, and the doubt.
PROVE_NOTHING: dict[str, tuple[dict[str, str], str, str]] = {
    "all skipped": ({"test_it.py": NONE}, PYTEST, "pytest: all 1 test skipped"),
    # What an agent may do to be done: the runner never comes to its tests.
    "ended early": (
        {"test_it.py": TEST, "conftest.py": ENDS},
        PYTEST.replace(" -p no:cacheprovider", ""),
        "said nothing",
    ),
    "masked": ({"test_it.py": TEST.replace("True", "False")}, f"{PYTEST} || true", "pytest says that 1 failed"),
    "none, masked": ({"test_it.py": TEST}, f"{PYTEST} -k nope || true", "pytest: no tests ran"),  # C014 C016
    "no tests at all": ({}, "echo 'test result: ok. 0 passed; 0 failed; 12 filtered out'", "cargo test: no tests ran"),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", PROVE_NOTHING)
def test_a_green_command_without_a_green_test(tmp_path: Path, name: str, strict: bool) -> None:  # C014
    files, command, doubt = PROVE_NOTHING[name]
    project = make_project(tmp_path, [story("US-001", RED, command)], {"default": [FIX]}, files)
    done = project.run("--max-attempts", "1", *(["--strict"] if strict else []))

    assert doubt in last(done, "check_finished")["US-001"]["suspect"]
    assert outcomes(done) == {"US-001": "failed" if strict else "passed"}
    assert last(done, "judged")["US-001"]["reason"] == ("suspect" if strict else "")
    assert doubt in done.err


def test_a_true_run_of_tests_is_not_doubted(tmp_path: Path) -> None:
    files = {"test_it.py": TEST, "packages/test_more.py": TEST, "red.py": TEST.replace("True", "False")}
    commands = [PYTEST, f"{PYTEST} --collect-only", f"! {PYTEST} red.py", "echo 'Hello, 0 of you'"]
    project = make_project(tmp_path, [story("US-001", RED, *commands)], {"default": [FIX]}, files)
    done = project.run("--strict", PYTHONDONTWRITEBYTECODE="1")

    assert outcomes(done) == {"US-001": "passed"}
    assert {event["suspect"] for event in done.of("check_finished")} == {""}
    assert statuses(done) == dict.fromkeys((command[:60] for command in (RED, *commands)), "passed")


def test_pytest_without_a_test_has_failed_and_says_why(tmp_path: Path) -> None:  # C015 C016
    project = make_project(
        tmp_path, [story("US-001", f"{PYTEST} -k no_such_name")], {"default": [FIX]}, {"test_it.py": TEST}
    )
    done = project.run("--max-attempts", "1")
    (event,) = done.of("check_finished")

    assert (event["status"], event["exit_code"]) == ("failed", 5)
    assert event["excerpt"].splitlines()[-1] == "pytest collected no tests (exit 5)"
    assert "pytest collected no tests (exit 5)" in done.err
    assert project.passes() == {"US-001": False}


CARGO = "echo 'test result: ok. %d passed; 0 failed; 0 ignored; 0 measured; 0 filtered out'"
LEAST: dict[str, tuple[dict[str, Any], str]] = {
    "enough": ({"run": PYTEST, "minTests": 1}, ""),
    "too few": ({"run": PYTEST, "minTests": 2}, "1 test ran, minTests is 2"),
    "unknown": ({"run": "true", "minTests": 1}, "no count of tests could be read, minTests is 1"),
    "in parts": ({"run": f"{CARGO % 3}; seq 30000; {CARGO % 2}", "minTests": 5}, ""),
    "none wanted": ({"run": "true", "minTests": 0}, ""),
    "too few again": ({"run": PYTEST, "minTests": 2, "retries": 1}, "1 test ran, minTests is 2"),
}


def test_a_command_with_too_few_tests_has_failed_and_the_next_attempt_is_told(tmp_path: Path) -> None:
    stories = [story(name, command) for name, (command, _) in LEAST.items()]
    project = make_project(tmp_path, stories, {"default": [FIX]}, {"test_it.py": TEST})
    done = project.run("--max-attempts", "1")

    assert project.passes() == {name: not lack for name, (_, lack) in LEAST.items()}
    for name, event in last(done, "check_finished").items():
        assert event["exit_code"] == 0
        assert event["excerpt"].endswith(LEAST[name][1])
    assert "too few tests (exit 0)" in done.err

    done = project.run("--max-attempts", "2", "--only", "too few")
    prompt = project("show", "too few", "--prompt").out
    assert "1 test ran, minTests is 2\n[failed]" in prompt
