"""One go at one story: prompt, agent, guard, candidate, checks, verdict, landing.

`conclude` is also where an attempt is taken up whose run was killed: from the agent's end on, nothing differs.
"""

from dataclasses import replace
from pathlib import Path

from prd_ralph import events
from prd_ralph.afterwards import after_landing
from prd_ralph.asking import SAID
from prd_ralph.checks import refuse_full_disk
from prd_ralph.errors import RalphError
from prd_ralph.excerpt import excerpt
from prd_ralph.guard import guard, stand_by
from prd_ralph.known import Landing
from prd_ralph.landing import land, verdict_of
from prd_ralph.lookout import Lookout
from prd_ralph.model import (
    STORY_VARIABLE,
    AgentResult,
    AttemptRecord,
    CheckResult,
    CheckStatus,
    FailureClass,
    Need,
    RunPlan,
    Verdict,
)
from prd_ralph.nowhere import listen
from prd_ralph.ports import AgentRequest, LandingRefused, Ports, PromptContext
from prd_ralph.prices import cost_of, price_of
from prd_ralph.proposing import propose
from prd_ralph.rules import is_charged, mark_of, with_mark
from prd_ralph.steering import compact_memory, look_at_template, take_context
from prd_ralph.task import Task
from prd_ralph.trial import Found, Trial, try_candidate

_GUIDES = ("AGENTS.md", "CLAUDE.md")
COMMITS_SHOWN = 10
PROMPT = "prompt.md"
_FILES_SHOWN = 20
_TAIL_SHOWN = 2000


def attempt(ports: Ports, plan: RunPlan, task: Task) -> AttemptRecord:
    """Runs a fresh agent on the story, then finds out for itself what came of it."""
    prompt = _render(ports, plan, task)
    task = replace(task, prompt=prompt.read_text(encoding="utf-8", errors="surrogateescape"))
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


def pass_unworked(ports: Ports, plan: RunPlan, task: Task) -> AttemptRecord:
    """The story's commands are green already: it is judged as it stands, by no agent's work."""
    message = "its commands are green already: no agent is started for it, and a pass will be unproven"
    ports.emit(events.Warned(message=message, story=task.story.id))
    ports.workspace.begin(task.key)
    ports.stage("begun")
    return conclude(ports, plan, replace(task, agent=None, agent_name="", model=None), None)


def conclude(ports: Ports, plan: RunPlan, task: Task, agent: AgentResult | None) -> AttemptRecord:
    """Everything after the agent's end. `agent` None: it was killed with its run, and nothing is known of it."""
    data, tampered, head, added = guard(ports, task.key, task.document.data)
    proposed = propose(ports, task.key, added, agent, task.folder / PROMPT)
    task = replace(task, document=replace(task.document, data=data))
    ports.stage("guarded")
    found = Found(agent, tampered, head)
    tried, commit = try_candidate(ports, plan, task, found), None
    need = listen(ports, task, agent, tried.verdict)
    _say(ports, task, tried.verdict)
    if tried.passed:
        tried, commit = _land(ports, plan, task, tried, found)
    if commit is None:
        stand_by(ports, task.key, data)
        ports.memory.append(ports.mask(entry(ports, task, tried, need)))
        ports.workspace.judged(unchecked=any(each.status is CheckStatus.INTERRUPTED for each in tried.results))
    return AttemptRecord(
        key=task.key,
        verdict=tried.verdict,
        checks=tried.results,
        files=tried.candidate.paths,
        agent=agent,
        commit=commit,
        tree=tried.candidate.tree,
        agent_name=task.agent_name,
        model=task.model,
        need=need,
        proposed=proposed,
    )


def _render(ports: Ports, plan: RunPlan, task: Task) -> Path:
    compact_memory(ports)
    look_at_template(ports, task.key)
    context, (progress, patterns) = ports.context.read(), ports.memory.recall()
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
            stall=task.stall,
            nonce=task.nonce,
            context=context,
        )
    )
    if rendered.warning:
        ports.emit(events.Warned(message=rendered.warning, story=task.story.id))
    prompt = task.folder / PROMPT
    prompt.write_text(ports.mask(rendered.text), encoding="utf-8", errors="surrogateescape")
    take_context(ports, task.key, context, rendered)
    return prompt


def guides(root: Path) -> tuple[str, ...]:
    """The files at the project's root that tell agents how it is worked on."""
    return tuple(name for name in _GUIDES if (root / name).is_file())


