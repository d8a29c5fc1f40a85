"""A run's ledger, line by line, into what is known of the run. Holds what a report shows, not the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from prd_ralph import events
from prd_ralph.events import RunEvent, StoryEvent
from prd_ralph.excerpt import cut
from prd_ralph.facts.attempts import EXCERPT_KEPT, FILES_KEPT, TEXTS_KEPT, AttemptFacts, CheckFacts
from prd_ralph.facts.runs import WARNINGS_KEPT, RegressionFacts, RunFacts, WaitFacts
from prd_ralph.model import StoryState
from prd_ralph.wording.phrases import after_landing, asked, repeated, stalled

_TEXT_KEPT = 1000


class RunFold:
    """Takes a ledger's records one after another; `run` is what they tell so far.

    A line that is no event of ours costs that line alone (`unreadable`): a torn one, another version's, an agent's.
    """

    def __init__(self, run_id: str) -> None:
        self._run = RunFacts(run_id)
        self._attempts: dict[tuple[str, int], AttemptFacts] = {}
        self._waits: list[WaitFacts] = []
        self._warnings: dict[str, None] = {}

    @classmethod
    def of(cls, run_id: str, records: Iterable[Mapping[str, Any] | None]) -> "RunFold":
        """Of a whole ledger; None stands for a line that could not be read."""
        fold = cls(run_id)
        for record in records:
            fold.add(record)
        return fold

    @property
    def run(self) -> RunFacts:
        # An attempt of an earlier run may be in here by no more than that its work was taken out of the way.
        told = (each for each in self._attempts.values() if each.started or each.outcome or each.iteration)
        return replace(
            self._run, attempts=tuple(told), waits=tuple(self._waits), warnings=tuple(self._warnings)[-WARNINGS_KEPT:]
        )

    def add(self, record: Mapping[str, Any] | None) -> None:
        """Takes the next record."""
        event = events.from_record(record) if record is not None else None
        if record is None or event is None:
            self._run = replace(self._run, unreadable=self._run.unreadable + 1)
            return
        at = str(record["at"])
        if self._waits and not self._waits[-1].over:
            self._waits[-1] = _waited(self._waits[-1], at)
        self._run = replace(_after(self._run, event, at), at=at)
        match event:
            case events.Waiting():
                self._waits.append(WaitFacts(at, event.seconds, event.reason, event.agents, event.until))
            case events.Warned():
                self._warn(event.message)
            case StoryEvent():
                key = (event.story, event.attempt)
                before = self._attempts.get(key) or AttemptFacts(self._run.id, event.story, event.attempt, at)
                self._attempts[key] = _told(before, event, at)
            case _:
                pass

    def _warn(self, message: str) -> None:
        self._warnings.setdefault(cut(message, _TEXT_KEPT))
        if len(self._warnings) > 2 * WARNINGS_KEPT:
            self._warnings = dict.fromkeys(tuple(self._warnings)[-WARNINGS_KEPT:])


def _after(run: RunFacts, event: RunEvent, at: str) -> RunFacts:
    match event:
        case events.RunStarted():
            limit = event.limits.get("attempts")
            return replace(
                run,
                began=run.began or at,
                prd=event.prd,
                project=event.project,
                branch=event.branch,
                agent=event.agent,
                base=event.base,
                total=event.total,
                passed_before=sum(story.get("state") == StoryState.PASSES for story in event.stories),
                max_attempts=int(limit) if limit else None,
                worktree=event.worktree,
            )
        case events.Restarted():
            return replace(run, restarts=event.times)
        case events.Verified():
            return replace(run, verified=(event.commands, event.ran, event.red))
        case events.Regressed():
            return replace(run, regressions=(*run.regressions, _regression(event)))
        case events.RunFinished():
            return replace(
                run,
                ended=at,
                stop=event.stop,
                exit=event.exit,
                reason=event.reason,
                hint=event.hint,
                duration_s=event.duration_s,
                waited_s=event.waited_s,
                branch=event.branch or run.branch,
            )
        case _:
            return run if run.began else replace(run, began=at)


def _told(attempt: AttemptFacts, event: StoryEvent, at: str) -> AttemptFacts:
    """The attempt with what the event says of it."""
    match event:
        case events.IterationStarted():
            return replace(attempt, began=at, title=event.title, iteration=event.iteration)
        case events.BaselineFinished():
            return replace(attempt, baseline_red=event.red[:TEXTS_KEPT])
        case events.AgentStarted():
            return replace(attempt, agent=event.agent, model=event.model)
        case events.AgentFinished():
            return _agent_ended(attempt, event)
        case events.CandidateFrozen():
            # The commands may run once more, on what would land: these are the ones that count.
            names, left_out = event.files[:FILES_KEPT], event.left_out[:FILES_KEPT]
            return replace(attempt, files=names, file_count=len(event.files), left_out=left_out, checks=())
        case events.CheckFinished():
            return replace(attempt, checks=(*attempt.checks, _check(event)))
        case events.Judged():
            return replace(
                attempt,
                outcome=event.outcome,
                reason=event.reason,
                charged=event.charged,
                proof=event.proof,
                warnings=_some(event.warnings),
                suspects=_some(event.suspects),
                duration_s=event.duration_s,
                ended=at,
            )
        case events.LandedEvent():
            return replace(attempt, commit=event.commit, title=attempt.title or event.title)
        case events.LandFailed():
            return replace(attempt, land_error=cut(event.text, EXCERPT_KEPT))
        case events.SetAside():
            return replace(attempt, set_aside=event.ref)
        case _:
            return _odd(attempt, event)


def _odd(attempt: AttemptFacts, event: StoryEvent) -> AttemptFacts:
    """What should not be, and what agents wish for."""
    match event:
        case events.Tampered():
            return replace(attempt, tampered=_some((*attempt.tampered, *event.what)))
        case events.Proposed():
            titles = tuple(str(story.get("title", "")) for story in event.stories)
            return replace(attempt, proposed=_some((*attempt.proposed, *titles)))
        case events.Asked():
            return replace(attempt, asked=_some((*attempt.asked, asked(event))))
        case events.Repeated():
            return replace(attempt, repeated=_some((*attempt.repeated, repeated(event))))
        case events.Stalled():
            return replace(attempt, stalled=_some((*attempt.stalled, stalled(event))))
        case events.AfterLanding():
            return replace(attempt, after=_some((*attempt.after, after_landing(event)))) if event.error else attempt
        case _:
            return attempt


def _agent_ended(attempt: AttemptFacts, event: events.AgentFinished) -> AttemptFacts:
    return replace(
        attempt,
        model=event.model or attempt.model,
        agent_end=event.end,
        exit_code=event.exit_code,
        failure=event.failure,
        error=cut(event.error, _TEXT_KEPT),
        agent_s=event.duration_s,
        tail=event.tail[-_TEXT_KEPT:],
        cost_usd=event.cost_usd if event.cost_usd is not None and event.cost_usd >= 0 else None,
        cost_source=event.cost_source,
        tokens_in=event.tokens_in,
        tokens_out=event.tokens_out,
        tokens_cached=event.tokens_cached,
    )


def _check(event: events.CheckFinished) -> CheckFacts:
    return CheckFacts(
        name=event.name,
        command=cut(event.command, _TEXT_KEPT),
        own=event.own,
        status=event.status,
        exit_code=event.exit_code,
        duration_s=event.duration_s,
        suspect=event.suspect,
        excerpt="" if event.status == "passed" else event.excerpt[:EXCERPT_KEPT],
        stories=event.stories,
        hidden=event.hidden,
        log=event.log,
    )


def _regression(event: events.Regressed) -> RegressionFacts:
    return RegressionFacts(
        stories=event.stories,
        name=event.name,
        command=event.command,
        status=event.status,
        exit_code=event.exit_code,
        excerpt=event.excerpt[:EXCERPT_KEPT],
        landings=event.landings,
    )


def _waited(wait: WaitFacts, now: str) -> WaitFacts:
    """As long as until the next event, where the clock is of use; it may have been set back."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(wait.at)).total_seconds()
    except (ValueError, TypeError):
        seconds = wait.seconds
    return replace(wait, seconds=max(0.0, seconds), over=True)


def _some(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cut(text, _TEXT_KEPT) for text in texts[:TEXTS_KEPT])
