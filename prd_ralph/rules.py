"""The decisions, as pure functions: which story is next, what an attempt's verdict is, when a run ends."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from prd_ralph.errors import ExitCode
from prd_ralph.model import (
    MARK_VARIABLE,
    AgentResult,
    AttemptKey,
    CheckResult,
    CheckStatus,
    FailureClass,
    Limits,
    Outcome,
    Prd,
    ProcessEnd,
    Proof,
    Selection,
    StopReason,
    Story,
    StoryState,
    Verdict,
)
from prd_ralph.names import encode_story

_NOTHING_PROVED = (
    "every command is green, as before the attempt, and nothing was changed: they prove nothing of this story. "
    "Give it a verification command of its own"
)
SPARE_ITERATIONS = 20
FAILING_STARTS = 3
INSTANT_S = 10.0

# --- which story ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a story stands, and for a blocked or skipped one why."""

    state: StoryState
    reason: str = ""


def standings(
    prd: Prd,
    selection: Selection,
    charged: Mapping[str, int],
    max_attempts: int,
    held: Mapping[str, str] = MappingProxyType({}),
    given_up: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Standing]:
    """Every story's standing, by id in file order. `charged`: attempts that counted, by story; `held`: why a story
    is not attempted in this run; `given_up`: why no more attempts are made at it.
    """
    passing = {story.id for story in prd.stories if story.passes}
    replaced = {other: story.id for story in prd.stories if story.passes for other in story.supersedes}

    def standing(story: Story) -> Standing:
        if story.passes:
            return Standing(StoryState.PASSES)
        if not selection.takes(story):
            return Standing(StoryState.SKIPPED, "skip: true" if story.skip else "not selected")
        if story.id in replaced:
            return Standing(StoryState.SKIPPED, f"replaced by {replaced[story.id]}")
        waiting = [other for other in story.depends_on if other not in passing]
        if waiting:
            return Standing(StoryState.BLOCKED, f"waits for {', '.join(waiting)}")
        if story.id in held:
            return Standing(StoryState.BLOCKED, held[story.id])
        if story.id in given_up:
            return Standing(StoryState.EXHAUSTED, given_up[story.id])
        if charged.get(story.id, 0) >= max_attempts:
            used = charged[story.id]
            return Standing(StoryState.EXHAUSTED, f"{used} attempt{'s' if used > 1 else ''} used up")
        return Standing(StoryState.READY)

    return {story.id: standing(story) for story in prd.stories}


def next_story(prd: Prd, where: Mapping[str, Standing]) -> Story | None:
    """The ready story with the lowest priority number; ties go by file order."""
    ready = (story for story in prd.stories if where[story.id].state is StoryState.READY)
    return min(ready, key=lambda story: story.priority, default=None)


@dataclass(frozen=True, slots=True)
class Counts:
    """total = passed + failing + blocked + skipped, always."""

    total: int
    passed: int
    failing: int
    blocked: int
    skipped: int


def count(where: Iterable[Standing]) -> Counts:
    """Adds the standings up; `failing` are the ready and the exhausted ones."""
    states = [standing.state for standing in where]
    return Counts(
        total=len(states),
        passed=states.count(StoryState.PASSES),
        failing=states.count(StoryState.READY) + states.count(StoryState.EXHAUSTED),
        blocked=states.count(StoryState.BLOCKED),
        skipped=states.count(StoryState.SKIPPED),
    )


def iteration_cap(open_stories: int, limits: Limits) -> int:
    """The most agent starts of a run: the person's number, else open stories × attempts + 20."""
    return limits.iterations or open_stories * limits.attempts + SPARE_ITERATIONS


# --- the mark -------------------------------------------------------------------------------------


def mark_of(key: AttemptKey) -> str:
    """The name in the environment by which an attempt's processes are found again; unique in the world."""
    return f"{key.run}.{encode_story(key.story)}.{key.number}"


def with_mark(env: Mapping[str, str], mark: str) -> dict[str, str]:
    """`env` with `mark` added to the list of marks: a prd-ralph within an attempt stays in the outer one's reach."""
    outer = env.get(MARK_VARIABLE, "")
    return {**env, MARK_VARIABLE: f"{outer}:{mark}" if outer else mark}


