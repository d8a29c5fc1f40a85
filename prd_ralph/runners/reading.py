"""What a test runner's closing lines say, as a value; and how lines of any runner become one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Counts = dict[str, int]
"""How often a closing line, or several of one run, name a word: `{"passed": 2, "skipped": 1}`."""

_WORDS: Mapping[str, str] = {
    "passed": "passed, pass, passing, xpassed, succeeded, successful, flaky, measured",
    "failed": "failed, fail, failing, failure, failures, error, errors, cancelled, interrupted, invalid, ambiguous, "
    "subtests failed, unexpected successes, error occurred outside of examples, errors occurred outside of examples",
    "skipped": "skipped, skip, skips, pending, pendings, todo, todos, ignored, xfailed, expected failures, excluded, "
    "incomplete, omissions, aborted, undefined, did not run",
    "total": "total, test, tests, tests run, example, examples, run, runs, scenario, scenarios, doctest, doctests, "
    "property, properties",
    "again": "again, rerun, reruns, flakes",
    "broken": "broken",
    "some": "some",
}
_FIELD_OF = {word: field for field, words in _WORDS.items() for word in words.split(", ")}
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_COUNTED = re.compile(r"([0-9]{1,9}) ([a-z]+(?: [a-z]+)*)")
_NAMED = re.compile(r"([a-z]+(?: [a-z]+)*) {0,40}[:= ] {0,40}([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one runner says of its tests. `passed` None: some did, and nothing says how many.

    `again`: how many it had to run again before they passed.
    What was expected to fail, and did, is counted as skipped: it shows nothing that holds.
    """

    runner: str
    passed: int | None
    failed: int = 0
    skipped: int = 0
    again: int = 0

    @property
    def ran(self) -> int | None:
        """How many tests were run to an end; None where that is not said."""
        return None if self.passed is None else self.passed + self.failed

    @property
    def total(self) -> int | None:
        """With the skipped ones."""
        return None if self.ran is None else self.ran + self.skipped


@dataclass(frozen=True, slots=True)
class Runner:
    """How a runner is known by its closing lines.

    `lines` match whole lines. Their groups name what they count: a number, or else once; `list` holds counts as
    `2 passed, 1 failed`, `named` as `Tests: 3, Failures: 1`, `suites` those of files with tests in them. A line without
    groups says that there was no test.
    `repeats`, of several closings in one output: each is a run of its own, and may have several lines (`again`) or one
    (`each`); each is of another part of the same run (`parts`); each is one line, and includes those before (`nested`).
    `sign` must be found for lines that others may print too. `over`: runners that tell of the same tests in more words.
    `opening`: the line that a run begins with, and by which it is missed when it has no `ending`.
    """

    name: str
    lines: tuple[re.Pattern[str], ...]
    repeats: Literal["again", "each", "parts", "nested"] = "again"
    sign: re.Pattern[str] | None = None
    over: tuple[str, ...] = ()
    opening: re.Pattern[str] | None = None
    ending: re.Pattern[str] | None = None

    def closings(self, text: str) -> tuple[Counts, ...]:
        """What each closing counts, in order. A word that was said before begins another one; no test at all is one."""
        if self.sign and not self.sign.search(text):
            return ()
        found = sorted((match for line in self.lines for match in line.finditer(text)), key=lambda match: match.start())
        closings: list[Counts] = []
        is_whole = True
        for match in found:
            counts = _counts(match)
            alone = self.repeats in ("each", "nested") or not match.re.groups
            if not closings or (self.repeats != "parts" and (alone or is_whole or counts.keys() & closings[-1].keys())):
                closings.append({})
            for word, number in counts.items():
                closings[-1][word] = closings[-1].get(word, 0) + number
            is_whole = alone
        return tuple(closings)

    def is_cut_short(self, text: str) -> bool:
        """Whether more was begun than ended."""
        if self.opening is None or self.ending is None:
            return False
        return len(self.opening.findall(text)) > len(self.ending.findall(text))

    def reading(self, counts: Counts) -> Reading:
        """A closing as a value."""
        sums = dict.fromkeys(_WORDS, 0)
        for word, number in counts.items():
            if word in _FIELD_OF:
                sums[_FIELD_OF[word]] += number
        failed, skipped = sums["failed"], sums["skipped"]
        passed = sums["passed"] or max(0, sums["total"] - failed - skipped)
        unsaid = sums["some"] and not (passed or failed or skipped)
        again = sums["again"] + counts.get("flaky", 0)
        return Reading(self.name, None if unsaid else passed, failed or sums["broken"], skipped, again)


def line(pattern: str) -> re.Pattern[str]:
    """A whole line, but for blanks at its end. Quantifiers are bounded, or stand before what they can't match."""
    return re.compile(rf"^(?:{pattern})[ \t]*$", re.MULTILINE | re.ASCII)


def _counts(match: re.Match[str]) -> Counts:
    """The words that a closing line counts; one that is counted twice in it is added up."""
    said: list[tuple[str, int]] = []
    for name, value in match.groupdict().items():
        if value is None:
            continue
        plain = _IN_BRACKETS.sub("", value).lower()
        if name == "list":
            said += [(word, int(number)) for number, word in _COUNTED.findall(plain)]
        elif name == "named":
            said += [(word, int(number)) for word, number in _NAMED.findall(plain)]
        elif name == "suites":
            said += [("broken", int(number)) for number, word in _COUNTED.findall(plain) if word == "failed"]
            said.append(("suites", 1))
        else:
            said.append((name, int(value) if value.isdecimal() else 1))
    counts: Counts = {} if said or match.re.groups else {"total": 0}
    for word, number in said:
        counts[word] = counts.get(word, 0) + number
    return counts
