"""The closing summary: why the run stopped, where every story stands, and what to type next."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prd_ralph.console.seen import Seen
from prd_ralph.events import RunFinished
from prd_ralph.wording.phrases import (
    SHORT,
    TITLE_LIMIT,
    after_landing,
    check_end,
    counts,
    joined,
    listed,
    of_stories,
)
from prd_ralph.wording.spent import Spent, cost_words
from prd_ralph.wording.text import last_lines, plural, printable

Styled = tuple[str, str]

_REASON_LINES = 10
_ALL_SHOWN, _OPEN_SHOWN, _PASSED_SHOWN = 30, 20, 8
_WHYS = 15

_AGAIN = "the same command again   (goes on where this run stopped)"
_FRESH = "the same command again   (a new run has fresh budgets)"
_NEXT = {
    "environment": "mend what is named above, then the same command again",
    "auth": "log the agent in, then the same command again",
    "credits": "see to the agent's account, then the same command again",
    "bad_model": "the same command again, with a model that the agent knows: --model MODEL",
    "foreign_change": "look at git log and git status, then the same command again",
    "cost": _FRESH,
    "wall_time": _FRESH,
    "usage_limit": _FRESH,
    "iterations": _FRESH,
    "regressed": "mend what no longer holds, then the same command again",
    "blocked": "prd-ralph status   (says what each story waits for)",
}


def summary(event: RunFinished, seen: Seen, run_id: str) -> Iterator[Styled]:
    """Lines, each with its colour."""
    colour = "green" if event.exit == 0 else "red"
    yield "", ""
    reason, *more = event.reason.splitlines() or [""]
    yield joined(f"stopped: {printable(event.stop)}", printable(reason), f"exit {event.exit}"), colour
    for line in last_lines("\n".join(more), _REASON_LINES):
        yield f"      {line}", ""
    if event.hint:
        yield f"hint: {printable(event.hint, 1000)}", ""
    yield counts(event), ""
    yield from _stories(event.stories, seen)
    if seen.proposed:
        yield listed("proposed by agents", list(seen.proposed.values())) + "   (prd-ralph proposals)", ""
    for failed in seen.undone.values():
        yield f"warning: {after_landing(failed)}", "yellow"
    if seen.worktree:
        yield f"work tree: {printable(seen.worktree, 1000)}   (it stays, for the next run)", ""
    if event.branch:
        yield f"branch: {printable(event.branch)}", ""
    if seen.worktree and event.branch:
        yield f"merge: git merge {printable(shlex.quote(event.branch))}", ""
    yield f"next: {_next(event, seen, run_id)}", ""


def _stories(stories: Sequence[Mapping[str, Any]], seen: Seen) -> Iterator[Styled]:
    """All of them in their order; of many those that did not pass, then the last that did, on about one screen."""
    if len(stories) <= _ALL_SHOWN:
        shown, left_out = list(stories), []
    else:
        open_ones = [story for story in stories if not story.get("passes")]
        passed = [story for story in stories if story.get("passes")]
        shown = open_ones[:_OPEN_SHOWN] + passed[-_PASSED_SHOWN:]
        left_out = [(open_ones[_OPEN_SHOWN:], "more did not pass"), (passed[:-_PASSED_SHOWN], "more passed")]
    room = max(1, _WHYS // max(1, sum(not story.get("passes") for story in shown)))
    for story in shown:
        yield from _story(story, seen, room)
    for others, what in left_out:
        if others:
            yield f"  … {len(others)} {what}   (prd-ralph status)", ""


def _story(story: Mapping[str, Any], seen: Seen, room: int) -> Iterator[Styled]:
    name = str(story.get("id", ""))
    passes = bool(story.get("passes"))
    state = "passed" if passes else str(story.get("state", ""))
    mark = "✓" if passes else "✗" if state in ("ready", "exhausted") else "-"
    attempts = story.get("attempts")
    commit = seen.commits.get(name) or str(story.get("commit") or "")
    reason = printable(str(story.get("reason") or ""))
    line = joined(
        f"{mark} {printable(name, TITLE_LIMIT)} {printable(str(story.get('title', '')), TITLE_LIMIT)}",
        printable(state),
        reason,
        "unproven" if passes and story.get("proof") == "unproven" else "",
        "suspect" if passes and story.get("suspects") else "",
        "approved by a person" if passes and story.get("approved") else "",
        plural(attempts, "attempt") if isinstance(attempts, int) and attempts else "",
        _price(seen.spent.get(name, Spent())),
        printable(commit[:SHORT]),
    )
    yield f"  {line}", "green" if passes else "red" if mark == "✗" else ""
    if not passes:
        suspects = story.get("suspects")
        found = _whys(name, seen, suspects if isinstance(suspects, list | tuple) else [])
        whys = [why for why in found if why not in reason]  # what it was given up for is said already
        yield from ((f"      {why}", "") for why in whys[:room])
        if len(whys) > room:
            yield f"      … and {len(whys) - room} more", ""


def _whys(story: str, seen: Seen, suspects: Sequence[object]) -> list[str]:
    """Why a story did not pass: what its agent wanted or failed with, what failed, what `--strict` refused."""
    error = seen.errors.get(story)
    failing = (
        f"{check_end(check)}: {printable(check.command)}{of_stories(check)}" for check in seen.failing.get(story, [])
    )
    refused = (f"refused: {printable(str(suspect))}" for suspect in suspects)
    needs = [seen.needs[story]] if story in seen.needs else []
    return [*needs, *([f"agent: {printable(error)}"] if error else []), *failing, *refused]


def _price(spent: Spent) -> str:
    """That nothing is known is said once, of the whole run."""
    return cost_words(spent) if spent.cost_usd is not None else ""


def _next(event: RunFinished, seen: Seen, run_id: str) -> str:
    if event.stop == "complete" and not event.iterations:
        return "nothing: all of it passes"
    if event.stop == "complete":
        end = shlex.quote(event.branch) if seen.worktree and event.branch else "HEAD"
        return f"git log --stat {seen.base[:SHORT]}..{printable(end)}" if seen.base else "git log --stat"
    failing = [str(story.get("id")) for story in event.stories if str(story.get("id")) in seen.attempts]
    failing = [name for name in failing if name not in seen.commits]
    if event.stop in ("exhausted", "agent_failing") and failing:
        look = "--checks" if event.stop == "exhausted" else "--transcript"
        why = f"{show(run_id, failing[-1], seen.attempts[failing[-1]])} {look}"
        return f"{why}   (mend what it shows, then the same command again)"
    return _NEXT.get(event.stop, _AGAIN)


def show(run_id: str, story: str, attempt: int) -> str:
    """The command that shows one attempt."""
    return f"prd-ralph show {run_id} {printable(shlex.quote(story), TITLE_LIMIT)} {attempt}"
