"""JSON: the object of `status --json` (schemas/status.schema.json), and of `report --format json`, which has it all."""

from dataclasses import asdict
from typing import Any

from prd_ralph.facts import AttemptFacts, Delta, LiveFacts, Report, RunFacts, StoryFacts

VERSION = 1


def status_record(report: Report) -> dict[str, Any]:
    """The counts and the stories; unknown numbers are None."""
    counts = report.counts
    return {
        "v": VERSION,
        "basis": str(report.basis),
        "prd": report.prd,
        "branch": report.branch,
        "total": counts.total,
        "passed": counts.passed,
        "failing": counts.failing,
        "blocked": counts.blocked,
        "skipped": counts.skipped,
        "unproven": report.unproven,
        "forecast": dict(report.forecast) if report.forecast else None,
        "run": _live(report.live) if report.live else None,
        "stories": [_story(story) for story in report.stories],
        "proposals": len(report.proposals),
    }


def report_record(report: Report) -> dict[str, Any]:
    """The same, with what the report is made of: commands and how they ended, runs and their attempts."""
    return {
        **status_record(report),
        "project": report.project,
        "description": report.description,
        "commit": report.commit,
        "made": report.made,
        "percent": report.percent,
        "cost_usd": report.cost_usd,
        "stories": [_whole_story(story) for story in report.stories],
        "proposed": list(report.proposals),
        "runs": [_run(run) for run in report.runs],
        "delta": _delta(report.delta) if report.delta else None,
        "problems": [asdict(problem) for problem in report.problems],
        "unreadable": report.unreadable,
    }


def _story(story: StoryFacts) -> dict[str, Any]:
    return {
        "id": story.id,
        "title": story.title,
        "passes": story.passes,
        "state": story.state,
        "reason": story.reason or None,
        "attempts": story.attempts,
        "cost_usd": story.cost_usd,
        "proof": story.proof,
    }


def _whole_story(story: StoryFacts) -> dict[str, Any]:
    return {
        **_story(story),
        "description": story.description,
        "criteria": list(story.criteria),
        "line": story.line,
        "commit": story.commit,
        "finding": story.finding or None,
        "commands": [asdict(command) for command in story.commands],
        "results": [asdict(result) for result in story.results],
    }


def _live(live: LiveFacts) -> dict[str, Any]:
    waits = live.waiting
    run = {
        "id": live.run,
        "pid": live.pid,
        "story": live.story,
        "attempt": live.attempt,
        "since": live.since,
    }
    told = {"reason": waits.reason, "agents": list(waits.agents), "until": waits.until} if waits else None
    return run | ({"waiting": told} if told else {})


def _run(run: RunFacts) -> dict[str, Any]:
    whole = {name: value for name, value in asdict(run).items() if name != "attempts"}
    return {
        **whole,
        "iterations": run.iterations,
        "cost_usd": run.cost_usd,
        "attempts": [_attempt(attempt) for attempt in run.attempts],
    }


def _attempt(attempt: AttemptFacts) -> dict[str, Any]:
    return {**asdict(attempt), "checks_s": attempt.checks_s}


def _delta(delta: Delta) -> dict[str, Any]:
    return asdict(delta)
