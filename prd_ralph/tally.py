"""What a run has done so far, story by story."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from prd_ralph.known import Known
from prd_ralph.model import AgentResult, AttemptKey, AttemptRecord, CheckResult, CostSource, StopReason, Story
from prd_ralph.rules import Standing, is_charged, is_instant_failure, same_failure, stops_at_once
from prd_ralph.spending import Spending, Start


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run has done so far. `spending`: what each start of an agent cost and took.

    `carried`: the attempt whose work lies in the tree.

    `fatal`: what the last attempt ends the run with; `why` and `hint` are its agent's words, and what to do about it.

    `baselines`: what a story's commands said before its first attempt, where that was looked at; `held`: why a story
    is not attempted. `verified`: all that passed was verified at the end.
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

    def after(self, record: AttemptRecord) -> "Tally":
        """With one more attempt."""
        story = record.key.story
        instant = is_instant_failure(record.verdict, record.agent, bool(record.files))
        return replace(
            self,
            iterations=self.iterations + (record.agent is not None),
            failing_starts=self.failing_starts + 1 if instant else 0,
            charged={**self.charged, story: self.charged.get(story, 0) + is_charged(record.verdict)},
            records={**self.records, story: record},
            spending=self.spending.after(story, _start(record, record.agent)) if record.agent else self.spending,
            carried=None if record.commit else record.key,
            fatal=stops_at_once(record.verdict),
            why=record.agent.error if record.agent else "",
            hint=record.agent.hint if record.agent else "",
        )

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
