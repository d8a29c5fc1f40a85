"""The closing lines of the test runners of compiled languages."""

import re

from prd_ralph.runners.reading import Runner, line

_SECONDS = r"(?:[0-9.]{1,12}s|\(cached\))"
_SEMICOLONS = r"[0-9]+ [a-z]+(?: [a-z]+)*(?:; [0-9]+ [a-z]+(?: [a-z]+)*)*"
_TASK = r"> Task :(?:[^\s:]{1,100}:){0,9}(?:test|[A-Za-z]{0,60}Test)"
_LOG = r"(?:\[[A-Z]{4,7}\] )?"
_XCTEST = r"(?: \([0-9]+ unexpected\))? in [0-9.]{1,12} \([0-9.]{1,12}\) seconds"

RUNNERS = (
    Runner(
        "go test",
        (
            line(rf"(?P<some>ok)[ \t]{{1,9}}\S+[ \t]{{1,9}}{_SECONDS}(?:[ \t]{{1,9}}coverage: [^\n\[]*)?"),
            line(rf"ok[ \t]{{1,9}}\S+[ \t]{{1,9}}{_SECONDS}[^\n\[]*\[no tests to run\]"),
            line(r"\?[ \t]{1,9}\S+[ \t]{1,9}\[no test files\]"),
            line(rf"(?P<broken>FAIL)[ \t]{{1,9}}\S+[ \t]{{1,9}}(?:{_SECONDS}|\[(?:build|setup) failed\])"),
            line(r"--- (?P<passed>PASS): [^\n]*"),
            line(r"--- (?P<failed>FAIL): [^\n]*"),
            line(r"--- (?P<skipped>SKIP): [^\n]*"),
        ),
        repeats="parts",
    ),
    Runner(
        "gotestsum", (line(r"DONE (?P<list>[0-9]+ tests?(?:, [0-9]+ [a-z]+)*) in [0-9.]{1,12}s"),), over=("go test",)
    ),
    Runner(
        "cargo test",
        (
            line(
                rf"(?:test result: (?:ok|FAILED)\. )?(?P<list>[0-9]+ passed; {_SEMICOLONS})(?:; finished in [0-9.]+s)?"
            ),
        ),
        repeats="parts",
        opening=line(r"running [0-9]{1,9} tests?"),
        ending=line(r"test result: [^\n]*"),
    ),
    Runner(
        "nextest", (line(r" {0,8}Summary \[ {0,9}[0-9.]{1,12}s\] [0-9/]{1,20} tests? run: (?P<list>[0-9]+ [^\n]*)"),)
    ),
    Runner(
        "dotnet test",
        (
            line(
                r"(?:Passed|Failed|Skipped)! {1,4}- (?P<named>Failed: {1,9}[0-9]+, Passed: {1,9}[0-9]+, "
                r"Skipped: {1,9}[0-9]+), Total:[^\n]*"
            ),
            line(r"No test (?:is available in|matches the given testcase filter) [^\n]*"),
        ),
        repeats="parts",
    ),
    Runner(
        "dotnet",
        (
            line(r"Test summary: (?P<named>total: [0-9]+, failed: [0-9]+, succeeded: [0-9]+, skipped: [0-9]+)[^\n]*"),
            line(r"Total tests: (?P<total>[0-9]{1,9})"),
            line(r" {5}(?P<named>(?:Passed|Failed|Skipped): [0-9]{1,9})"),
        ),
        over=("dotnet test",),
    ),
    Runner(
        "Microsoft.Testing.Platform",
        (line(r" {2}(?P<named>(?:total|failed|succeeded|skipped): [0-9]{1,9})"),),
        sign=re.compile(r"^Test run summary: ", re.MULTILINE),
    ),
    Runner(
        "surefire",
        (
            line(
                rf"{_LOG}(?P<named>Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+)"
                r"(?:, Flakes: (?P<again>[0-9]+))?"
            ),
            line(rf"{_LOG}(?:No tests to run\.|Tests are skipped\.|No tests were executed!)"),
        ),
        repeats="parts",
    ),
    Runner(
        "JUnit",
        tuple(
            line(rf"\[ {{1,9}}(?P<{word}>[0-9]{{1,9}}) tests {word} {{1,9}}\]")
            for word in ("successful", "failed", "skipped", "aborted")
        ),
    ),
    Runner(
        "gradle",
        (
            line(rf"{_TASK}(?: NO-SOURCE| SKIPPED)"),
            line(rf"(?P<some>{_TASK})(?: UP-TO-DATE| FROM-CACHE)?"),
            line(r"(?P<total>[0-9]{1,9}) tests? completed(?:, (?P<list>[0-9]+ [a-z]+(?:, [0-9]+ [a-z]+)*))?"),
        ),
        repeats="parts",
    ),
    Runner(
        "ctest",
        (
            line(r"[0-9]{1,3}% tests passed, (?P<failed>[0-9]{1,9}) tests? failed out of (?P<total>[0-9]{1,9})"),
            line(r"No tests were found!!!"),
            line(r"\t[ \t]{0,9}[0-9]{1,9} - \S{1,200} \((?P<skipped>Skipped|Not Run|Disabled)\)"),
        ),
        repeats="parts",
    ),
    Runner(
        "GoogleTest",
        (
            line(r"\[==========\] (?P<total>[0-9]{1,9}) tests? from [0-9]{1,9} test (?:suites?|cases?) ran\.[^\n]*"),
            line(r"\[  PASSED  \] (?P<passed>[0-9]{1,9}) tests?\."),
            line(r"\[  SKIPPED \] (?P<skipped>[0-9]{1,9}) tests?, listed below:"),
            line(r"\[  FAILED  \] (?P<failed>[0-9]{1,9}) tests?, listed below:"),
        ),
        over=("ctest",),
    ),
    Runner(
        "Catch2",
        (
            line(r"All tests passed \([0-9]+ assertions? in (?P<passed>[0-9]{1,9}) test cases?\)"),
            line(r"(?:\[doctest\] )?test cases: {1,9}[0-9]+ \|(?P<list>[0-9a-z |]*)"),
            line(r"No tests ran"),
        ),
        repeats="each",
    ),
    Runner(
        "sbt",
        (
            line(
                r"\[[a-z]+\] (?:Passed|Failed|Error): "
                r"(?P<named>Total [0-9]+, Failed [0-9]+, Errors [0-9]+, Passed [0-9]+[^\n]*)"
            ),
        ),
        repeats="parts",
    ),
    Runner(
        "XCTest",
        (
            line(
                r"[ \t]{0,4}Executed (?P<total>[0-9]{1,9}) tests?, with "
                rf"(?:(?P<skipped>[0-9]{{1,9}}) tests? skipped and )?(?P<failed>[0-9]{{1,9}}) failures?{_XCTEST}"
            ),
        ),
        repeats="nested",
    ),
    Runner(
        "Swift Testing",
        (
            line(r"\S{1,3} +Test run with (?P<total>[0-9]{1,9}) tests?(?: in [0-9]+ suites?)? passed after [^\n]*"),
            line(r"\S{1,3} +Test run with [0-9]{1,9} tests?(?: in [0-9]+ suites?)? (?P<broken>failed) after [^\n]*"),
        ),
    ),
    Runner(
        "dart",
        (
            line(
                r"[0-9:]{4,9} \+(?P<passed>[0-9]{1,9})(?: ~(?P<skipped>[0-9]{1,9}))?(?: -(?P<failed>[0-9]{1,9}))?: "
                r"(?:All tests passed!|Some tests failed\.|All other tests passed!)"
            ),
            line(r"No tests (?:ran|were found)\."),
        ),
    ),
)
