"""What a run has done so far, story by story."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from prd_ralph.known import Known
from prd_ralph.model import (
    AgentResult,
    AttemptKey,
    AttemptRecord,
    CheckResult,
    CostSource,
    Limits,
    StopReason,
    Story,
)
from prd_ralph.rules import Standing, failing_starts, is_charged, same_failure, stops_at_once
from prd_ralph.spending import Spending, Start, spent_up
from prd_ralph.stalls import Streak
from prd_ralph.waits import Pauses


@dataclass(frozen=True, slots=True)
class Wished:
    """A story that the agent of the attempt `key` wants added."""

    key: AttemptKey
    proposal: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run has done so far. `spending`: what each start of an agent cost and took.

    `carried`: the attempt whose work lies in the tree.

    `fatal`: what the last attempt ends the run with; `why` and `hint` are its agent's words, and what to do about it.

    `baselines`: what a story's commands said before its first attempt, where that was looked at; `held`: why a story
    is not attempted. `verified`: all that passed was verified at the end. `pauses`: which agents cannot be had now.

    `streaks`: a story's last attempts, as far as they are alike; `stuck`: how often its agents have said that they are;
    `escalated`: so many models further up than its attempts alone would have it; `given_up`: why nothing more is tried.

    `proposed`: stories that agents want added, not looked at yet; `taken_up`: how many became stories of this run.
    """

    started: float
    cap: int
    iterations: int = 0
    failing_starts: int = 0
    charged: Mapping[str, int] = field(default_factory=dict)
    records: Mapping[str, AttemptRecord] = field(default_factory=dict)
    spending: Spending = field(default_factory=Spending)
    carried: AttemptKey | None = None
    fatal: StopReason | None = None
    why: str = ""
    hint: str = ""
    is_set_up: bool = False
    baselines: Mapping[str, tuple[CheckResult, ...]] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
    verified: bool = False
    pauses: Pauses = field(default_factory=Pauses)
    streaks: Mapping[str, Streak] = field(default_factory=dict)
    stuck: Mapping[str, int] = field(default_factory=dict)
    escalated: Mapping[str, int] = field(default_factory=dict)
    given_up: Mapping[str, str] = field(default_factory=dict)
    proposed: tuple[Wished, ...] = ()
    taken_up: int = 0

    def after(self, record: AttemptRecord) -> "Tally":
        """With one more attempt."""
        story = record.key.story
        failing = failing_starts(self.failing_starts, record.verdict, record.agent, bool(record.files))
        return replace(
            self,
            iterations=self.iterations + (record.agent is not None),
            failing_starts=failing,
            charged={**self.charged, story: self.charged.get(story, 0) + is_charged(record.verdict)},
            records={**self.records, story: _light(record) if record.commit else record},
            spending=self.spending.after(story, _start(record, record.agent)) if record.agent else self.spending,
            carried=None if record.commit else record.key,
            fatal=stops_at_once(record.verdict),
            why=record.agent.error if record.agent else "",
            hint=record.agent.hint if record.agent else "",
            proposed=(*self.proposed, *(Wished(record.key, each) for each in record.proposed)),
        )

    def given_up_within(self, limits: Limits) -> Mapping[str, str]:
        """Why nothing more is tried, by story: it gets nowhere, or has had all that it may cost."""
        return {**spent_up(self.spending, limits), **self.given_up}

    def line_of(self, story: Story, standing: Standing) -> dict[str, object]:
        """A story's line in `run_finished`."""
        record = self.records.get(story.id)
        return {
            "id": story.id,
            "title": story.title,
            "passes": story.passes,
            "approved": story.approved is not None,
            "state": str(standing.state),
            "reason": "; ".join(filter(None, (standing.reason, self._since_before(story)))),
            "attempts": self.charged.get(story.id, 0),
            "cost_usd": self.spending.cost_of(story.id),
            "outcome": str(record.verdict.outcome) if record else None,
            "commit": record.commit if record else None,
            "suspects": list(record.verdict.suspects) if record else [],
            "proof": str(record.verdict.proof) if record and record.commit and record.verdict.proof else None,
        }

    def _since_before(self, story: Story) -> str:
        """The commands that fail as they did before an agent has worked on the story."""
        record = self.records.get(story.id)
        before = {result.check: result for result in self.baselines.get(story.id, ())}
        results = record.checks if record and not record.commit else ()
        same = [each.check.label for each in results if each.check in before and same_failure(before[each.check], each)]
        return f"failing as before the run: {', '.join(same)}" if same else ""


def _start(record: AttemptRecord, agent: AgentResult) -> Start:
    estimated = agent.cost_source not in (None, CostSource.TOLD)
    return Start(record.key.number, agent.cost_usd, agent.tokens, estimated)


def _light(record: AttemptRecord) -> AttemptRecord:
    """Without what its agent printed: of a story that has landed no prompt will tell, and a run may have many."""
    if record.agent is None:
        return record
    silent = replace(record.agent.process, stdout=b"", stderr=b"")
    return replace(record, agent=replace(record.agent, process=silent, text=""))
