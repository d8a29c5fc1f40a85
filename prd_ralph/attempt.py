"""One go at one story: prompt, agent, guard, candidate, checks, verdict, landing.

`conclude` is also where an attempt is taken up whose run was killed: from the agent's end on, nothing differs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from prd_ralph import events
from prd_ralph.checks import refuse_full_disk, run_checks
from prd_ralph.errors import RalphError
from prd_ralph.excerpt import excerpt
from prd_ralph.guard import guard, stand_by
from prd_ralph.landing import land, verdict_of
from prd_ralph.model import (
    STORY_VARIABLE,
    AgentResult,
    AttemptRecord,
    CheckResult,
    CheckStatus,
    FailureClass,
    Outcome,
    ProcessEnd,
    RunPlan,
    Verdict,
)
from prd_ralph.ports import AgentRequest, Candidate, LandingRefused, Ports, PromptContext
from prd_ralph.rules import Evidence, is_charged, judge, mark_of, with_mark
from prd_ralph.task import Task

_GUIDES = ("AGENTS.md", "CLAUDE.md")
COMMITS_SHOWN = 10
_FILES_SHOWN = 20
_TAIL_SHOWN = 2000


def attempt(ports: Ports, plan: RunPlan, task: Task) -> AttemptRecord:
    """Runs a fresh agent on the story, then finds out for itself what came of it."""
    prompt = _render(ports, plan, task)
    ports.workspace.begin(task.key)
    ports.stage("begun")
    try:
        agent = _run_agent(ports, plan, task, prompt)
    except RalphError:  # a full disk, records that cannot be written: the run ends here, and no agent's flag stands
        if ports.prd_file.read() != task.document.data:
            ports.prd_file.write(task.document.data, None)
        raise
    ports.stage("agent_ended")
    return conclude(ports, plan, task, agent)


def conclude(ports: Ports, plan: RunPlan, task: Task, agent: AgentResult | None) -> AttemptRecord:
    """Everything after the agent's end. `agent` None: it was killed with its run, and nothing is known of it."""
    data, tampered, head = guard(ports, task.key, task.document.data)
    task = replace(task, document=replace(task.document, data=data))
    ports.stage("guarded")

    def trial() -> Trial:
        candidate = _freeze(ports, task, head)
        results = () if _was_stopped(agent) else _verify(ports, plan, task, candidate)
        tried = Trial(candidate, results, _judge(plan, candidate, results, agent, tampered))
        return _as_it_would_land(ports, plan, task, tried)

    tried, commit = trial(), None
    _say(ports, task, tried.verdict)
    if tried.verdict.outcome is Outcome.PASSED:
        tried, commit = _land(ports, plan, task, tried, trial)
    if commit is None:
        stand_by(ports, task.key, data)
        ports.memory.append(ports.mask(entry(ports, task, tried)))
        ports.workspace.judged(unchecked=any(each.status is CheckStatus.INTERRUPTED for each in tried.results))
    return AttemptRecord(task.key, tried.verdict, tried.results, tried.candidate.paths, agent, commit)


@dataclass(frozen=True, slots=True)
class Trial:
    """A frozen candidate, what the commands said of it, and the verdict on both."""

    candidate: Candidate
    results: tuple[CheckResult, ...]
    verdict: Verdict


def _render(ports: Ports, plan: RunPlan, task: Task) -> Path:
    progress, patterns = ports.memory.recall()
    rendered = ports.prompts.render(
        PromptContext(
            prd=task.document.prd,
            story=task.story,
            checks=task.checks,
            attempt=task.charged + 1,
            max_attempts=plan.limits.attempts,
            last=task.last,
            progress=progress,
            patterns=patterns,
            commits=ports.workspace.recent_commits(COMMITS_SHOWN),
            guides=guides(ports.workspace.root),
        )
    )
    if rendered.warning:
        ports.emit(events.Warned(message=rendered.warning, story=task.story.id))
    prompt = task.folder / "prompt.md"
    prompt.write_text(ports.mask(rendered.text), encoding="utf-8", errors="surrogateescape")
    return prompt


def guides(root: Path) -> tuple[str, ...]:
    """The files at the project's root that tell agents how it is worked on."""
    return tuple(name for name in _GUIDES if (root / name).is_file())


def _run_agent(ports: Ports, plan: RunPlan, task: Task, prompt: Path) -> AgentResult:
    story, number = task.key.story, task.key.number
    size = prompt.stat().st_size
    ports.emit(
        events.AgentStarted(story=story, attempt=number, agent=task.agent.label, model=task.model, prompt_bytes=size)
    )
    result = task.agent.attempt(
        AgentRequest(
            prompt=prompt,
            cwd=ports.workspace.root,
            transcript=task.folder / "transcript.log",
            model=task.model,
            env=with_mark(ports.agent_env, mark_of(task.key)) | {STORY_VARIABLE: story},
            wall_s=task.wall_s,
            idle_s=plan.limits.idle_s,
            attempt=number,
        ),
        ports.watch,
    )
    process, tokens = result.process, result.tokens
    ports.emit(
        events.AgentFinished(
            story=story,
            attempt=number,
            end=process.end,
            exit_code=process.exit_code,
            duration_s=round(process.duration_s, 3),
            failure=result.failure,
            cost_usd=result.cost_usd,
            tokens_in=tokens.input if tokens else None,
            tokens_out=tokens.output if tokens else None,
            tokens_cached=tokens.cached if tokens else None,
            tool_calls=result.tool_calls,
            session=result.session,
            reset_at=result.reset_at,
            output_bytes=process.stdout_bytes,
            swept=process.swept,
            stuck=process.stuck,
            tail=last_words(result),
            error=result.error,
            hint=result.hint,
        )
    )
    for note in result.notes:
        ports.emit(events.Warned(message=note, story=story))
    refuse_full_disk(process)
    return result


