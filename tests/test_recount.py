"""A run that was started again has spent what it had: counted from its events as it was counted at first."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph import events
from prd_ralph.model import (
    AgentResult,
    AttemptKey,
    AttemptRecord,
    CheckStatus,
    FailureClass,
    Outcome,
    ProcessEnd,
    ProcessResult,
    Proof,
    Tokens,
    Verdict,
)
from prd_ralph.recount import attempts_of, respent
from prd_ralph.rules import is_charged
from prd_ralph.tally import Tally

RUN = "20310301T080000Z-4f2a"
FRESH = Tally(started=0.0, cap=23)
FAILURES = (None, *FailureClass)
COSTS = st.one_of(st.none(), st.integers(0, 100).map(lambda cents: cents / 4))


@dataclass(frozen=True, slots=True)
class Told:
    record: AttemptRecord

    @property
    def events(self) -> Iterator[events.RunEvent]:
        record = self.record
        of: dict[str, Any] = {"story": record.key.story, "attempt": record.key.number}
        agent, verdict = record.agent, record.verdict
        if agent:
            yield events.AgentStarted(**of, agent=f"{record.agent_name} 1.0", model=record.model, prompt_bytes=1)
            yield _finished(agent, of)
        yield events.CandidateFrozen(**of, tree=record.tree, files=record.files)
        yield events.Judged(
            **of,
            outcome=verdict.outcome,
            reason=verdict.reason,
            charged=is_charged(verdict),
            duration_s=1.0,
            suspects=verdict.suspects,
            proof=verdict.proof,
        )
        if record.commit:
            yield events.LandedEvent(**of, commit=record.commit, title="t", files=1)


def _finished(agent: AgentResult, of: dict[str, Any]) -> events.AgentFinished:
    return events.AgentFinished(
        **of,
        end=agent.process.end,
        exit_code=agent.process.exit_code,
        duration_s=agent.process.duration_s,
        failure=agent.failure,
        cost_usd=agent.cost_usd,
        tokens_in=agent.tokens.input if agent.tokens else None,
        tokens_out=agent.tokens.output if agent.tokens else None,
        output_bytes=0,
        swept=0,
        stuck=(),
        tail="",
        error=agent.error,
    )


@st.composite
def told(draw: st.DrawFn) -> list[Told]:
    found: list[Told] = []
    for number in range(1, draw(st.integers(0, 12)) + 1):
        agent = AgentResult(
            ProcessResult(ProcessEnd.EXITED, 1, draw(st.sampled_from((0.5, 60.0)))),
            failure=draw(st.sampled_from(FAILURES)),
            tokens=draw(st.sampled_from((None, Tokens(3, 4)))),
            cost_usd=draw(COSTS),
            error=draw(st.sampled_from(("", "what failed"))),
        )
        outcome = draw(st.sampled_from(Outcome))
        passed = outcome is Outcome.PASSED
        record = AttemptRecord(
            AttemptKey(RUN, draw(st.sampled_from(("A", "B", "C"))), number),
            Verdict(outcome, str(agent.failure or ""), proof=Proof.PROVED if passed else None),
            files=draw(st.sampled_from(((), ("a.txt",)))),
            agent=draw(st.sampled_from((agent, agent, None))),
            commit="c0ffee" if passed else None,
            tree="7ee",
            agent_name="claude",
            model="opus",
        )
        found.append(Told(record if record.agent else replace(record, agent_name="", model=None)))
    return found


def _of(tally: Tally) -> Tally:
    """All but what lies in the tree, which git alone can say."""
    return replace(tally, carried=None)


@given(told())
def test_it_is_as_if_the_run_had_never_ended(attempts: list[Told]) -> None:
    live = FRESH
    for each in attempts:
        live = live.after(each.record)
    assert respent(FRESH, RUN, [event for each in attempts for event in each.events], None) == _of(live)


@given(told(), st.data())
def test_cut_anywhere_every_start_counts_and_no_verdict_counts_before_it_was_told(
    attempts: list[Told], data: st.DataObject
) -> None:
    whole = [event for each in attempts for event in each.events]
    part = whole[: data.draw(st.integers(0, len(whole)))]
    tally = respent(FRESH, RUN, part, None)
    assert tally.iterations == sum(isinstance(event, events.AgentStarted) for event in part)
    assert sum(tally.charged.values()) == sum(isinstance(event, events.Judged) and event.charged for event in part)
    assert sum(map(len, tally.spending.starts.values())) == tally.iterations


OF: dict[str, Any] = {"story": "A", "attempt": 1}
STARTED = events.AgentStarted(**OF, agent="claude 2.1", model=None, prompt_bytes=1)
FAILED = events.Judged(**OF, outcome="failed", reason="", charged=True, duration_s=1.0)


def test_the_attempt_that_is_judged_again_is_charged_then() -> None:
    pending = respent(FRESH, RUN, [STARTED, FAILED], AttemptKey("another", "A", 1))
    assert (pending.iterations, pending.charged, pending.records) == (1, {"A": 0}, {})
    assert pending.spending.unpriced == 1
    assert respent(FRESH, RUN, [STARTED, FAILED], AttemptKey(RUN, "A", 2)).charged == {"A": 1}


def test_a_start_that_was_cut_off_counts_for_what_is_assumed() -> None:
    tally = respent(FRESH, RUN, [STARTED], None, 0.5)
    assert (tally.spending.cost_usd, tally.spending.estimated, tally.spending.unpriced) == (0.5, 1, 0)


def test_the_last_verdict_counts() -> None:
    again = replace(FAILED, outcome="interrupted", charged=False)
    assert respent(FRESH, RUN, [STARTED, FAILED, again], None).charged == {"A": 0}


def test_the_cap_is_the_one_that_was_announced() -> None:
    begun = events.RunStarted(
        prd="p", project="P", branch=None, base="b", agent="a", open=1, total=1, limits={"iterations": 7}
    )
    assert respent(FRESH, RUN, [begun, replace(begun, limits={"iterations": 9})], None).cap == 7
    assert respent(FRESH, RUN, [replace(begun, limits={})], None).cap == FRESH.cap


def test_what_commands_said_is_there_for_the_next_prompt_and_garbage_is_not() -> None:
    check = events.CheckFinished(
        **OF,
        name="t",
        command="make t",
        own=True,
        status="failed",
        exit_code=2,
        duration_s=1.0,
        suspect="",
        excerpt="E",
    )
    frozen = events.CandidateFrozen(**OF, tree="1", files=("a",))
    odd = replace(check, status="odd")
    (record,) = attempts_of(RUN, [STARTED, check, frozen, check, odd, FAILED])
    (result,) = record.checks
    assert (result.check.text, result.status, result.exit_code, result.excerpt) == (
        "make t",
        CheckStatus.FAILED,
        2,
        "E",
    )
    assert record.verdict.outcome is Outcome.FAILED
