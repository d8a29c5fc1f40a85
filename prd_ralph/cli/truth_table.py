"""The truth table of an audit: for people, and as data."""

from collections.abc import Callable, Iterator

from prd_ralph.auditing.values import Audit, Finding, Setting, State, StoryAudit, Tried
from prd_ralph.cli.verified import EXCERPT_LINES
from prd_ralph.console import Output, check_end, plural, printable
from prd_ralph.wording.text import last_lines

Mask = Callable[[str], str]
_LONG = 1000
_SHORT = 9
_MARKS = {
    State.PROVED: ("✓", "green"),
    State.APPROVED: ("✓", ""),
    State.FAILING: ("✗", "red"),
    State.UNPROVABLE: ("?", "yellow"),
    State.UNTRIED: ("?", "yellow"),
    State.OPEN: ("·", ""),
    State.OPEN_PASSES: ("·", ""),
}
_WORDS = {
    State.PROVED: "claimed, proved",
    State.APPROVED: "claimed, approved by a person",
    State.FAILING: "claimed, but fails",
    State.UNPROVABLE: "claimed, unprovable: it has no command",
    State.UNTRIED: "claimed, not tried",
    State.OPEN: "open",
    State.OPEN_PASSES: "open, but its commands pass",
}


def record(audit: Audit, mask: Mask) -> dict[str, object]:
    """The object of `audit --json` (docs/audit.md)."""
    return {
        "v": 1,
        "path": audit.path,
        "dialect": audit.dialect,
        "commit": audit.commit,
        "total": len(audit.stories),
        "claimed": audit.claimed,
        "proved": audit.count(State.PROVED),
        "approved": audit.count(State.APPROVED),
        "failing": audit.count(State.FAILING),
        "unprovable": audit.count(State.UNPROVABLE),
        "untried": audit.count(State.UNTRIED),
        "stories": [_story(each, mask) for each in audit.stories],
        "findings": [_finding(each, mask) for each in audit.findings],
    }


def _story(row: StoryAudit, mask: Mask) -> dict[str, object]:
    by = row.set_by
    return {
        "id": row.story.id,
        "title": mask(row.story.title),
        "claimed": row.story.passes,
        "state": str(row.state),
        "commands": [_command(each, mask) for each in row.commands],
        "set_by": {"commit": by.commit, "date": by.at, "subject": mask(by.subject)} if by else None,
        "receipt": {key.lower(): mask(value) for key, value in by.receipt.items()} if by and by.receipt else None,
        "findings": [_finding(each, mask) for each in row.findings],
    }


def _command(each: Tried, mask: Mask) -> dict[str, object]:
    result = each.result
    return {
        "command": mask(each.check.text),
        "name": mask(each.check.label),
        "status": str(result.status) if result else None,
        "exit_code": result.exit_code if result else None,
        "duration_s": round(result.duration_s, 3) if result else None,
        "excerpt": mask(result.excerpt) if result and not result.passed else "",
    }


def _finding(finding: Finding, mask: Mask) -> dict[str, object]:
    return {"kind": finding.kind, "message": mask(finding.message), "suspicious": finding.suspicious}


def show(audit: Audit, output: Output, mask: Mask) -> None:
    """The same for people, a line or a few each story."""
    at = f" at {audit.commit[:_SHORT]}" if audit.commit else ""
    head = f"{printable(audit.path)}{at} · {printable(audit.dialect)}"
    output.line(f"{head} · {plural(len(audit.stories), 'story')}, {audit.claimed} claimed", "bold")
    for row in audit.stories:
        mark, colour = _MARKS[row.state]
        named = printable(mask(f"{row.story.id} {row.story.title}"), _LONG)
        output.line(f"{mark} {named} · {_WORDS[row.state]}", colour)
        for line in _details(row):
            output.line(f"    {printable(mask(line), _LONG)}")
    for finding in audit.findings:
        output.line(f"{'!' if finding.suspicious else '·'} {printable(mask(finding.message), _LONG)}")
    output.line(_counts(audit))


def _details(row: StoryAudit) -> Iterator[str]:
    for each in row.commands:
        if each.result is not None and not each.result.passed:
            yield f"✗ {each.check.name or each.check.text} · {check_end(each.result)}"
            yield from (f"    {line}" for line in last_lines(each.result.excerpt, EXCERPT_LINES))
    if row.set_by:
        yield f"{_origin(row.set_by)} {row.set_by.commit[:_SHORT]} {row.set_by.at[:10]} {row.set_by.subject}"
    yield from (f"{'!' if each.suspicious else '·'} {each.message}" for each in row.findings)


def _origin(setting: Setting) -> str:
    if not setting.receipt:
        return "set by"
    told = ", ".join(f"{key.lower()} {setting.receipt[key]}" for key in ("Proof", "Agent") if key in setting.receipt)
    return f"landed by prd-ralph ({told})" if told else "landed by prd-ralph"


def _counts(audit: Audit) -> str:
    counted = ((audit.count(state), word) for state, word in _COUNTED.items())
    told = ", ".join(f"{count} {word}" for count, word in counted if count) or "nothing to prove"
    odd = f"; {plural(len(audit.suspicions), 'suspicion')}" if audit.suspicions else ""
    return f"{audit.claimed} claimed: {told}{odd}" if audit.claimed else f"nothing is claimed{odd}"


_COUNTED = {
    State.PROVED: "proved",
    State.APPROVED: "approved",
    State.FAILING: "failing",
    State.UNPROVABLE: "unprovable",
    State.UNTRIED: "not tried",
}
