"""`prd-ralph status`: the counts as recorded, and the run that is going on."""

from collections.abc import Iterable
from datetime import datetime

import typer

from prd_ralph.cli.answer import answer
from prd_ralph.cli.gathered import gather
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.outlook import in_words
from prd_ralph.cli.policy import FailUnder, Policy, Require
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.recorded import run_line
from prd_ralph.cli.supervise import watcher
from prd_ralph.clock import SystemClock
from prd_ralph.facts import Report, StoryFacts
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.report.as_json import status_record
from prd_ralph.wording import awaited, duration, plural, printable

SHORT = "Count what passes, as recorded."
EXAMPLE = "Example: prd-ralph status --json · prd-ralph status --fail-under 80%"
_MARKS = {"passed": "✓", "ready": "·", "exhausted": "✗", "blocked": "-", "skipped": "-"}


def command(prd: Prd = None, fail_under: FailUnder = None, require: Require = None, as_json: AsJson = False) -> int:
    """Print how many stories pass, as recorded in prd.json, and what a run that is going on is at."""
    policy = Policy.of(fail_under, require)
    project = open_project({"prd": prd})
    with SupervisedProcesses(StopSignals()) as processes:
        if project.location is not None:
            processes.warm_up(sweep=False)
        report = gather(project, processes, project.prd_file())
    refused = policy.refused(report)
    if as_json:
        answer(status_record(report))
    else:
        for line in (*_lines(report), *_newest(project, report, SystemClock().now())):
            typer.echo(line)
    return policy.end(refused)


def _lines(report: Report) -> Iterable[str]:
    counts = report.counts
    told = f"{counts.passed} passed · {counts.failing} failing · {counts.blocked} blocked · {counts.skipped} skipped"
    yield f"{printable(report.prd)}: {plural(counts.total, 'story')} · {told}   ({report.basis.words})"
    yield from map(_line, report.stories)
    if report.proposals:
        yield f"agents propose {plural(len(report.proposals), 'more story')}   (prd-ralph proposals)"
    if report.forecast:
        yield in_words(report.forecast)


def _line(story: StoryFacts) -> str:
    parts = (
        f"{_MARKS[story.state]} {printable(story.id)} {printable(story.title)}",
        story.state,
        printable(story.reason),
        plural(story.attempts, "attempt") if story.attempts else "",
        "approved by a person" if story.proof == "approved" else "",
        "not tried yet" if story.state == "ready" and story.attempts == 0 else "",
    )
    return "  " + " · ".join(part for part in parts if part)


def _newest(project: Project, report: Report, now: str) -> Iterable[str]:
    """The run that is going on, its attempt and since when; else the last one. `now` as a ledger writes times."""
    live, last = report.live, report.runs[-1] if report.runs else None
    above = project.state.read_lock(watcher(project)) if live or last else None
    if live and live.waiting:
        yield f"run {live.run} is going on (pid {live.pid}): waits for {awaited(live.waiting)}"
    elif live:
        at = f"{printable(live.story)} attempt {live.attempt}" if live.story else "starting"
        who = f"pid {live.pid}{', supervised' if above else ''}"
        where = f" in {printable(live.worktree, 1000)}" if live.worktree else ""
        yield f"run {live.run} is going on ({who}){where}: {at}, for {_between(live.began, now)}"
    elif last and above and project.holder is None:
        yield f"run {last.id} has died, and is started again ({above})"
    elif last:
        yield f"last run: {run_line(last)}"


def _between(begun: str, now: str) -> str:
    """Both are UTC, as `2031-03-01T08:00:00Z`; a clock that was set back counts as none."""
    try:
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(begun)
    except (ValueError, TypeError):  # an agent can write into the ledger too
        return "an unknown time"
    return duration(max(0.0, passed.total_seconds()))