# --- the verdict ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a verdict may rest on.

    `agent` is None for an attempt that was taken up after prd-ralph had been killed, and for an `unworked` one.
    `baseline`: what the story's commands said before its first attempt; none where nobody looked. `suspects`: what a
    pass may rest on besides.
    """

    checks: tuple[CheckResult, ...]
    changed: bool
    agent: AgentResult | None
    story: str = ""
    baseline: tuple[CheckResult, ...] = ()
    suspects: tuple[str, ...] = ()
    unworked: bool = False
    interrupted: bool = False
    tampered: bool = False
    strict: bool = False

    @property
    def all_suspects(self) -> tuple[str, ...]:
        """With those of the commands themselves."""
        said = (f"{check.check.label}: {check.suspect}" for check in self.checks if check.suspect)
        return (*said, *self.suspects)


def judge(evidence: Evidence) -> Verdict:
    """The first that holds: interrupted · passed · usage_limit · timed_out · agent_error · no_change · failed.

    An agent's words and exit code never make a pass, and never prevent one.
    """
    if evidence.interrupted:
        return Verdict(Outcome.INTERRUPTED)
    if _holds(evidence):
        return _passed(evidence)
    agent = evidence.agent
    if agent is None:
        why = "no agent has worked on it" if evidence.unworked else "prd-ralph was killed during this attempt"
        return Verdict(Outcome.INTERRUPTED, why)
    if agent.ended_for:
        return Verdict(Outcome.AGENT_ERROR, agent.ended_for)
    if agent.failure is FailureClass.USAGE_LIMIT:
        return Verdict(Outcome.USAGE_LIMIT)
    if agent.process.end in (ProcessEnd.WALL, ProcessEnd.IDLE):
        return Verdict(Outcome.TIMED_OUT, str(agent.process.end))
    if agent.process.end is ProcessEnd.LOST:
        return Verdict(Outcome.AGENT_ERROR, "lost")
    if agent.failure not in (None, FailureClass.NO_WORK):
        return Verdict(Outcome.AGENT_ERROR, str(agent.failure))
    if not evidence.changed:
        warnings = (_NOTHING_PROVED,) if _is_green(evidence.checks) else ()
        return Verdict(Outcome.NO_CHANGE, _failure(evidence) or str(agent.failure or ""), warnings)
    return Verdict(Outcome.FAILED, _failure(evidence))


def proof_of(story: str, baseline: Iterable[CheckResult], results: Iterable[CheckResult]) -> Proof:
    """`proved` where one of the commands that are green now was red before the story's first attempt."""
    red = {result.check.identity(story) for result in baseline if not result.passed}
    green = {result.check.identity(story) for result in results if result.passed}
    return Proof.PROVED if red & green else Proof.UNPROVEN


def _passed(evidence: Evidence) -> Verdict:
    proof = proof_of(evidence.story, evidence.baseline, evidence.checks)
    suspects = evidence.all_suspects
    if evidence.strict and (suspects or evidence.tampered or proof is Proof.UNPROVEN):
        reason = "suspect" if suspects else "tampered" if evidence.tampered else str(proof)
        return Verdict(Outcome.FAILED, reason, suspects=suspects)
    reason = "tampered" if evidence.tampered else ""
    return Verdict(Outcome.PASSED, reason, _warnings(evidence), suspects, proof)


def _holds(evidence: Evidence) -> bool:
    return _is_green(evidence.checks) and (evidence.changed or any(check.own for check in evidence.checks))


def _is_green(checks: tuple[CheckResult, ...]) -> bool:
    """No command is no proof."""
    return bool(checks) and all(check.passed for check in checks)


def _warnings(evidence: Evidence) -> tuple[str, ...]:
    agent = evidence.agent
    if agent is None or agent.process.ok or _has_only_stayed(agent):
        return ()
    return (f"the agent ended with {describe_end(agent)}, yet every command passes",)


def _has_only_stayed(agent: AgentResult) -> bool:
    """It said that it had ended well, and had to be ended."""
    return agent.process.end is ProcessEnd.LINGERED and agent.failure in (None, FailureClass.NO_WORK)


def _failure(evidence: Evidence) -> str:
    statuses = {check.status for check in evidence.checks}
    if CheckStatus.TIMED_OUT in statuses:
        return "check_timeout"
    if CheckStatus.MISSING_TOOL in statuses:
        return "missing_tool"
    return "tampered" if evidence.tampered else ""


def describe_end(agent: AgentResult) -> str:
    """How an agent's process ended, in a few words."""
    process = agent.process
    if agent.ended_for or process.end is ProcessEnd.LINGERED:
        return f"a {agent.ended_for}" if agent.ended_for else f"failure {agent.failure}"
    if process.end is not ProcessEnd.EXITED or process.exit_code is None:
        return {ProcessEnd.WALL: "its time limit", ProcessEnd.IDLE: "its idle limit"}.get(process.end, str(process.end))
    return f"signal {-process.exit_code}" if process.exit_code < 0 else f"exit {process.exit_code}"


def is_green_before(baseline: tuple[CheckResult, ...], own: bool) -> bool:
    """Whether every command, and with `own` one of the story's own, was green before its first attempt."""
    return _is_green(baseline) and (not own or any(result.own for result in baseline))


def same_failure(before: CheckResult, now: CheckResult) -> bool:
    """Whether a command fails as it did before, as far as its words tell; numbers (times, line numbers) apart."""
    if before.passed or now.passed or not now.excerpt.strip():
        return False
    return re.sub(r"\d+", "0", before.excerpt) == re.sub(r"\d+", "0", now.excerpt)