def last_words(result: AgentResult) -> str:
    """What the agent said last; of one whose program failed what that said. Others have warnings on stderr at most."""
    process = result.process
    text = result.text.encode("utf-8", "replace")  # JSON can hold half of a surrogate pair
    failed = result.failure not in (None, FailureClass.NO_WORK, FailureClass.HANG)
    spoken = (process.stderr, text) if failed else (text, process.stderr)
    found = (excerpt(each, _TAIL_SHOWN) for each in spoken)
    return result.error or next(filter(str.strip, found), "") or process.error


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


def _verify(ports: Ports, plan: RunPlan, task: Task, candidate: Candidate) -> tuple[CheckResult, ...]:
    def report(result: CheckResult) -> None:
        ports.emit(
            events.CheckFinished(
                story=task.key.story,
                attempt=task.key.number,
                name=result.check.label,
                command=result.check.text,
                own=result.own,
                status=result.status,
                exit_code=result.exit_code,
                duration_s=round(result.duration_s, 3),
                suspect=result.suspect,
                excerpt=result.excerpt,
                hidden=result.check.hidden,
            )
        )

    try:
        results = run_checks(ports, plan, task.bench, task.checks, task.story.checks, report)
    finally:
        stand_by(ports, task.key, task.document.data)
    ports.workspace.restore(candidate)
    ports.stage("checked")
    return results


def _as_it_would_land(ports: Ports, plan: RunPlan, task: Task, tried: Trial) -> Trial:
    """Where a pass may rest on what the candidate leaves out (keys, large files), the commands run without that too."""
    if tried.verdict.outcome is not Outcome.PASSED:
        return tried
    if tried.candidate.unlandable:
        return _left_out(tried, tried.results, "no commit can hold", tried.candidate.unlandable)
    with ports.workspace.only_candidate() as hidden:
        if not hidden:
            return tried
        results = _verify(ports, plan, task, tried.candidate)
    if any(result.status is CheckStatus.INTERRUPTED for result in results):
        return Trial(tried.candidate, results, Verdict(Outcome.INTERRUPTED))
    if all(result.passed for result in results):
        return tried
    return _left_out(tried, results, "the commands pass only with files that no commit takes up", hidden)


def _left_out(tried: Trial, results: tuple[CheckResult, ...], why: str, paths: tuple[str, ...]) -> Trial:
    return Trial(tried.candidate, results, Verdict(Outcome.FAILED, "left_out", (f"{why}: {', '.join(paths)}",)))


def _judge(
    plan: RunPlan,
    candidate: Candidate,
    results: tuple[CheckResult, ...],
    agent: AgentResult | None,
    tampered: tuple[str, ...],
) -> Verdict:
    cut_short = any(result.status is CheckStatus.INTERRUPTED for result in results)
    return judge(
        Evidence(
            checks=results,
            changed=bool(candidate.paths),
            agent=agent,
            interrupted=_was_stopped(agent) or cut_short,
            tampered=bool(tampered),
            strict=plan.strict,
        )
    )


def _say(ports: Ports, task: Task, verdict: Verdict) -> None:
    ports.emit(
        events.Judged(
            story=task.key.story,
            attempt=task.key.number,
            outcome=verdict.outcome,
            reason=verdict.reason,
            charged=is_charged(verdict),
            duration_s=round(ports.clock.monotonic() - task.started, 3),
            warnings=verdict.warnings,
        )
    )
    ports.stage("judged")


def _land(
    ports: Ports, plan: RunPlan, task: Task, tried: Trial, again: Callable[[], Trial]
) -> tuple[Trial, str | None]:
    """The trial that counts in the end, and its commit, if it has one."""
    ports.memory.append(ports.mask(entry(ports, task, tried)))
    flipped = ports.prd_file.flipped(task.document.data, task.story.id, True)
    landed = land(ports, plan, task, tried.candidate, tried.results, flipped)
    if isinstance(landed, LandingRefused) and landed.changed:
        # A formatter, as a hook: what would land is no longer what was checked.
        tried = again()
        if tried.verdict.outcome is not Outcome.PASSED:
            _say(ports, task, tried.verdict)
            return tried, None
        landed = land(ports, plan, task, tried.candidate, tried.results, flipped)
    if isinstance(landed, LandingRefused):
        tried = replace(tried, verdict=verdict_of(landed, tried.candidate, task.last))
        ports.emit(events.LandFailed(story=task.key.story, attempt=task.key.number, text=landed.text))
        _say(ports, task, tried.verdict)
        return tried, None
    stand_by(ports, task.key, flipped)
    return tried, landed.commit


def _was_stopped(agent: AgentResult | None) -> bool:
    return agent is not None and agent.process.end is ProcessEnd.STOPPED


def entry(ports: Ports, task: Task, tried: Trial) -> str:
    """What `progress.txt` is told of an attempt: facts alone."""
    verdict = tried.verdict
    why = f" ({verdict.reason})" if verdict.reason else ""
    lines = [f"{ports.clock.now()} {task.story.id} attempt {task.key.number}: {verdict.outcome}{why}"]
    lines += [f"- {result.check.label}: {result.status}{_exit(result)}" for result in tried.results]
    if tried.candidate.paths:
        shown = ", ".join(tried.candidate.paths[:_FILES_SHOWN])
        more = len(tried.candidate.paths) - _FILES_SHOWN
        lines.append(f"- files: {shown}{f' and {more} more' if more > 0 else ''}")
    return "\n".join(lines)


def _exit(result: CheckResult) -> str:
    if result.check.hidden:
        return ""
    return f" (exit {result.exit_code})" if not result.passed and result.exit_code is not None else ""
