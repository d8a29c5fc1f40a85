"""Everything that is known here of a PRD and its runs, gathered into one value: what all reports are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prd_ralph.cli.outlook import open_count, past_of, told
from prd_ralph.cli.project import Project
from prd_ralph.cli.proposed import open_proposals
from prd_ralph.cli.recorded import facts_of, goes_on
from prd_ralph.clock import SystemClock
from prd_ralph.facts import CheckFacts, CommandFacts, LiveFacts, Report, RunFacts, StoryFacts
from prd_ralph.forecast import forecast
from prd_ralph.model import Prd, Selection, Story
from prd_ralph.ports import Processes
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.rules import Standing, count, standings
from prd_ralph.spending import known_sum
from prd_ralph.state import LockHolder
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import resolve
from prd_ralph.workspace.history import Landings, attempt_counts, landings


@dataclass(frozen=True, slots=True)
class Remembered:
    """What git and the ledgers know. `attempts`: a story's largest number; `runs`: of this prd.json, the oldest first;
    `newest`: the newest run of any, and `holder` who is at work.
    """

    commit: str | None = None
    landings: Landings | None = None
    attempts: Mapping[str, int] | None = None
    runs: tuple[RunFacts, ...] = ()
    newest: RunFacts | None = None
    holder: LockHolder | None = None


def gather(project: Project, processes: Processes, prd_file: JsonPrdFile) -> Report:
    """The report as recorded. Raises ProblemsError for a prd.json that is missing or invalid."""
    prd = prd_file.load().prd
    path = prd_file.path.relative_to(project.root).as_posix()
    known = _remembered(project, processes, prd, path)
    limit = next((run.max_attempts for run in reversed(known.runs)), None) or project.settings.max_attempts
    where = standings(prd, Selection(), _charged(known.runs[-1:]), limit)
    stories = tuple(_story(project, prd, story, where[story.id], known) for story in prd.stories)
    complete = known.landings is not None and not known.landings.shallow
    passing = {story.id for story in prd.stories if story.passes}
    mask = project.mask.text
    return Report(
        prd=path,
        made=SystemClock().now(),
        project=mask(prd.project),
        description=mask(prd.description),
        branch=prd.branch,
        commit=known.commit,
        counts=count(where.values()),
        unproven=sum(each.passes and each.proof != "proved" for each in stories) if complete else None,
        stories=stories,
        runs=known.runs,
        live=_live(known),
        forecast=told(forecast(past_of(known.runs, passing), open_count(where.values()))),
        proposals=tuple(mask(str(each.proposal["title"])) for each in open_proposals(project, prd, path)),
        unreadable=sum(run.unreadable for run in known.runs),
    )


def _remembered(project: Project, processes: Processes, prd: Prd, path: str) -> Remembered:
    if project.location is None:
        return Remembered()
    git = Git(processes, project.root, project.env)
    runs = [facts_of(run) for run in reversed(project.state.runs())]
    return Remembered(
        commit=resolve(git, "HEAD") or None,
        landings=landings(git, project.location, path, prd.branch),
        attempts=attempt_counts(git, [story.id for story in prd.stories]),
        runs=tuple(run for run in runs if run.is_about(path, prd.branch)),
        newest=runs[-1] if runs else None,
        holder=project.holder,
    )


def _story(project: Project, prd: Prd, story: Story, standing: Standing, known: Remembered) -> StoryFacts:
    mask = project.mask.text
    landing = known.landings.records.get(story.id) if known.landings else None
    shared = {check.identity(story.id) for check in (*prd.checks, *project.extra)}
    commands = tuple(
        CommandFacts(mask(check.name), mask(check.text), check.identity(story.id) not in shared, check.hidden)
        for check in prd.checks_for(story, project.extra)
    )
    return StoryFacts(
        id=story.id,
        title=mask(story.title),
        passes=story.passes,
        state=str(standing.state),
        reason=standing.reason,
        description=mask(story.description),
        criteria=tuple(map(mask, story.criteria)),
        commands=commands,
        results=_last_results(known.runs, story.id),
        line=story.line,
        attempts=known.attempts.get(story.id) if known.attempts is not None else None,
        cost_usd=_cost(known.runs, story.id),
        proof="approved" if story.approved else landing.proof if landing and story.passes else None,
        approved=f"{mask(story.approved.by)}, {story.approved.at}" if story.approved else "",
        commit=landing.commit if landing and story.passes else None,
    )


def _charged(runs: Iterable[RunFacts]) -> dict[str, int]:
    """How many attempts were charged to each story."""
    charged: dict[str, int] = {}
    for run in runs:
        for attempt in run.attempts:
            charged[attempt.story] = charged.get(attempt.story, 0) + attempt.charged
    return charged


def _cost(runs: Iterable[RunFacts], story: str) -> float | None:
    return known_sum(each.cost_usd for run in runs for each in run.attempts if each.story == story)


def _last_results(runs: tuple[RunFacts, ...], story: str) -> tuple[CheckFacts, ...]:
    """How the story's commands ended in the newest attempt that came to them; others' are left out."""
    checked = (each for run in reversed(runs) for each in reversed(run.attempts) if each.story == story and each.checks)
    last = next(checked, None)
    return tuple(check for check in last.checks if not check.stories or story in check.stories) if last else ()


def _live(known: Remembered) -> LiveFacts | None:
    run, holder = known.newest, known.holder
    if run is None or holder is None or not goes_on(holder, run):
        return None
    at = run.attempts[-1] if run.attempts else None
    return LiveFacts(
        run=run.id,
        pid=holder.pid,
        since=run.began,
        began=at.began if at else run.began,
        worktree=run.worktree,
        story=at.story if at else None,
        attempt=at.number if at else None,
        waiting=run.waiting,
    )
