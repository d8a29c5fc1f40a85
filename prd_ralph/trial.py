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
            suspects = (*clean.notes, *ports.workspace.suspects(candidate, clean.fresh)) if _is_green(results) else ()
            return Trial(candidate, results, _judge(plan, task, candidate, results, found, suspects))

        if clean.fresh:
            ports.workspace.restore(candidate)  # `setup` ran there, and it may be the agent's code
        only_land = all(check.when == "land" for check in task.checks)
        tried = _verified(ports, plan, task, clean.bench, candidate, "land" if only_land else "always", judged)
        looks = (_without_left_out, _with_what_passed_before, *(() if only_land else (_at_landing,)))
        for look in looks:
            if tried.passed:
                tried = look(ports, plan, task, clean.bench, tried, judged)
        return tried


Judged = Callable[[tuple[CheckResult, ...]], Trial]


def _is_green(results: tuple[CheckResult, ...]) -> bool:
    return all(result.passed for result in results)


def _is_cut_short(results: tuple[CheckResult, ...]) -> bool:
    return any(result.status is CheckStatus.INTERRUPTED for result in results)


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


def _verified(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, candidate: Candidate, when: str, judged: Judged
) -> Trial:
    """The commands run; once more, on mended ground, where what they start has planted what sways those after it."""
    results, planted = _verify(ports, plan, task, bench, candidate, when)
    if planted and _is_green(results):
        results, planted = _verify(ports, plan, task, bench, candidate, when)
    if planted and _is_green(results):
        return _refused(
            candidate, results, "tampered", "while the commands ran, they or what they start changed", planted
        )
    return judged(results)


def _verify(
    ports: Ports, plan: RunPlan, task: Task, bench: Bench, candidate: Candidate, when: str
) -> tuple[tuple[CheckResult, ...], tuple[str, ...]]:
    """What the commands say, and what they have planted outside of the work tree, where others read it."""
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
    planted = ports.workspace.restore(candidate)
    ports.stage("checked")
    return results, planted


def _without_left_out(ports: Ports, plan: RunPlan, task: Task, bench: Bench, tried: Trial, judged: Judged) -> Trial:
    """Where a pass may rest on what the candidate leaves out (keys, large files), the commands run without that too.

    A checkout never had it.
    """
    if plan.verify_in == "clean":
        return tried
    if tried.candidate.unlandable:
        return _refused(tried.candidate, tried.results, "left_out", "no commit can hold", tried.candidate.unlandable)
    with ports.workspace.only_candidate() as hidden:
        if not hidden:
            return tried
        without = _verified(ports, plan, task, bench, tried.candidate, "always", judged)
    if _is_green(without.results) or _is_cut_short(without.results):
        return without
    why = "the commands pass only with files that no commit takes up"
    return _refused(tried.candidate, without.results, "left_out", why, hidden)


def _refused(
    candidate: Candidate, results: tuple[CheckResult, ...], reason: str, why: str, paths: tuple[str, ...]
) -> Trial:
    return Trial(candidate, results, Verdict(Outcome.FAILED, reason, (f"{why}: {', '.join(paths)}",)))


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
    if not broken or _is_cut_short(broken):
        return judged(results)
    return replace(tried, results=results, verdict=Verdict(Outcome.FAILED, "regression"))


def _at_landing(ports: Ports, plan: RunPlan, task: Task, bench: Bench, tried: Trial, judged: Judged) -> Trial:
    if not any(check.when == "land" for check in task.checks):
        return tried
    return _verified(
        ports, plan, task, bench, tried.candidate, "land", lambda results: judged((*tried.results, *results))
    )


def _judge(
    plan: RunPlan,
    task: Task,
    candidate: Candidate,
    results: tuple[CheckResult, ...],
    found: Found,
    suspects: tuple[str, ...] = (),
) -> Verdict:
    return judge(
        Evidence(
            story=task.story.id,
            checks=results,
            changed=bool(candidate.paths),
            agent=found.agent,
            baseline=task.baseline,
            suspects=suspects,
            unworked=task.agent is None,
            interrupted=found.was_stopped or _is_cut_short(results),
            tampered=bool(found.tampered),
            strict=plan.strict,
        )
    )
