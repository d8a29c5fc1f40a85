"""What is done about attempts that get nowhere: the same failure again, an agent that cannot start, one that is stuck.

It decides how a run goes on, never what an attempt is worth. All of it is the run's: the next run starts afresh.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from prd_ralph import events
from prd_ralph.asking import SAID, STUCK_TOLD, need_of
from prd_ralph.excerpt import excerpt
from prd_ralph.model import AgentResult, AttemptRecord, Need, Outcome, Prd, RunPlan, StopReason, Verdict
from prd_ralph.patterns import Patterns
from prd_ralph.ports import Ports
from prd_ralph.rules import FAILING_STARTS, describe_end, is_charged
from prd_ralph.stalls import Stall, Streak, answer, failing, named_files
from prd_ralph.tally import Tally
from prd_ralph.task import Task
from prd_ralph.waiting import has_further_model

_NAMED = 10
_NAME_LIMIT = 255


def listen(ports: Ports, task: Task, agent: AgentResult | None, verdict: Verdict) -> Need | None:
    """What the agent's last words want of a person, told to whoever looks on. The verdict stands by then."""
    need = need_of(agent.text, task.prompt, task.nonce) if agent else None
    if need is None:
        return None
    story, stuck = task.key.story, need.what == "stuck"
    if verdict.outcome is Outcome.PASSED:
        if stuck:
            message = f"the agent says that it is stuck ({need.text}), yet every command passes"
            ports.emit(events.Warned(message=message, story=story))
        return None
    if not is_charged(verdict) or not (stuck or verdict.outcome in (Outcome.FAILED, Outcome.NO_CHANGE)):
        return None
    times = task.stuck + 1 if stuck else 1
    ports.emit(events.Asked(story=story, attempt=task.key.number, what=need.what, text=need.text, times=times))
    return need


def heed(ports: Ports, plan: RunPlan, task: Task, tally: Tally) -> Tally:
    """The tally after the task's attempt, with what follows from it for the run beyond its verdict."""
    story = task.story.id
    record = tally.records[story]
    if tally.failing_starts >= FAILING_STARTS and tally.fatal is None and record.agent:
        why = f"{FAILING_STARTS} starts in a row failed at once: {_said(record.agent)}"
        return replace(tally, fatal=StopReason.AGENT_FAILING, why=why)
    if record.commit or not is_charged(record.verdict):
        return tally
    if record.need and record.need.what == "stuck":
        tally = replace(tally, stuck={**tally.stuck, story: tally.stuck.get(story, 0) + 1})
        if tally.stuck[story] >= STUCK_TOLD:
            return given_up(tally, story, said_stuck(record.need.text))
    return _meet_stall(ports, plan, task, tally, record)


def _meet_stall(ports: Ports, plan: RunPlan, task: Task, tally: Tally, record: AttemptRecord) -> Tally:
    story = task.story.id
    streak = tally.streaks.get(story, Streak()).after(record)
    given, used = answer(streak, plan, has_further_model(ports, plan, task.story, tally, record.model))
    streak = replace(streak, answered=used)
    if streak.told or given == "tell":
        streak = replace(streak, told=Stall(streak.times, record.files, _untouched(ports, plan, task, record)))
    tally = replace(tally, streaks={**tally.streaks, story: streak})
    if not given or (given in ("tell", "escalate") and tally.charged[story] >= plan.limits.attempts):
        return tally  # nobody would be told, no other model would be asked
    ports.emit(
        events.Stalled(
            story=story,
            attempt=task.key.number,
            times=streak.times,
            answer=given,
            commands=failing(record.checks),
        )
    )
    match given:
        case "escalate":
            return replace(tally, escalated={**tally.escalated, story: tally.escalated.get(story, 0) + 1})
        case "set_aside":
            return given_up(tally, story, stalled(streak.times))
        case "stop":
            why = f"{story} is {stalled(streak.times)}"
            return replace(tally, fatal=StopReason.AGENT_FAILING, why=why, hint="on_stall says what is done at a stall")
        case _:
            return tally


def given_up(tally: Tally, story: str, why: str) -> Tally:
    """With a story at which nothing more is tried in this run."""
    return replace(tally, given_up={**tally.given_up, story: why})


def said_stuck(reason: str) -> str:
    """Why a story is given up whose agents say that they are stuck."""
    return f"{SAID['stuck']}: {reason}"


def stalled(times: int) -> str:
    """Why a story is given up whose last attempts were so many times alike."""
    return f"stalled: the same failure {times} times"


def _untouched(ports: Ports, plan: RunPlan, task: Task, record: AttemptRecord) -> tuple[str, ...]:
    """What there is of the files that the failing output names, less those that the agent may not change."""
    root = ports.workspace.root
    own = {plan.prd, str(Path(plan.prd).with_name("progress.txt"))}
    held = _protected(task.document.prd)

    def found() -> Iterator[str]:
        for name in named_files(record, str(root)):
            short = all(len(part.encode()) <= _NAME_LIMIT for part in name.split("/"))
            if short and name not in own and not held.match(name) and (root / name).is_file():
                yield name

    return tuple(islice(found(), _NAMED))


def _protected(prd: Prd) -> Patterns:
    return Patterns(() if prd.protect == "auto" else prd.protect)


def _said(agent: AgentResult) -> str:
    """The last line of what an agent that failed said; how it ended, where that is nothing."""
    spoken = (excerpt(agent.process.stderr), excerpt(agent.text.encode("utf-8", "replace")), agent.process.error)
    lines = (text.strip().rpartition("\n")[2] for text in (agent.error, *spoken))
    return next(filter(None, lines), "") or describe_end(agent)
