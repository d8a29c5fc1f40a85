"""What an exit status leaves open: doubts about a 0, and what a runner's own statuses mean."""

import re

from prd_ralph.runners.calls import Run, calls_of, expects_failure, is_filtered
from prd_ralph.runners.reading import Reading
from prd_ralph.runners.readings import cut_short, last, read

_PYTEST_NONE = 5
"""pytest's, and since Python 3.12 unittest's, for no test at all."""
_SPOKEN = re.compile(r"\b[0-9]{1,9} (?:tests? )?(?:passed|passing|succeeded|skipped)\b", re.IGNORECASE)
"""What a plugin's or a reporter's own closing line has, too."""


def suspicion(run: Run, text: str) -> str:
    """Why the exit status 0 of the command `run` proves nothing, by its output `text`; "" where nothing says so.

    In words of ours, with nothing of the output in them.
    """
    readings = read(run, text)
    return _failed(run, text) or _empty(run, readings) or _flaky(readings) or _silent(run, text, readings)


def shortfall(run: Run, text: str, least: int) -> str:
    """Why fewer than `least` tests are known to have run; "" where they have. Skipped ones have not."""
    numbers = [reading.ran for reading in read(run, text)]
    known = [number for number in numbers if number is not None]
    if sum(known) >= least:
        return ""
    if not known or len(known) < len(numbers):
        return f"no count of tests could be read, minTests is {least}"
    return f"{_tests(sum(known))} ran, minTests is {least}"


def explanation(run: Run, text: str, exit_code: int | None) -> str:
    """What a status other than 0 means that a runner has for a case of its own; "" for a plain failure."""
    if exit_code != _PYTEST_NONE:
        return ""
    calls, said = calls_of(run), {reading.runner: reading.ran for reading in read(run, text)}
    called = {program.label for program in calls.programs}
    for name in ("pytest", "unittest"):
        silent = calls.last is not None and calls.last.label == name and name not in said
        if silent or (said.get(name) == 0 and (not called or name in called)):
            return f"{name} collected no tests (exit {exit_code})"
    return ""


def _failed(run: Run, text: str) -> str:
    if expects_failure(run):
        return ""
    for reading in last(text):
        if reading.failed:
            return f"{reading.runner} says that {reading.failed} failed, yet the status is 0"
    return ""


def _empty(run: Run, readings: tuple[Reading, ...]) -> str:
    """No test in all that was run, or in one runner that is called by name."""
    called = {name for program in calls_of(run).programs for name in program.closings}
    named = [reading for reading in readings if reading.runner in called]
    without = [reading for reading in named if reading.ran == 0]
    if not without and readings and all(reading.ran == 0 for reading in readings):
        without = list(readings)
    if not without:
        return ""
    skipped = sum(reading.skipped for reading in without)
    names = " and ".join(reading.runner for reading in without)
    return f"{names}: all {_tests(skipped)} skipped" if skipped else f"{names}: no tests ran"


def _flaky(readings: tuple[Reading, ...]) -> str:
    return next(
        (f"{each.runner} ran {_tests(each.again)} again before it passed" for each in readings if each.again), ""
    )


def _silent(run: Run, text: str, readings: tuple[Reading, ...]) -> str:
    """A runner began and did not end; or the command ends with a call of one that says nothing of tests."""
    for name in () if is_filtered(run) else cut_short(text):
        return f"{name} began, and its closing line is missing"
    calls = calls_of(run)
    program = calls.last
    if program is None or _SPOKEN.search(text):
        return ""
    others = {name for each in calls.programs if each != program for name in each.closings} - set(program.closings)
    if any(reading.runner not in others for reading in readings):  # its own, or in the words of a reporter's
        return ""
    return f"{program.label} said nothing of tests" if program.settled or not text.strip() else ""


def _tests(number: int) -> str:
    return f"{number} test{'' if number == 1 else 's'}"
