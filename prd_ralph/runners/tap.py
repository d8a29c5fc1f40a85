"""The Test Anything Protocol: https://testanything.org, as node, tap, tape, mocha, ava, prove and bats speak it."""

import re

from prd_ralph.runners.reading import Runner, line

_DIRECTIVE = r"[^\n]*# ?(?i:skip|todo)\b"

RUNNERS = (
    Runner(
        "TAP lines",
        (
            line(rf"(?P<passed>ok)(?:(?!{_DIRECTIVE})[ \t][^\n]*)?"),
            line(rf"(?P<failed>not ok)(?:(?!{_DIRECTIVE})[ \t][^\n]*)?"),
            line(rf"(?P<skipped>(?:not )?ok)\b(?={_DIRECTIVE})[^\n]*"),
            line(r"1\.\.0(?: [^\n]*)?"),
        ),
        repeats="parts",
        sign=re.compile(r"^1\.\.[0-9]{1,9}\b", re.MULTILINE),
    ),
    Runner(
        "TAP",
        (
            line(r"[#ℹ] (?P<named>(?:tests|pass|fail|cancelled|skipped|skip|todo) {1,4}[0-9]{1,9})"),
            line(r"# \{ (?P<named>total: [0-9]+(?:, [a-z]+: [0-9]+)*) \}"),
        ),
        # A test that is still to do may fail, and ava's closing lines count it: then each line has to do.
        sign=re.compile(r"\A(?![\s\S]*^not ok [^\n]*# TODO)", re.MULTILINE),
        over=("TAP lines",),
    ),
    Runner(
        "prove",
        (line(r"Files=[0-9]{1,9}, Tests=(?P<total>[0-9]{1,9}),[^\n]*"), line(r"Result: (?P<broken>FAIL)")),
        over=("TAP lines", "TAP"),
    ),
)
