"""The closing lines of Python's test runners."""

import re

from prd_ralph.runners.reading import Runner, line

_SECONDS = r"[0-9.]{1,12}s(?: \([0-9:]{1,20}\))?"
_PERCENT = r" {1,90}\[ {0,2}[0-9]{1,3}%\]"
_FIRST = r"(?:passed|failed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed|subtests failed)"

RUNNERS = (
    Runner(
        "pytest",
        (
            line(rf"(?:=+ )?(?P<list>[0-9]+ {_FIRST}(?:, [0-9]+ [a-z ]+)*) in {_SECONDS}(?: =+)?"),
            line(rf"(?:=+ )?no tests ran(?: in {_SECONDS})?(?: =+)?"),
            line(r"collected 0 items(?: / [0-9]+ [a-z]+)*"),
        ),
        repeats="each",
        over=("pytest -qq",),
        opening=line(r"=+ test session starts =+"),
        ending=line(rf"=+ [^\n]{{1,200}} in {_SECONDS} =+"),
    ),
    Runner(
        "pytest -qq",  # nothing but a character for each test
        (
            line(rf"[.sxXFER]*(?P<some>[.X])[.sxXFER]*{_PERCENT}"),
            line(rf"[sx]{{1,300}}{_PERCENT}"),
        ),
        repeats="parts",
        sign=re.compile(r"\[100%\][ \t]*$", re.MULTILINE),
    ),
    Runner(
        "unittest",
        (
            line(r"Ran (?P<total>[0-9]{1,9}) tests?(?: in [0-9.]{1,12}s)?"),
            line(r"(?:OK|FAILED|NO TESTS RAN) \((?P<named>[a-z ]+=[0-9]+(?:, [a-z ]+=[0-9]+)*)\)"),
            line(r"NO TESTS RAN"),
        ),
    ),
    Runner(
        "behave",
        (line(r"(?P<passed>[0-9]{1,9}) scenarios? passed, (?P<list>[0-9]+ failed(?:, [0-9]+ [a-z]+)*)"),),
    ),
)