def _run_agent(ports: Ports, plan: RunPlan, task: Task, prompt: Path) -> AgentResult:
    assert task.agent is not None, "an attempt has an agent"
    story, number = task.key.story, task.key.number
    size = prompt.stat().st_size
    ports.emit(
        events.AgentStarted(story=story, attempt=number, agent=task.agent.label, model=task.model, prompt_bytes=size)
    )
    lookout = Lookout(ports, plan, task.key)
    result = task.agent.attempt(
        AgentRequest(
            prompt=prompt,
            cwd=ports.workspace.root,
            transcript=task.folder / "transcript.log",
            model=task.model,
            env=with_mark(ports.agent_env, mark_of(task.key)) | {STORY_VARIABLE: story},
            wall_s=min(task.wall_s, task.bench.ends - ports.clock.monotonic()),
            idle_s=plan.limits.idle_s,
            attempt=number,
        ),
        lookout,
    )
    result = _with_cost(plan, task, lookout.told(result))
    look_at_template(ports, task.key, worked=True)
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
            cost_source=result.cost_source,
            model=result.model,
        )
    )
    for note in result.notes:
        ports.emit(events.Warned(message=note, story=story))
    refuse_full_disk(process)
    return result


def _with_cost(plan: RunPlan, task: Task, result: AgentResult) -> AgentResult:
    """With what it cost, as far as that can be known: an agent that names its model ran with that one."""
    price = price_of(result.model or task.model, plan.prices)
    cost, source = cost_of(result.cost_usd, result.tokens, price, plan.assume_cost_usd)
    return replace(result, cost_usd=cost, cost_source=source)


def last_words(result: AgentResult) -> str:
    """What the agent said last; of one whose program failed what that said. Others have warnings on stderr at most."""
    process = result.process
    text = result.text.encode("utf-8", "replace")  # JSON can hold half of a surrogate pair
    failed = result.failure not in (None, FailureClass.NO_WORK, FailureClass.HANG)
    spoken = (process.stderr, text) if failed else (text, process.stderr)
    found = (excerpt(each, _TAIL_SHOWN) for each in spoken)
    return result.error or next(filter(str.strip, found), "") or process.error


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
            suspects=verdict.suspects,
            proof=verdict.proof,
        )
    )
    ports.stage("judged")


def _land(ports: Ports, plan: RunPlan, task: Task, tried: Trial, found: Found) -> tuple[Trial, str | None]:
    """The trial that counts in the end, and its commit, if it has one."""
    ports.memory.append(ports.mask(entry(ports, task, tried)))
    flipped = ports.prd_file.flipped(task.document.data, task.story.id, True)
    landed = land(ports, plan, task, tried, flipped)
    if isinstance(landed, LandingRefused) and landed.changed:
        # A formatter, as a hook: what would land is no longer what was checked.
        tried = try_candidate(ports, plan, task, found)
        if not tried.passed:
            _say(ports, task, tried.verdict)
            return tried, None
        landed = land(ports, plan, task, tried, flipped)
    if isinstance(landed, LandingRefused):
        tried = replace(tried, verdict=verdict_of(landed, tried.candidate, task.last))
        ports.emit(events.LandFailed(story=task.key.story, attempt=task.key.number, text=landed.text))
        _say(ports, task, tried.verdict)
        return tried, None
    stand_by(ports, task.key, flipped)
    content = ports.workspace.content(tried.candidate.tree)
    task.known.landings.append(Landing(task.story.id, landed.commit, content))
    after_landing(ports, plan, task, landed.commit, flipped)
    return tried, landed.commit


def entry(ports: Ports, task: Task, tried: Trial, need: Need | None = None) -> str:
    """What `progress.txt` is told of an attempt: facts alone."""
    verdict = tried.verdict
    why = f" ({verdict.reason})" if verdict.reason else ""
    lines = [f"{ports.clock.now()} {task.story.id} attempt {task.key.number}: {verdict.outcome}{why}"]
    shown = [result for result in tried.results if not result.check.hidden]
    lines += [f"- {result.check.label}{_whose(result)}: {result.status}{_exit(result)}" for result in shown]
    if hidden := [result for result in tried.results if result.check.hidden]:
        lines.append(f"- hidden checks: {sum(not result.passed for result in hidden)} of {len(hidden)} failed")
    lines += [f"- suspect: {suspect}" for suspect in verdict.suspects]
    if need:
        lines.append(f"- {SAID[need.what]}: {need.text}")
    if tried.candidate.paths:
        files = ", ".join(tried.candidate.paths[:_FILES_SHOWN])
        more = len(tried.candidate.paths) - _FILES_SHOWN
        lines.append(f"- files: {files}{f' and {more} more' if more > 0 else ''}")
    return "\n".join(lines)


def _exit(result: CheckResult) -> str:
    return f" (exit {result.exit_code})" if not result.passed and result.exit_code is not None else ""


def _whose(result: CheckResult) -> str:
    return f" (of {', '.join(result.stories)})" if result.stories else ""
