"""`prd-ralph status`: the counts as recorded, and the run that is going on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import typer

from prd_ralph import events
from prd_ralph.cli.answer import answer
from prd_ralph.cli.options import AsJson, Prd
from prd_ralph.cli.outlook import amount, in_words, open_count, past_of, told
from prd_ralph.cli.project import Project, open_project
from prd_ralph.cli.proposed import open_proposals
from prd_ralph.cli.recorded import Record, goes_on, run_line
from prd_ralph.cli.supervise import watcher
from prd_ralph.clock import SystemClock
from prd_ralph.console import awaited, duration, plural, printable
from prd_ralph.errors import ExitCode
from prd_ralph.forecast import Past, forecast
from prd_ralph.ledger import read
from prd_ralph.model import Prd as PrdModel
from prd_ralph.model import Selection, Story
from prd_ralph.ports import Processes
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.rules import Standing, count, standings
from prd_ralph.state import LockHolder
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.history import Landings, attempt_counts, landings

SHORT = "Count what passes, as recorded."
EXAMPLE = "Example: prd-ralph status --json"
_MARKS = {"passed": "✓", "ready": "·", "exhausted": "✗", "blocked": "-", "skipped": "-"}


@dataclass(frozen=True, slots=True)
class History:
    """What git and the ledgers remember. `attempts`: a story's largest number; `charged`: of the newest run; `above`:
    who watches over it, where somebody does. `proposed`: how many stories agents want added; `past`: what the stories
    took that are done.
    """

    landings: Landings | None = None
    attempts: Mapping[str, int] | None = None
    charged: Mapping[str, int] | None = None
    costs: Mapping[str, float] | None = None
    past: tuple[Past, ...] = ()
    newest: tuple[Mapping[str, Any], ...] = ()
    holder: LockHolder | None = None
    above: LockHolder | None = None
    proposed: int = 0


def command(prd: Prd = None, as_json: AsJson = False) -> int:
    """Print how many stories pass, as recorded in prd.json, and what a run that is going on is at."""
    project = open_project({"prd": prd})
    with SupervisedProcesses(StopSignals()) as processes:
        if project.location is not None:
            processes.warm_up(sweep=False)
        prd_file = project.prd_file()
        document = prd_file.load()
        path = prd_file.path.relative_to(project.root).as_posix()
        history = _history(project, processes, document.prd, path)
    found = status(document.prd, path, history, _limit(history.newest) or project.settings.max_attempts)
    if as_json:
        answer(found)
    else:
        for line in (*_lines(found), *_newest(found["run"], history, SystemClock().now())):
            typer.echo(line)
    return ExitCode.OK


def status(prd: PrdModel, path: str, history: History, max_attempts: int) -> dict[str, Any]:
    """The object of `status --json` (REFERENCE)."""
    charged = history.charged or {}
    where = standings(prd, Selection(), charged, max_attempts)
    counts = count(where.values())
    stories = [_story(story, where[story.id], history) for story in prd.stories]
    unproven = [story for story in stories if story["passes"] and story["proof"] != "proved"]
    known = history.landings is not None and not history.landings.shallow
    return {
        "v": 1,
        "prd": path,
        "branch": prd.branch,
        "total": counts.total,
        "passed": counts.passed,
        "failing": counts.failing,
        "blocked": counts.blocked,
        "skipped": counts.skipped,
        "unproven": len(unproven) if known else None,
        "forecast": told(forecast(history.past, open_count(where.values()))),
        "run": _run(history),
        "stories": stories,
        "proposals": history.proposed,
    }


def _story(story: Story, standing: Standing, history: History) -> dict[str, Any]:
    landing = history.landings.records.get(story.id) if history.landings else None
    return {
        "id": story.id,
        "title": story.title,
        "passes": story.passes,
        "state": str(standing.state),
        "reason": standing.reason or None,
        "attempts": history.attempts.get(story.id) if history.attempts is not None else None,
        "cost_usd": (history.costs or {}).get(story.id),
        "proof": "approved" if story.approved else landing.proof if landing and story.passes else None,
    }


def _run(history: History) -> dict[str, Any] | None:
    if history.holder is None or not goes_on(history.holder, history.newest):
        return None
    at: Mapping[str, Any] = next(
        (record for record in reversed(history.newest) if record.get("attempt") is not None), {}
    )
    run = {
        "id": history.newest[0]["run"],
        "pid": history.holder.pid,
        "story": at.get("story"),
        "attempt": at.get("attempt"),
        "since": history.newest[0]["at"],
    }
    waits = _waits(history.newest)
    told = {"reason": waits.reason, "agents": list(waits.agents), "until": waits.until} if waits else None
    return run | ({"waiting": told} if told else {})


def _waits(records: Sequence[Record]) -> events.Waiting | None:
    """What the run waits for now."""
    last = events.from_record(records[-1])
    return last if isinstance(last, events.Waiting) else None


def _history(project: Project, processes: Processes, prd: PrdModel, path: str) -> History:
    if project.location is None:
        return History()
    git = Git(processes, project.root, project.env)
    found = landings(git, project.location, path, prd.branch)
    attempts = attempt_counts(git, [story.id for story in prd.stories])
    records = [tuple(read(run.events)[0]) for run in project.state.runs()]
    newest = records[0] if records else ()
    passing = {story.id for story in prd.stories if story.passes}
    return History(
        landings=found,
        attempts=attempts,
        charged=_charged(newest),
        costs=_costs(record for run in records for record in run),
        past=tuple(past_of((record for run in records for record in run), passing)),
        newest=newest,
        holder=project.holder,
        above=project.state.read_lock(watcher(project)),
        proposed=len(open_proposals(project, prd, path)),
    )


def _charged(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many attempts were charged to each story; an attempt's last verdict counts."""
    last = {(record.get("story"), record.get("attempt")): record for record in records if record["kind"] == "judged"}
    charged: dict[str, int] = {}
    for (story, _), record in last.items():
        if story is not None:
            charged[story] = charged.get(story, 0) + (record.get("charged") is True)
    return charged


