"""Red before green: a story's commands, run once before its first attempt.

Red is the normal case. A command that is green already proves nothing yet.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from prd_ralph import events
from prd_ralph.checks import Bench, run_checks
from prd_ralph.clean import clean_bench
from prd_ralph.guard import stand_by
from prd_ralph.model import AttemptKey, Check, CheckResult, CheckStatus, RunPlan
from prd_ralph.ports import Ports, PrdDocument
from prd_ralph.rules import is_green_before
from prd_ralph.tally import Tally
from prd_ralph.task import Task

_ADD_RED = "every command is green before an agent has worked: add one that is red"


def take_baseline(ports: Ports, plan: RunPlan, task: Task) -> tuple[CheckResult, ...]:
    """What each command of the story says of base; what is known of it already is not run again.

    Empty where base could not be had, or the person ended the run meanwhile.
    """
    story, content = task.story.id, ports.workspace.content(ports.workspace.base_tree)
    checks = tuple(check for check in task.checks if check.when == "always")
    missing = tuple(check for check in checks if task.known.said(content, check, story) is None)
    if missing:
        task.known.note(content, story, _run(ports, plan, task, missing))
    mine = {check.identity(story) for check in task.own_checks}
    said = ((check, task.known.said(content, check, story)) for check in checks)
    results = tuple(replace(result, own=check.identity(story) in mine) for check, result in said if result)
    if not checks or len(results) < len(checks):
        return ()
    ports.emit(_told(task, results))
    return results


def look_before(ports: Ports, plan: RunPlan, tally: Tally, task: Task) -> tuple[Tally, Task]:
    """With the story's baseline; where all of it is green that is told, and under `--strict` the story is held."""
    results = take_baseline(ports, plan, task)
    if ports.stop.signal is not None:
        return tally, task
    story = task.story.id
    if is_green_before(results, own=False):
        held = {story: _ADD_RED} if plan.strict else {}
        tally = replace(tally, held={**tally.held, **held})
        said = _ADD_RED if held else "every command is green before an agent has worked: a pass will be unproven"
        ports.emit(events.Warned(message=said, story=story))
    return replace(tally, baselines={**tally.baselines, story: results}), replace(task, baseline=results)


@contextmanager
def on_base(
    ports: Ports, plan: RunPlan, bench: Bench, key: AttemptKey, document: PrdDocument
) -> Iterator[Bench | None]:
    """Where commands see base: in the work tree, which is as it was afterwards, or in a checkout. None: nowhere.

    In the work tree Python caches nothing: a file of the same size, edited within a second, would be taken for base's.
    """
    if plan.verify_in == "clean":
        with clean_bench(ports, plan, bench, ports.workspace.base_tree, document.prd.setup) as clean:
            yield None if clean.broken else clean.bench
        return
    with ports.workspace.at_base(key) as there:
        try:
            yield replace(bench, env={**bench.env, "PYTHONDONTWRITEBYTECODE": "1"}) if there else None
        finally:
            stand_by(ports, key, document.data)


def _run(ports: Ports, plan: RunPlan, task: Task, checks: tuple[Check, ...]) -> tuple[CheckResult, ...]:
    with on_base(ports, plan, task.bench, task.key, task.document) as bench:
        looked = replace(plan, fail_fast=False)  # red is what is hoped for here
        results = run_checks(ports, looked, bench, checks, log="baseline") if bench else ()
    return tuple(result for result in results if result.status is not CheckStatus.INTERRUPTED)


def _told(task: Task, results: tuple[CheckResult, ...]) -> events.BaselineFinished:
    return events.BaselineFinished(
        story=task.key.story,
        attempt=task.key.number,
        red=tuple(result.check.label for result in results if not result.passed),
        checks=tuple(
            {
                "name": result.check.label,
                "own": result.own,
                "status": str(result.status),
                "exit_code": result.exit_code,
            }
            for result in results
        ),
    )
