"""What `prd-ralph verify` has to say, for people and for scripts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prd_ralph.console import duration, plural, printable
from prd_ralph.model import CheckResult, CheckStatus
from prd_ralph.verification import Finding, Verified
from prd_ralph.wording.phrases import SHORT, TITLE_LIMIT, check_end, exit_of, joined
from prd_ralph.wording.text import last_lines
from prd_ralph.workspace.history import LandingRecord

_WORDS = {
    Finding.PROVED: "proved",
    Finding.APPROVED: "approved by a person",
    Finding.CLAIMED: "claimed, but fails",
    Finding.UNPROVABLE: "unprovable: it passes, and no command says so",
    Finding.SUPERSEDED: "superseded: another story has replaced it",
    Finding.LEFT_OUT: "left out: its commands are for landings (--all)",
    Finding.PROVABLE: "its commands hold, not recorded",
    Finding.OPEN: "open",
    Finding.SKIPPED: "skipped",
}
_MARKS = {Finding.PROVED: "✓", Finding.APPROVED: "✓", Finding.CLAIMED: "✗", Finding.UNPROVABLE: "✗"}
EXCERPT_LINES = 8


@dataclass(frozen=True, slots=True)
class Told:
    """All that was found out. `at`: the commit that was looked at, None for the work tree. `written`: flags by story.

    `changed`: tracked files that the commands have changed. `mask` takes secrets out of every text.
    """

    prd: str
    found: tuple[Verified, ...]
    receipts: Mapping[str, LandingRecord] = field(default_factory=dict)
    at: str | None = None
    changed: tuple[str, ...] = ()
    written: Mapping[str, bool] = field(default_factory=dict)
    mask: Callable[[str], str] = str

    @property
    def now(self) -> tuple[Verified, ...]:
        """What was found, with the flags as they have been written."""
        return tuple(each.written if each.story.id in self.written else each for each in self.found)

    @property
    def counts(self) -> dict[Finding, int]:
        """How many there are of each finding, of those that there are."""
        findings = [each.finding for each in self.now]
        return {finding: findings.count(finding) for finding in Finding if finding in findings}


def record(told: Told) -> dict[str, Any]:
    """The object of `verify --json`."""
    return {
        "v": 1,
        "prd": told.prd,
        "at": told.at,
        "counts": {str(finding): count for finding, count in told.counts.items()},
        "changed": list(told.changed),
        "stories": [_story_record(each, told) for each in told.now],
    }


def _story_record(each: Verified, told: Told) -> dict[str, Any]:
    story, receipt = each.story, told.receipts.get(each.story.id)
    word = story.approved
    return {
        "id": story.id,
        "title": told.mask(story.title),
        "passes": story.passes,
        "state": str(each.finding),
        "criteria": len(story.criteria),
        "approved": {"by": word.by, "at": word.at, "note": word.note} if word else None,
        "commands": [_command_record(result, told.mask) for result in each.results],
        "receipt": _receipt_record(receipt, told.mask) if receipt else None,
    }


def _command_record(result: CheckResult, mask: Callable[[str], str]) -> dict[str, Any]:
    return {
        "name": mask(label(result)),
        "exit": result.exit_code,
        "status": str(result.status),
        "duration_s": round(result.duration_s, 3),
        "suspect": mask(result.suspect),
    }


def _receipt_record(receipt: LandingRecord, mask: Callable[[str], str]) -> dict[str, Any]:
    return {
        "commit": receipt.commit,
        "at": receipt.at,
        "proof": receipt.proof,
        "run": receipt.run,
        "attempt": receipt.attempt,
        "agent": mask(receipt.agent) if receipt.agent else None,
        "by": mask(receipt.by) if receipt.by else None,
    }


def lines(told: Told) -> Iterator[str]:
    """The table: a line for each story, and how the commands ended that did not pass, or not beyond doubt."""
    counted = joined(*(f"{count} {finding.replace('_', ' ')}" for finding, count in told.counts.items()))
    where = f" at {told.at[:SHORT]}" if told.at else ""
    yield joined(f"{printable(told.prd)}{where}: {plural(len(told.found), 'story')}", counted)
    for each in told.now:
        yield f"  {told.mask(_line(each, told.receipts.get(each.story.id)))}"
        for result in each.results if each.finding is not Finding.SUPERSEDED else ():
            yield from (told.mask(f"      {line}") for line in _doubts(result))


def _line(each: Verified, receipt: LandingRecord | None) -> str:
    story, word = each.story, each.story.approved
    return joined(
        f"{_MARKS.get(each.finding, '·')} {printable(story.id, TITLE_LIMIT)} {printable(story.title, TITLE_LIMIT)}",
        _WORDS[each.finding] + (f" ({printable(word.by)}, {printable(word.at)})" if word else ""),
        f"{plural_criteria(len(story.criteria))} / {plural(len(each.results), 'command')}",
        _receipt(receipt) if receipt else "",
    )


def plural_criteria(count: int) -> str:
    return f"{count} {'criterion' if count == 1 else 'criteria'}"


def _receipt(receipt: LandingRecord) -> str:
    return " ".join(part for part in ("landed", receipt.commit[:SHORT], printable(receipt.proof or "")) if part)


def _doubts(result: CheckResult) -> Iterable[str]:
    if result.passed:
        return [f"? {printable(label(result))} · {printable(result.suspect)}"] if result.suspect else []
    said = last_lines(result.excerpt, EXCERPT_LINES) if not result.check.hidden else []
    return [ended(result), *(f"    {line}" for line in said)]


def ended(result: CheckResult) -> str:
    """`✗ pytest -q exit 1 · 0.4s`."""
    how = {CheckStatus.PASSED: "", CheckStatus.TIMED_OUT: "timed out", CheckStatus.INTERRUPTED: "interrupted"}
    word = how.get(result.status, exit_of(result.exit_code))
    word = f"command not found ({word})" if result.status is CheckStatus.MISSING_TOOL else word
    name = f"{'✓' if result.passed else '✗'} {printable(label(result))}"
    return joined(f"{name} {word}".rstrip(), duration(result.duration_s))


def failure(result: CheckResult) -> str:
    """`pytest -q fails (exit 1)`, `pytest -q fails: command not found (exit 127)`."""
    end = check_end(result)
    return f"{printable(label(result))} fails{f': {end}' if '(' in end else f' ({end})'}"


def label(result: CheckResult) -> str:
    """A command that is hidden has its name to show, at most."""
    check = result.check
    return check.name or ("a hidden command" if check.hidden else check.label)
