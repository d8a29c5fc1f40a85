"""What the board knows: one frozen value, folded from a run's events and what its agents are seen to do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from prd_ralph import events
from prd_ralph.asking import STUCK_TOLD
from prd_ralph.model import AgentAction, StoryState, Tokens
from prd_ralph.wording.phrases import asked, listed, repeated, stalled
from prd_ralph.wording.spent import Spent

ACTIONS_KEPT = 100
TEXT_KEPT = 1000
WARNINGS_KEPT = 50


@dataclass(frozen=True, slots=True)
class StoryLine:
    """Where a story stands. `waits_for`: the stories that it depends on; `attempts`: those of this run."""

    id: str
    title: str
    state: str
    reason: str = ""
    waits_for: tuple[str, ...] = ()
    attempts: int = 0
    outcome: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """The attempt that goes on, or was the last. `iteration` is 0 for work that a start took up."""

    story: str
    number: int
    began: float
    title: str = ""
    iteration: int = 0
    cap: int = 0
    charged: int = 0
    max_attempts: int = 0
    agent: str = ""
    actions: tuple[AgentAction, ...] = ()
    spent: Tokens | None = None
    ended: events.AgentFinished | None = None
    checks: tuple[events.CheckFinished, ...] = ()
    judged: events.Judged | None = None
    commit: str = ""
    over: float | None = None


@dataclass(frozen=True, slots=True)
class Caution:
    """`story` is "" for what concerns the run."""

    story: str
    message: str


@dataclass(frozen=True, slots=True)
class Hint:
    """What the person can do now; an urgent one is shown whatever else there is."""

    text: str = ""
    urgent: bool = False


NO_HINT = Hint()


@dataclass(frozen=True, slots=True)
class BoardState:
    """All that is shown of a run. Times are seconds of whatever clock the fold is told.

    `warnings` holds each one once, the newest last; `forgotten` counts those that are no longer held. `waits`: that
    no agent can be had now, and `waits_until` when that ends.
    """

    run: events.RunStarted | None = None
    began: float = 0.0
    stories: Mapping[str, StoryLine] = field(default_factory=dict)
    attempt: AttemptLine | None = None
    warnings: tuple[Caution, ...] = ()
    forgotten: int = 0
    spent: Spent = field(default_factory=Spent)
    waits: events.Waiting | None = None
    waits_until: float = 0.0

    def after(self, event: events.RunEvent, at: float) -> "BoardState":
        """With what the event says."""
        match event:
            case events.RunStarted():
                return BoardState(event, at, {line.id: line for line in map(_story_line, event.stories)})
            case events.IterationStarted():
                return self._iterating(event, at)
            case events.Waiting():
                return replace(self, waits=event, waits_until=at + event.seconds)
            case events.Warned():
                return self._warned([event.message], event.story or "")
            case events.SetAside():
                return self
            case events.StoryEvent():
                return self._at(event, at)._told(event, at)
            case _:
                return self

    def seen(self, action: AgentAction) -> "BoardState":
        """With one more thing that the agent was seen to do; of a long text the beginning is kept."""
        if self.attempt is None:
            return self
        kept = replace(action, text=action.text[:TEXT_KEPT], call=None)
        actions = (*self.attempt.actions[1 - ACTIONS_KEPT :], kept) if action.text else self.attempt.actions
        return replace(self, attempt=replace(self.attempt, actions=actions, spent=action.spent or self.attempt.spent))

    def _iterating(self, event: events.IterationStarted, at: float) -> "BoardState":
        attempt = AttemptLine(
            story=event.story,
            number=event.attempt,
            began=at,
            title=event.title,
            iteration=event.iteration,
            cap=event.cap,
            charged=event.charged,
            max_attempts=event.max_attempts,
        )
        line = self.stories.get(event.story) or StoryLine(event.story, event.title, StoryState.READY)
        tried = replace(line, state=str(StoryState.READY), reason="", outcome="", attempts=line.attempts + 1)
        return replace(self, attempt=attempt, waits=None)._with_story(tried)

    def _at(self, event: events.StoryEvent, at: float) -> "BoardState":
        """At the event's attempt, which is another one than the last where a start takes up what was left."""
        current = self.attempt
        if current is not None and (current.story, current.number) == (event.story, event.attempt):
            return self
        line = self.stories.get(event.story)
        return replace(self, attempt=AttemptLine(event.story, event.attempt, at, line.title if line else ""))

    def _told(self, event: events.StoryEvent, at: float) -> "BoardState":
        attempt = self.attempt
        assert attempt is not None, "an event of an attempt is told after `_at`"
        match event:
            case events.AgentStarted():
                return replace(self, attempt=replace(attempt, agent=event.agent))
            case events.AgentFinished():
                stuck = [f"could not be ended: pid {', '.join(map(str, event.stuck))}"] if event.stuck else []
                ended = replace(self, attempt=replace(attempt, ended=event, spent=None), spent=self.spent.plus(event))
                return ended._warned(stuck, event.story)
            case events.Repeated():
                return self._warned([repeated(event)], event.story)
            case events.Tampered():
                return self._warned(_any("tampered, put back", event.what), event.story)
            case events.CandidateFrozen():
                # The commands may run once more, on what would land: these are the ones that count.
                frozen = replace(self, attempt=replace(attempt, checks=()))
                return frozen._warned(_any("left out of the commit", event.left_out), event.story)
            case events.CheckFinished():
                return replace(self, attempt=replace(attempt, checks=(*attempt.checks, event)))
            case events.Judged():
                return self._judged(attempt, event, at)
            case events.LandedEvent():
                return self._landed(attempt, event)
            case events.Asked():
                return self._asked(event)
            case events.Stalled():
                return self._stalled(event)
            case events.LandFailed():
                return self._warned(["no commit was made, the work is kept"], event.story)
            case _:
                return self

    def _judged(self, attempt: AttemptLine, event: events.Judged, at: float) -> "BoardState":
        judged = replace(self, attempt=replace(attempt, judged=event, over=at))
        line = self.stories.get(event.story)
        if line is None:
            return judged._warned(event.warnings, event.story)
        used_up = event.outcome != "passed" and event.charged and 0 < attempt.max_attempts <= attempt.charged + 1
        state = str(StoryState.EXHAUSTED) if used_up else line.state
        return judged._with_story(replace(line, state=state, outcome=event.outcome))._warned(
            event.warnings, event.story
        )

    def _asked(self, event: events.Asked) -> "BoardState":
        warned = self._warned([asked(event)], event.story)
        return warned._given_up(event.story, "stuck") if event.times >= STUCK_TOLD else warned

    def _stalled(self, event: events.Stalled) -> "BoardState":
        warned = self._warned([stalled(event)], event.story)
        return warned._given_up(event.story, "stalled") if event.answer == "set_aside" else warned

    def _given_up(self, story: str, why: str) -> "BoardState":
        line = self.stories.get(story)
        return self._with_story(replace(line, state=str(StoryState.EXHAUSTED), reason=why)) if line else self

    def _landed(self, attempt: AttemptLine, event: events.LandedEvent) -> "BoardState":
        line = self.stories.get(event.story) or StoryLine(event.story, event.title, "")
        landed = replace(line, state=str(StoryState.PASSES), reason="", outcome="passed", commit=event.commit)
        stories = {**self.stories, event.story: landed}
        waiting = [each for each in stories.values() if event.story in each.waits_for]
        stories.update({each.id: _unless_freed(each, stories) for each in waiting})
        return replace(self, attempt=replace(attempt, commit=event.commit), stories=stories)

    def _with_story(self, line: StoryLine) -> "BoardState":
        return replace(self, stories={**self.stories, line.id: line})

    def _warned(self, messages: Iterable[str], story: str = "") -> "BoardState":
        given = dict.fromkeys((*self.warnings, *(Caution(story, message[:TEXT_KEPT]) for message in messages)))
        kept = tuple(given)[-WARNINGS_KEPT:]
        return replace(self, warnings=kept, forgotten=self.forgotten + len(given) - len(kept))


def _story_line(told: Mapping[str, Any]) -> StoryLine:
    """A story of `run_started`, as far as it tells what it should: a ledger may hold anything."""
    waits = told.get("waits_for")
    return StoryLine(
        id=str(told.get("id", "")),
        title=str(told.get("title", "")),
        state=str(told.get("state", "")),
        reason=str(told.get("reason") or ""),
        waits_for=tuple(map(str, waits)) if isinstance(waits, list | tuple) else (),
    )


def _unless_freed(line: StoryLine, stories: Mapping[str, StoryLine]) -> StoryLine:
    """A story that waited, after one of those that it waits for has passed."""
    if line.state != StoryState.BLOCKED:
        return line
    waiting = [name for name in line.waits_for if name not in stories or stories[name].state != StoryState.PASSES]
    if waiting:
        return replace(line, reason=f"waits for {', '.join(waiting)}")
    return replace(line, state=str(StoryState.READY), reason="")


def _any(what: str, items: tuple[str, ...]) -> list[str]:
    return [listed(what, items)] if items else []
