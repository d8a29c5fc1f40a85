"""What a template may speak of, as plain values; what agents can make grow is bounded."""

import shlex
from typing import Any

from prd_ralph.excerpt import in_one_line
from prd_ralph.model import LAST_PRIORITY, AttemptRecord, Check, CheckResult, CheckStatus, Story
from prd_ralph.ports import PromptContext
from prd_ralph.stalls import Stall

EXCERPT_LIMIT = 8 << 10
EXCERPTS_LIMIT = 24 << 10
PROGRESS_LIMIT = 16 << 10
PATTERNS_LIMIT = 8 << 10
NOTES_LIMIT = 8 << 10
LIST_LIMIT = 100
LINE_LIMIT = 200


def variables_of(context: PromptContext) -> dict[str, Any]:
    """The names that a template may use, and their values."""
    prd, story = context.prd, context.story
    return {
        "project": _one_line(prd.project),
        "description": prd.description,
        "branch": prd.branch,
        "story": _story(story),
        "commands": [_command(check) for check in context.checks if not check.hidden],
        "attempt": context.attempt,
        "max_attempts": context.max_attempts,
        "last": _last(context.last) if context.last else None,
        "progress": _tail(context.progress, PROGRESS_LIMIT),
        "patterns": context.patterns[:PATTERNS_LIMIT],
        "commits": [_one_line(commit) for commit in context.commits[:LIST_LIMIT]],
        "guides": list(context.guides),
        "stall": _stall(context.stall) if context.stall else None,
        "nonce": context.nonce,
        "context": context.context,
        "passed": [_one_line(f"{each.id} - {each.title}") for each in prd.stories if each.passes][-LIST_LIMIT:],
    }


def _story(story: Story) -> dict[str, Any]:
    return {
        "id": story.id,
        "title": _one_line(story.title),
        "description": story.description,
        "criteria": list(story.criteria),
        "notes": _tail(story.notes, NOTES_LIMIT),
        "priority": None if story.priority == LAST_PRIORITY else story.priority,
    }


def _command(check: Check) -> dict[str, str]:
    run = check.run if isinstance(check.run, str) else shlex.join(check.run)
    return {"name": check.label, "run": run, "cwd": check.cwd}


def _last(record: AttemptRecord) -> dict[str, Any]:
    left = EXCERPTS_LIMIT
    checks: list[dict[str, Any]] = []
    for result in record.checks:
        if result.check.hidden:
            continue
        excerpt = "" if result.passed else _tail(result.excerpt, min(EXCERPT_LIMIT, left))
        left -= len(excerpt)
        stories = [_one_line(story) for story in result.stories]
        checks.append({"name": result.check.label, "exit": _exit(result), "excerpt": excerpt, "stories": stories})
    if hidden := sum(result.check.hidden and not result.passed for result in record.checks):
        said = "They are not shown to you."
        checks.append({"name": "hidden checks", "exit": f"{hidden} failed", "excerpt": said, "stories": []})
    if record.verdict.reason == "hook":  # what a commit hook says is told like a command's output
        said = "\n".join(record.verdict.warnings)
        excerpt = _tail(said, EXCERPT_LIMIT)
        checks.append({"name": "git commit", "exit": "refused by a hook", "excerpt": excerpt, "stories": []})
    return {
        "outcome": record.verdict.outcome.value,
        "reason": record.verdict.reason,
        "checks": checks,
        "repeated": record.agent.error if record.agent and record.verdict.reason == "loop" else "",
        "suspects": [_one_line(suspect) for suspect in record.verdict.suspects[:LIST_LIMIT]],
        "files": [_one_line(path) for path in record.files[:LIST_LIMIT]],
        "need": {"what": record.need.what, "text": _one_line(record.need.text)} if record.need else None,
    }


def _stall(stall: Stall) -> dict[str, Any]:
    return {
        "times": stall.times,
        "files": [_one_line(path) for path in stall.files[:LIST_LIMIT]],
        "untouched": [_one_line(path) for path in stall.untouched[:LIST_LIMIT]],
    }


def _exit(result: CheckResult) -> int | str:
    """The exit code; in words where it is not what the command itself ended with, or not what it failed for."""
    ended = result.passed or (result.status is CheckStatus.FAILED and result.exit_code != 0)
    return result.exit_code if ended and result.exit_code is not None else result.status.value.replace("_", " ")


def _one_line(text: str) -> str:
    return in_one_line(text, LINE_LIMIT)


def _tail(text: str, limit: int) -> str:
    """The last `limit` characters, from the beginning of a line where there is one."""
    if len(text) <= limit:
        return text
    kept = text[len(text) - limit :]
    return kept[kept.find("\n") + 1 :]
