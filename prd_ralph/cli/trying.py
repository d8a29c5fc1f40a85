"""The commands of an audit: shown, then run in a scratch clone."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prd_ralph.auditing.trial import Hands, Trial
from prd_ralph.auditing.values import Finding, Tried
from prd_ralph.cli.audited import Subject
from prd_ralph.cli.wire import plan_of
from prd_ralph.clock import SystemClock
from prd_ralph.console import Output, check_end, duration, printable
from prd_ralph.model import Check, CheckResult, RunPlan, Story
from prd_ralph.ports import Processes
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.workspace.scratch import scratch_clone

Work = Sequence[tuple[Story, tuple[Check, ...]]]
_LONG = 1000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the commands, by story, and what is to be noticed of all of it."""

    tried: dict[str, tuple[Tried, ...]]
    findings: tuple[Finding, ...] = ()


def try_out(
    subject: Subject, work: Work, setup: tuple[Check, ...], commit: str, processes: Processes, output: Output
) -> Outcome:
    """Runs `setup`, then each story's commands, in a clone at `commit`. Raises BlockedError where none can be made."""
    project, mask = subject.project, subject.project.mask.text
    plan = replace(plan_of(project, JsonPrdFile(project.root / subject.name, project.root)), fail_fast=False)
    clock = SystemClock()
    _announce(work, setup, commit, plan, output, subject)

    def heard(story: str, result: CheckResult) -> None:
        end = "" if result.passed else f"{check_end(result)} · "
        told = f"{story or 'setup'}  {'✓' if result.passed else '✗'} {result.check.label} {end}"
        output.line(f"{printable(mask(told), _LONG)}{duration(result.duration_s)}", "" if result.passed else "red")

    with scratch_clone(processes, project.root, project.env, commit, {subject.name: subject.data}) as scratch:
        trial = Trial(
            Hands(processes, clock),
            plan,
            scratch.root,
            scratch.logs,
            scratch.env(project.check_env),
            f"audit-{os.urandom(4).hex()}",
            clock.monotonic() + plan.limits.run_s,
            scratch.restore,
            heard,
        )
        failed = trial.set_up(setup)
        for story, checks in work if failed is None else ():
            trial.try_story(story, checks)
        submodules = (scratch.root / ".gitmodules").exists()
    tried = {story.id: tuple(Tried(check, trial.result(story, check)) for check in checks) for story, checks in work}
    return Outcome(tried, tuple(_about(failed, trial.over, submodules)))


def _announce(work: Work, setup: Sequence[Check], commit: str, plan: RunPlan, output: Output, subject: Subject) -> None:
    mask = subject.project.mask.text
    limit = duration(plan.limits.check_s)
    output.line(f"to be run in a scratch clone at {commit[:9]}, each command for at most {limit}:")
    for title, checks in (("setup", setup), *((f"{story.id} {story.title}", checks) for story, checks in work)):
        if checks:
            output.line(f"  {printable(mask(title))}")
        for check in checks:
            output.line(f"    $ {printable(mask(check.text), _LONG)}")


def _about(failed: CheckResult | None, over: bool, submodules: bool) -> list[Finding]:
    found = []
    if failed is not None:
        end = check_end(failed)
        found.append(Finding("setup_failed", f"no command was run: setup failed: {failed.check.label} ({end})"))
    if over:
        found.append(Finding("time_over", "the time was over before all commands were run: --max-time"))
    if submodules:
        found.append(Finding("submodules", "submodules are not in the scratch clone: what needs them fails there"))
    return found