def _costs(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    costs: dict[str, float] = {}
    for record in records:
        story, cost = record.get("story"), amount(record.get("cost_usd"))
        if record["kind"] == "agent_finished" and story is not None and cost is not None:
            costs[story] = costs.get(story, 0.0) + cost
    return costs


def _limit(records: Iterable[Mapping[str, Any]]) -> int | None:
    """How many attempts a story has in the newest run, whose own flags may have said so."""
    started = next((record for record in records if record["kind"] == "run_started"), {})
    limits = started.get("limits")
    limit = limits.get("attempts") if isinstance(limits, dict) else None
    return limit if isinstance(limit, int) else None


def _lines(found: Mapping[str, Any]) -> Iterable[str]:
    counts = " · ".join(f"{found[name]} {name}" for name in ("passed", "failing", "blocked", "skipped"))
    yield f"{printable(found['prd'])}: {plural(found['total'], 'story')} · {counts}   (as recorded)"
    for story in found["stories"]:
        parts = (
            f"{_MARKS[story['state']]} {printable(story['id'])} {printable(story['title'])}",
            story["state"],
            printable(story["reason"] or ""),
            plural(story["attempts"], "attempt") if story["attempts"] else "",
            "approved by a person" if story["proof"] == "approved" else "",
            "not tried yet" if story["state"] == "ready" and story["attempts"] == 0 else "",
        )
        yield "  " + " · ".join(part for part in parts if part)
    if found["proposals"]:
        yield f"agents propose {plural(found['proposals'], 'more story')}   (prd-ralph proposals)"
    if found["forecast"]:
        yield in_words(found["forecast"])


def _newest(live: Mapping[str, Any] | None, history: History, now: str) -> Iterable[str]:
    """The run that is going on, its attempt and since when; else the last one. `now` as a ledger writes times."""
    records: Sequence[Record] = history.newest
    if live and (waits := _waits(records)):
        yield f"run {live['id']} is going on (pid {live['pid']}): waits for {awaited(waits)}"
    elif live:
        begun = [record["at"] for record in records if record["kind"] == "iteration_started"] or [live["since"]]
        at = f"{printable(live['story'])} attempt {live['attempt']}" if live["story"] else "starting"
        above = ", supervised" if history.above else ""
        where = f" in {printable(records[0]['worktree'], 1000)}" if records[0].get("worktree") else ""
        yield f"run {live['id']} is going on (pid {live['pid']}{above}){where}: {at}, for {_between(begun[-1], now)}"
    elif records and history.above and history.holder is None:
        yield f"run {records[0]['run']} has died, and is started again ({history.above})"
    elif records:
        yield f"last run: {run_line(str(records[0]['run']), records)}"


def _between(begun: str, now: str) -> str:
    """Both are UTC, as `2031-03-01T08:00:00Z`; a clock that was set back counts as none."""
    try:
        passed = datetime.fromisoformat(now) - datetime.fromisoformat(begun)
    except (ValueError, TypeError):  # an agent can write into the ledger too
        return "an unknown time"
    return duration(max(0.0, passed.total_seconds()))
