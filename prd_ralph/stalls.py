"""Getting nowhere, as pure rules: when two attempts are alike, how many in a row were, and what is done about it.

The agent's words do not count. Nothing here outlives the run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prd_ralph.model import AttemptRecord, CheckResult, Outcome, RunPlan
from prd_ralph.rules import is_charged
from prd_ralph.testfiles import is_guarded, is_test

_VOLATILE = (
    (re.compile(r"(?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)/[^\s'\"`,;:()\[\]{}<>]*"), "/tmp"),
    (re.compile(r"\btmp[a-z0-9_]{6,10}\b"), "tmp"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "0"),
    (re.compile(r"\b(?=[0-9a-f-]*\d)[0-9a-f]{7,}(?:-[0-9a-f]{4,})*\b", re.IGNORECASE), "0"),
    (re.compile(r"\d+(?:[.,:]\d+)*(?:\s?(?:ns|µs|μs|us|ms|s|secs?|seconds?|m|mins?|minutes?)\b)?"), "0"),
    (re.compile(r"\s+"), " "),
)
"""What differs between two runs of the same command though nothing has changed: temporary paths and names, addresses,
commits and ids, numbers (times, PIDs, lines) with their units, white space."""

_PATH = re.compile(r"(?<![\w./@+-])(?:/|\./)?(?:[\w@+-][\w.@+-]*/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}\b")


@dataclass(frozen=True, slots=True)
class Likeness:
    """What makes an attempt the same as another: the candidate's tree, and what failed with which words."""

    tree: str
    failures: frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Stall:
    """What the next prompt is told: so many attempts in a row were alike. `files`: what the work touches;
    `untouched`: files that the failing output names and the work does not touch.
    """

    times: int
    files: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Streak:
    """A story's last attempts, `times` of them alike. `answered`: how many answers of the policy it has used up,
    also by earlier streaks. `told`: what its next prompt is told.
    """

    like: Likeness | None = None
    times: int = 0
    answered: int = 0
    told: Stall | None = None

    def after(self, record: AttemptRecord) -> "Streak":
        """With one more attempt. One that is not charged (a limit, an overload) neither counts nor ends a row."""
        if not is_charged(record.verdict):
            return self
        like = likeness(record)
        if like is None or like != self.like:
            return Streak(like, 0 if like is None else 1, self.answered)
        return Streak(like, self.times + 1, self.answered, self.told)


def likeness(record: AttemptRecord) -> Likeness | None:
    """None for an attempt that passed, or of whose work nothing is known: it is like no other."""
    if record.verdict.outcome is Outcome.PASSED or not record.tree:
        return None
    failures = frozenset(
        (result.check.identity(record.key.story), result.status, normalised(result.excerpt))
        for result in record.checks
        if not result.passed
    )
    return Likeness(record.tree, failures or frozenset({_refusal(record)}))


def _refusal(record: AttemptRecord) -> tuple[object, ...]:
    """Every command was green: then what counts is why it is no pass."""
    verdict = record.verdict
    return (verdict.outcome, verdict.reason, normalised("\n".join((*verdict.warnings, *verdict.suspects))))


def normalised(text: str) -> str:
    """The text without what differs from one run of a command to the next."""
    for pattern, plain in _VOLATILE:
        text = pattern.sub(plain, text)
    return text.strip()


def answer(streak: Streak, plan: RunPlan, can_escalate: bool) -> tuple[str, int]:
    """What is done now, and how many answers are used up with it; "" where nothing is: no stall, or no answer left.

    Each attempt from the `stall_after`-th alike on gets the next one. `escalate` is skipped where there is no further
    model.
    """
    if streak.times < plan.stall_after:
        return "", streak.answered
    for number, each in enumerate(plan.on_stall[streak.answered :], streak.answered + 1):
        if each != "escalate" or can_escalate:
            return each, number
    return "", len(plan.on_stall)


def failing(checks: Sequence[CheckResult]) -> tuple[str, ...]:
    """The names of the commands that failed."""
    return tuple(dict.fromkeys(result.check.label for result in checks if not result.passed))


def named_files(record: AttemptRecord, root: str) -> Iterator[str]:
    """What looks like a file of the project in the output of commands that failed, relative to the root, each once.

    Left out are tests and what runs them, which are not to be touched, what the work touches, and what hidden commands
    say. Whether there is such a file is for others to see.
    """
    seen = set(record.files)
    for result in record.checks:
        if result.passed or result.check.hidden:
            continue
        for found in _PATH.finditer(result.excerpt):
            path = found[0].removeprefix(f"{root}/").removeprefix("./")
            for name in (path, f"{result.check.cwd}/{path}".removeprefix("./")):
                if name not in seen and not name.startswith("/") and not (is_test(name) or is_guarded(name)):
                    seen.add(name)
                    yield name
