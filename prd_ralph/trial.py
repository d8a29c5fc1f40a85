"""A candidate on trial: what the commands say of it, and the verdict on both.

Each look may only take a pass away: the commands themselves, then without what no commit takes up, then what passed
before, and last the commands that are kept for landings, which may cost money.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from prd_ralph import events
from prd_ralph.checks import Bench, run_checks, told
from prd_ralph.clean import clean_bench
from prd_ralph.guard import stand_by
from prd_ralph.model import AgentResult, CheckResult, CheckStatus, Outcome, ProcessEnd, RunPlan, Verdict
from prd_ralph.ports import Candidate, Ports
from prd_ralph.regressions import broken_by
from prd_ralph.rules import Evidence, judge
from prd_ralph.task import Task


@dataclass(frozen=True, slots=True)
class Found:
    """What was found before the trial: the agent's end (None: unknown, or there was none), what was tampered with, and
    the agent's last own commit.
    """

    agent: AgentResult | None
    tampered: tuple[str, ...] = ()
    head: str | None = None

    @property
    def was_stopped(self) -> bool:
        """The person ended the run while the agent worked."""
        return self.agent is not None and self.agent.process.end is ProcessEnd.STOPPED


@dataclass(frozen=True, slots=True)
class Trial:
    """A frozen candidate, what the commands said of it, and the verdict on both."""

    candidate: Candidate
    results: tuple[CheckResult, ...]
    verdict: Verdict

    @property
    def passed(self) -> bool:
        return self.verdict.outcome is Outcome.PASSED


def try_candidate(ports: Ports, plan: RunPlan, task: Task, found: Found) -> Trial:
    """Freezes what lies in the work tree, and finds out for itself what it is worth."""
    candidate = _freeze(ports, task, found.head)
    if found.was_stopped:
        return Trial(candidate, (), _judge(plan, task, candidate, (), found))
    try:
        return _on_bench(ports, plan, task, candidate, found)
    finally:
        stand_by(ports, task.key, task.document.data)  # whatever ended it: setup and commands may be the agent's code


def _on_bench(ports: Ports, plan: RunPlan, task: Task, candidate: Candidate, found: Found) -> Trial:
    with clean_bench(ports, plan, task.bench, candidate.tree, task.document.prd.setup) as clean:
        if clean.broken:
            ports.emit(told(clean.broken, task.key.story, task.key.number))
            results: tuple[CheckResult, ...] = (clean.broken,)
            return Trial(candidate, results, _judge(plan, task, candidate, results, found))

        def judged(results: tuple[CheckResult, ...]) -> Trial:
            green = all(result.passed for result in results)
            suspects = (*clean.notes, *ports.workspace.suspects(candidate, clean.fresh)) if green else ()
            return Trial(candidate, results, _judge(plan, task, candidate, results, found, suspects))

        only_land = all(check.when == "land" for check in task.checks)
        tried = judged(_verify(ports, plan, task, clean.bench, candidate, "land" if only_land else "always"))
        looks = (_without_left_out, _with_what_passed_before, *(() if only_land else (_at_landing,)))
        for look in looks:
            if tried.passed:
                tried = look(ports, plan, task, clean.bench, tried, judged)
        return tried


Judged = Callable[[tuple[CheckResult, ...]], Trial]


def _freeze(ports: Ports, task: Task, head: str | None) -> Candidate:
    candidate = ports.workspace.freeze()
    ports.workspace.keep(task.key, candidate, head)
    ports.emit(
        events.CandidateFrozen(
            story=task.key.story,
            attempt=task.key.number,
            tree=candidate.tree,
            files=candidate.paths,
            left_out=candidate.left_out,
        )
    )
    ports.stage("frozen")
    return candidate


def _verify(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, candidate: Candidate, when: str
) -> tuple[CheckResult, ...]:
    checks = [check for check in task.checks if check.when == when]
    try:
        results = run_checks(
            ports,
            plan,
            bench,
            checks,
            task.own_checks,
            lambda result: ports.emit(told(result, task.key.story, task.key.number)),
            log="check" if when == "always" else when,
        )
    finally:
        stand_by(ports, task.key, task.document.data)
    ports.workspace.restore(candidate)
    ports.stage("checked")
    return results


def _without_left_out(ports: Ports, plan: RunPlan, task: Task, bench: Bench, tried: Trial, judged: Judged) -> Trial:
    """Where a pass may rest on what the candidate leaves out (keys, large files), the commands run without that too.

    A checkout never had it.
    """
    if plan.verify_in == "clean":
        return tried
    if tried.candidate.unlandable:
        return _left_out(tried, tried.results, "no commit can hold", tried.candidate.unlandable)
    with ports.workspace.only_candidate() as hidden:
        if not hidden:
            return tried
        results = _verify(ports, plan, task, bench, tried.candidate, "always")
    if all(result.passed for result in results):
        return tried
    if any(result.status is CheckStatus.INTERRUPTED for result in results):
        return judged(results)
    return _left_out(tried, results, "the commands pass only with files that no commit takes up", hidden)


def _left_out(tried: Trial, results: tuple[CheckResult, ...], why: str, paths: tuple[str, ...]) -> Trial:
    return Trial(tried.candidate, results, Verdict(Outcome.FAILED, "left_out", (f"{why}: {', '.join(paths)}",)))


def _with_what_passed_before(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, tried: Trial, judged: Judged
) -> Trial:
    content = ports.workspace.content(tried.candidate.tree)
    task.known.note(content, task.story.id, tried.results)
    if plan.regressions == "off":
        return tried
    broken = broken_by(ports, plan, task, bench, tried.candidate, content)
    ports.stage("earlier_checked")
    results = (*tried.results, *broken)
    if any(result.status is CheckStatus.INTERRUPTED for result in broken):
        return judged(results)
    return replace(tried, results=results, verdict=Verdict(Outcome.FAILED, "regression")) if broken else tried


def _at_landing(ports: Ports, plan: RunPlan, task: Task, bench: Bench, tried: Trial, judged: Judged) -> Trial:
    results = _verify(ports, plan, task, bench, tried.candidate, "land")
    return judged((*tried.results, *results)) if results else tried


def _judge(
    plan: RunPlan,
    task: Task,
    candidate: Candidate,
    results: tuple[CheckResult, ...],
    found: Found,
    suspects: tuple[str, ...] = (),
) -> Verdict:
    cut_short = any(result.status is CheckStatus.INTERRUPTED for result in results)
    return judge(
        Evidence(
            story=task.story.id,
            checks=results,
            changed=bool(candidate.paths),
            agent=found.agent,
            baseline=task.baseline,
            suspects=suspects,
            unworked=task.agent is None,
            interrupted=found.was_stopped or cut_short,
            tampered=bool(found.tampered),
            strict=plan.strict,
        )
    )
