"""What `plan --merge` says of its decisions: a line each for people, an object each for scripts."""

from collections.abc import Iterator

from prd_ralph.cli.markdown import Markdown
from prd_ralph.console import plural, printable
from prd_ralph.planning.replan import Decision, Replan, What

_RESET = "`prd-ralph reset ID` opens a story again"
_AGREE = "--theirs takes the PRD's; or make the two say the same"


def lines(replan: Replan, markdown: Markdown, name: str) -> Iterator[str]:
    """One line a decision that changes something or leaves something to the person; `name` is prd.json's."""
    moved = [each for each in replan.stories if _only_order(each)]
    for decision in replan.decisions:
        if (decision.what is not What.KEPT or decision.stays) and not _only_order(decision):
            yield from _lines(decision, markdown, name)
    if moved:
        yield f"{plural(len(moved), 'story')}: priority as in the PRD"
    unproved = [each.story for each in replan.stories if each.unproved]
    if any(each.unproved for each in replan.top):
        yield f"the PRD's commands for all stories have changed: what passes wants verifying\n  hint: {_RESET}"
    elif unproved:
        yield f"the PRD's commands for {', '.join(unproved)} have changed: they want verifying\n  hint: {_RESET}"


def records(replan: Replan, markdown: Markdown) -> list[dict[str, object]]:
    """Every decision but those that keep all: `story` is null for a top key; `flag`: `reset`, `unproved` or null."""
    return [
        {
            "what": str(each.what),
            "story": each.story or None,
            "file": markdown.at(each.place).file if each.place else None,
            "line": each.place.line if each.place else None,
            "changed": list(each.changed),
            "edited": list(each.edited),
            "stays": list(each.stays),
            "flag": "reset" if each.reset else "unproved" if each.unproved else None,
        }
        for each in replan.decisions
        if each.what is not What.KEPT or each.stays
    ]


def _only_order(decision: Decision) -> bool:
    return decision.what is What.CHANGED and decision.changed == ("priority",) and not decision.stays


def _lines(decision: Decision, markdown: Markdown, name: str) -> Iterator[str]:
    where = str(markdown.at(decision.place)) if decision.place else markdown.name
    changed, edited = (f" ({', '.join(keys)})" if keys else "" for keys in (decision.changed, decision.edited))
    subject = f"{printable(decision.story)}:"
    if not decision.story:
        subject, changed, edited = ", ".join(decision.changed), "", ""
    match decision.what:
        case What.NEW:
            yield f"{subject} new in {where}"
        case What.CONFLICT:
            both = f"changed in {where}{changed} and in {name}{edited}"
            yield f"warning: {subject} {both}: {name} is kept\n  hint: {_AGREE}"
        case What.REMOVED:
            yield f"{subject} in {where}, and removed from {name}: left out\n  hint: --theirs brings it back"
        case What.VANISHED:
            yield f"warning: {subject} no longer in {markdown.name}: kept\n  hint: --prune drops it"
        case What.PRUNED:
            yield f"{subject} no longer in {markdown.name}: dropped"
        case What.CHANGED:
            flag = ": passes is false again" if decision.reset else ""
            yield f"{subject} changed in {where}{changed}{flag}"
    if decision.stays:
        stays = f"{', '.join(decision.stays)} changed" if decision.story else "changed"
        yield f"{subject} {stays} in {where}, and stays as {name} has it\n  hint: --theirs takes the PRD's"
