"""The closing lines of JavaScript's test runners."""

import re

from prd_ralph.runners.reading import Runner, line

_BARS = r"[0-9]+ [a-z]+(?: \| [0-9]+ [a-z]+)*"
_TIME = r"(?: \([0-9.]{1,12}(?:ms|s|m|h)\))?"

RUNNERS = (
    Runner(
        "jest",
        (
            line(r"Test Suites: {1,10}(?P<suites>[0-9][^\n]* total)"),
            line(r"Tests: {1,10}(?P<list>(?:[0-9]+ [a-z]+, )*[0-9]+ total)"),
            line(r"No tests found, exiting with code 0"),
            line(r"No tests found related to files changed since last commit\."),
        ),
    ),
    Runner(
        "vitest",
        (
            line(rf" {{1,12}}Test Files {{1,4}}(?P<suites>{_BARS}) \([0-9]+\)"),
            line(rf" {{1,12}}Tests {{1,4}}(?P<list>{_BARS}) \([0-9]+\)"),
            line(r" {1,12}Tests {1,4}no tests"),
            line(r"No test (?:files|suite) found, exiting with code 0"),
        ),
    ),
    Runner(
        "mocha",
        (
            line(rf" {{1,8}}(?P<passing>[0-9]{{1,9}}) passing{_TIME}"),
            line(r" {1,8}(?P<failing>[0-9]{1,9}) failing"),
            line(r" {1,8}(?P<pending>[0-9]{1,9}) pending"),
        ),
    ),
    Runner(
        "ava",
        (
            line(r"  (?P<passed>[0-9]{1,9}) tests? passed"),
            line(r"  (?P<failed>[0-9]{1,9}) tests? failed"),
            line(r"  (?P<skipped>[0-9]{1,9}) tests? skipped"),
            line(r"  (?P<todo>[0-9]{1,9}) tests? todo"),
            line(r"  ─(?P<start>)"),
        ),
    ),
    Runner(
        "playwright",
        (
            line(r"Running [0-9]{1,9} tests? using [0-9]{1,9} workers?(?P<start>)"),
            line(rf" {{2,4}}(?P<list>[0-9]{{1,9}} (?:passed|failed|flaky|skipped|interrupted|did not run)){_TIME}"),
        ),
        sign=re.compile(r"^(?:Running [0-9]{1,9} tests? using| {2,4}[0-9]{1,9} passed \([0-9.]{1,12})", re.MULTILINE),
    ),
    Runner(
        "cucumber", (line(r"(?P<total>[0-9]{1,9}) scenarios?(?: \((?P<list>[0-9]+ [a-z]+(?:, [0-9]+ [a-z]+)*)\))?"),)
    ),
    Runner(
        "bun",
        (
            line(r" (?P<list>[0-9]{1,9} (?:pass|fail|skip|todo))"),
            line(r"Ran (?P<total>[0-9]{1,9}) tests? across [0-9]{1,9} files?\.(?: \[[0-9.]+m?s\])?"),
        ),
        sign=re.compile(r"^Ran [0-9]{1,9} tests? across ", re.MULTILINE),
    ),
    Runner("deno", (line(r"(?:ok|FAILED) \| (?P<list>[0-9]+ passed[^\n]*)"),)),
)
