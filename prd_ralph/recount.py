"""What a run has done and spent, from its own events: for one that was killed and started again in the midst of it.

A new run has fresh budgets. One that was started again has what is left of them, or no cap would hold over a kill: so
its attempts are counted once more, by the very rules that counted them first.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from prd_ralph import events
from prd_ralph.model import (
    AgentResult,
    AttemptKey,
    AttemptRecord,
    Check,
    CheckResult,
    CheckStatus,
    CostSource,
    FailureClass,
    Outcome,
    ProcessEnd,
    ProcessResult,
    Proof,
    Tokens,
    Verdict,
)
from prd_ralph.tally import Tally

_CUT_OFF = Verdict(Outcome.INTERRUPTED, "prd-ralph was killed during this attempt")
_KILLED = AgentResult(ProcessResult(ProcessEnd.LOST, None, 0.0))


def respent(
    tally: Tally,
    run: str,
    told: Iterable[events.RunEvent],
    pending: AttemptKey | None,
    assumed: float | None = None,
) -> Tally:
    """`tally`, that of a run's start, with all that the run's events tell. Every start of an agent counts, and one that
    did not come to its end cost nobody knows what: `assumed`, where that is given (US dollars).

    `pending`: the attempt that is going to be judged, or judged again; its verdict will count then.
    """
    told = tuple(told)
    started = next((event for event in told if isinstance(event, events.RunStarted)), None)
    if started is not None and (cap := started.limits.get("iterations")):
        tally = replace(tally, cap=int(cap))
    for record in attempts_of(run, told):
        record, key = _with_cost(record, assumed), record.key
        if pending is not None and (key.story, key.number) == (pending.story, pending.number):
            tally = replace(tally.after(replace(record, verdict=_CUT_OFF)), records=tally.records)
        else:
            tally = tally.after(record)
    return replace(tally, carried=None)


def attempts_of(run: str, told: Iterable[events.RunEvent]) -> tuple[AttemptRecord, ...]:
    """The attempts that events tell of, in the order in which they began; of each the last verdict."""
    found: dict[tuple[str, int], AttemptRecord] = {}
    for event in told:
        if isinstance(event, events.StoryEvent):
            place = (event.story, event.attempt)
            before = found.get(place) or AttemptRecord(AttemptKey(run, *place), _CUT_OFF)
            with suppress(ValueError):  # a word that we never wrote: an agent reaches the ledger too
                found[place] = _after(before, event)
    return tuple(record for record in found.values() if record.agent or record.verdict is not _CUT_OFF)


def _with_cost(record: AttemptRecord, assumed: float | None) -> AttemptRecord:
    if record.agent is not _KILLED or assumed is None:
        return record
    return replace(record, agent=replace(_KILLED, cost_usd=assumed, cost_source=CostSource.ASSUMED))


def _after(record: AttemptRecord, event: events.StoryEvent) -> AttemptRecord:
    match event:
        case events.AgentStarted():
            return replace(record, agent=_KILLED, agent_name=event.agent.partition(" ")[0], model=event.model)
        case events.AgentFinished():
            return replace(record, agent=_agent(event))
        case events.CandidateFrozen():
            return replace(record, files=tuple(event.files), tree=event.tree, checks=())
        case events.CheckFinished():
            return replace(record, checks=(*record.checks, _check(event)))
        case events.Judged():
            return replace(record, verdict=_verdict(event))
        case events.LandedEvent():
            return replace(record, commit=event.commit)
        case _:
            return record


def _agent(event: events.AgentFinished) -> AgentResult:
    counted = event.tokens_in is not None or event.tokens_out is not None
    return AgentResult(
        process=ProcessResult(ProcessEnd(event.end), event.exit_code, event.duration_s),
        text=event.tail,
        failure=FailureClass(event.failure) if event.failure else None,
        tokens=Tokens(event.tokens_in or 0, event.tokens_out or 0, event.tokens_cached or 0) if counted else None,
        cost_usd=event.cost_usd,
        session=event.session,
        reset_at=event.reset_at,
        tool_calls=event.tool_calls,
        error=event.error,
        hint=event.hint,
        model=event.model,
        cost_source=CostSource(event.cost_source) if event.cost_source else None,
    )


def _check(event: events.CheckFinished) -> CheckResult:
    return CheckResult(
        check=Check(event.command, event.name, hidden=event.hidden),
        own=event.own,
        status=CheckStatus(event.status),
        exit_code=event.exit_code,
        duration_s=event.duration_s,
        suspect=event.suspect,
        excerpt=event.excerpt,
        stories=tuple(event.stories),
    )


def _verdict(event: events.Judged) -> Verdict:
    return Verdict(
        Outcome(event.outcome),
        event.reason,
        tuple(event.warnings),
        tuple(event.suspects),
        Proof(event.proof) if event.proof else None,
    )