_FREE_FAILURES = frozenset({FailureClass.TRANSIENT, FailureClass.AUTH, FailureClass.CREDITS, FailureClass.BAD_MODEL})
_FREE_OUTCOMES = frozenset({Outcome.INTERRUPTED, Outcome.USAGE_LIMIT, Outcome.LAND_FAILED})


def is_charged(verdict: Verdict) -> bool:
    """Whether an attempt with this verdict uses one of its story's attempts up."""
    if verdict.outcome is Outcome.AGENT_ERROR:
        return verdict.reason not in _FREE_FAILURES
    return verdict.outcome not in _FREE_OUTCOMES


def is_instant_failure(verdict: Verdict, agent: AgentResult | None, changed: bool) -> bool:
    """An agent start that failed within seconds and changed nothing: three in a row are no work.

    What is no fault of its own is none: it is waited out.
    """
    if agent is None or agent.ended_for or changed:
        return False
    if verdict.outcome is not Outcome.AGENT_ERROR or not is_charged(verdict):
        return False
    return agent.process.duration_s < INSTANT_S


def failing_starts(before: int, verdict: Verdict, agent: AgentResult | None, changed: bool) -> int:
    """How many agent starts in a row have failed at once, with one more attempt. One that is not charged (a limit, an
    overload, the person's signal) neither counts nor ends the row.
    """
    if not is_charged(verdict):
        return before
    return before + 1 if is_instant_failure(verdict, agent, changed) else 0


# --- the end of a run -----------------------------------------------------------------------------

# Paying again for these would buy the same answer. What another agent may help with, or time, is waited out: waits.py.
_FATAL_FAILURES = {
    FailureClass.AUTH: StopReason.AUTH,
    FailureClass.BAD_MODEL: StopReason.BAD_MODEL,
}


def stops_at_once(verdict: Verdict) -> StopReason | None:
    """What an attempt's verdict alone ends the run with."""
    if verdict.outcome is Outcome.LAND_FAILED:
        return StopReason.ENVIRONMENT
    if verdict.outcome is Outcome.AGENT_ERROR:
        return {str(failure): stop for failure, stop in _FATAL_FAILURES.items()}.get(verdict.reason)
    return None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the end of a run depends on. `fatal` is what an attempt or the world said must end it; `capped`: no agent
    may be started any more, for what was spent.
    """

    standings: Mapping[str, Standing]
    limits: Limits
    cap: int
    iterations: int = 0
    elapsed_s: float = 0.0
    failing_starts: int = 0
    once: bool = False
    signal: int | None = None
    stop_requested: bool = False
    fatal: StopReason | None = None
    capped: bool = False


def stop_reason(facts: RunFacts) -> StopReason | None:
    """Why the run ends now, the first that holds in the order of `StopReason`; None: it goes on."""
    states = {standing.state for standing in facts.standings.values()}
    is_open = bool(states & {StoryState.READY, StoryState.EXHAUSTED, StoryState.BLOCKED})
    holding = {
        StopReason.SIGNAL: facts.signal is not None,
        StopReason.STOP_REQUESTED: facts.stop_requested,
        StopReason.COST: facts.capped and StoryState.READY in states,
        StopReason.WALL_TIME: facts.elapsed_s >= facts.limits.run_s,
        StopReason.AGENT_FAILING: facts.failing_starts >= FAILING_STARTS,
        StopReason.COMPLETE: not is_open,
        StopReason.ONCE: facts.once and facts.iterations > 0,
        StopReason.ITERATIONS: StoryState.READY in states and facts.iterations >= facts.cap,
        StopReason.EXHAUSTED: StoryState.READY not in states and StoryState.EXHAUSTED in states,
        StopReason.BLOCKED: is_open and not states & {StoryState.READY, StoryState.EXHAUSTED},
    }
    return next((stop for stop in StopReason if stop is facts.fatal or holding.get(stop, False)), None)


_EXIT_CODES = {
    StopReason.COMPLETE: ExitCode.OK,
    StopReason.ENVIRONMENT: ExitCode.ENVIRONMENT,
    StopReason.AUTH: ExitCode.ENVIRONMENT,
    StopReason.CREDITS: ExitCode.ENVIRONMENT,
    StopReason.BAD_MODEL: ExitCode.ENVIRONMENT,
    StopReason.COST: ExitCode.LIMIT,
    StopReason.WALL_TIME: ExitCode.LIMIT,
    StopReason.USAGE_LIMIT: ExitCode.LIMIT,
}


def exit_code(stop: StopReason, signal: int | None = None) -> int:
    """The exit code of a stop reason; a signal's is 128 + its number."""
    if stop is StopReason.SIGNAL and signal is not None:
        return 128 + signal
    return int(_EXIT_CODES.get(stop, ExitCode.UNFINISHED))
