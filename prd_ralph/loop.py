"""The loop, as in the design: load ─► stop? ─► first ready story ─► one attempt ─► land, keep or set aside."""

from dataclasses import dataclass, replace

from prd_ralph import events
from prd_ralph.attempt import attempt, pass_unworked
from prd_ralph.baseline import look_before
from prd_ralph.checks import run_setup
from prd_ralph.errors import ForeignChangeError, RalphError, disk_refused
from prd_ralph.final import verify_at_end
from prd_ralph.guard import stand_by
from prd_ralph.model import RunPlan, StopReason
from prd_ralph.nowhere import heed
from prd_ralph.ports import Current, Opened, Ports, PrdDocument
from prd_ralph.proposing import take_up_proposals
from prd_ralph.resume import set_aside, take_up
from prd_ralph.rules import (
    RunFacts,
    Standing,
    count,
    exit_code,
    is_green_before,
    next_story,
    standings,
    stop_reason,
)
from prd_ralph.spending import run_cap
from prd_ralph.tally import Tally
from prd_ralph.task import Task, new_task
from prd_ralph.waiting import noted, wait_for_agent


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended; `exit` is the process's exit code, `signal` the one that it is to end by."""

    stop: StopReason
    exit: int
    signal: int | None = None
    reason: str = ""
    hint: str = ""


def run(
    ports: Ports, plan: RunPlan, opened: Opened, document: PrdDocument, tally: Tally, current: Current | None
) -> RunEnd:
    """Iterates until a stop reason holds, beginning with what `current` says lies in the tree.

    What a person could mend ends the run by its name, it isn't raised.
    """
    try:
        ports.stage("opened")
        tally.known.start = ports.workspace.content(ports.workspace.base_tree)
        if current is not None:
            tally = _give_up(ports, plan, take_up(ports, plan, document, current, tally))
            document = ports.prd_file.load()
        while (stop := _stop(ports, plan, document, tally)) is None or _is_to_be_verified(stop, tally):
            tally = (_iterate if stop is None else verify_at_end)(ports, plan, document, tally)
            tally = take_up_proposals(ports, plan, tally)
            document = ports.prd_file.load()
        ports.stage("closing")
        if tally.records:
            ports.workspace.close(f"chore: notes of run {ports.state.run_id} ({stop})")
        end = RunEnd(stop, exit_code(stop, ports.stop.signal))
        if stop is tally.fatal:
            end = replace(end, reason=tally.why, hint=tally.hint)
        elif stop is StopReason.COST and (cap := run_cap(tally.spending, plan.limits)):
            end = replace(end, reason=cap.reason, hint=cap.hint)
    except (RalphError, OSError) as found:
        error = found if isinstance(found, RalphError) else disk_refused(found)
        end = RunEnd(_stop_of(error), int(error.code), reason=str(error), hint=_hint_of(error))
    if ports.stop.signal is not None:
        code = exit_code(StopReason.SIGNAL, ports.stop.signal)
        end = replace(end, stop=StopReason.SIGNAL, exit=code, signal=ports.stop.signal)
    return _finish(ports, plan, opened, document, tally, end)


def _iterate(ports: Ports, plan: RunPlan, document: PrdDocument, tally: Tally) -> Tally:
    story = next_story(document.prd, _where(plan, document, tally))
    assert story is not None, "a run without a ready story has a stop reason"
    if (waited := wait_for_agent(ports, plan, story, tally)) is not tally:
        return waited
    if tally.carried and tally.carried.story != story.id:
        tally = set_aside(ports, tally, tally.carried)
    task = new_task(ports, plan, document, story, tally)
    if document.prd.setup and not tally.is_set_up:
        _set_up(ports, plan, task)
    tally = replace(tally, is_set_up=True)
    if story.id not in tally.baselines and plan.baseline != "off" and ports.stop.signal is None:
        tally, task = look_before(ports, plan, tally, task)
    is_over = ports.clock.monotonic() >= task.bench.ends  # setup and baseline take the run's time too
    if is_over or ports.stop.signal is not None or story.id in tally.held:
        return tally
    if plan.baseline == "skip" and is_green_before(task.baseline, own=True) and task.last is None:
        return _give_up(ports, plan, tally.after(pass_unworked(ports, plan, task)))
    ports.emit(
        events.IterationStarted(
            story=story.id,
            attempt=task.key.number,
            iteration=tally.iterations + 1,
            cap=tally.cap,
            title=story.title,
            charged=task.charged,
            max_attempts=plan.limits.attempts,
        )
    )
    tally = noted(ports, plan, story, tally.after(attempt(ports, plan, task)))
    return _give_up(ports, plan, heed(ports, plan, task, tally))


def _give_up(ports: Ports, plan: RunPlan, tally: Tally) -> Tally:
    """What lies in the tree is set aside once its story's attempts are used up, or it is given up before."""
    story = tally.carried.story if tally.carried else ""
    over = story in tally.given_up_within(plan.limits)
    if tally.carried and (over or tally.charged.get(story, 0) >= plan.limits.attempts):
        return set_aside(ports, tally, tally.carried)
    return tally


def _set_up(ports: Ports, plan: RunPlan, task: Task) -> None:
    try:
        run_setup(ports, plan, task.bench, task.document.prd.setup)
    finally:
        stand_by(ports, task.key, task.document.data)


def _is_to_be_verified(stop: StopReason, tally: Tally) -> bool:
    return stop is StopReason.COMPLETE and not tally.verified


def _where(plan: RunPlan, document: PrdDocument, tally: Tally) -> dict[str, Standing]:
    given_up = tally.given_up_within(plan.limits)
    return standings(document.prd, plan.selection, tally.charged, plan.limits.attempts, tally.held, given_up)


def _stop(ports: Ports, plan: RunPlan, document: PrdDocument, tally: Tally) -> StopReason | None:
    return stop_reason(
        RunFacts(
            standings=_where(plan, document, tally),
            limits=plan.limits,
            cap=tally.cap,
            iterations=tally.iterations,
            elapsed_s=ports.clock.monotonic() - tally.started,
            failing_starts=tally.failing_starts,
            once=plan.once,
            signal=ports.stop.signal,
            stop_requested=ports.state.stop_requested(),
            fatal=tally.fatal,
            capped=run_cap(tally.spending, plan.limits) is not None,
        )
    )


def _stop_of(error: RalphError) -> StopReason:
    return StopReason.FOREIGN_CHANGE if isinstance(error, ForeignChangeError) else StopReason.ENVIRONMENT


def _hint_of(error: RalphError) -> str:
    return "; ".join(dict.fromkeys(problem.hint for problem in error.problems if problem.hint))


def _finish(ports: Ports, plan: RunPlan, opened: Opened, document: PrdDocument, tally: Tally, end: RunEnd) -> RunEnd:
    where = _where(plan, document, tally)
    counts = count(where.values())
    ports.emit(
        events.RunFinished(
            stop=end.stop,
            exit=end.exit,
            reason=end.reason,
            hint=end.hint,
            total=counts.total,
            passed=counts.passed,
            failing=counts.failing,
            blocked=counts.blocked,
            skipped=counts.skipped,
            iterations=tally.iterations,
            duration_s=round(ports.clock.monotonic() - tally.started, 3),
            **tally.spending.told,
            waited_s=round(tally.pauses.waited_s, 3),
            branch=opened.branch,
            stories=tuple(tally.line_of(story, where[story.id]) for story in document.prd.stories),
        )
    )
    return end
