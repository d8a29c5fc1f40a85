"""What a run has done so far, story by story."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from prd_ralph.model import AttemptKey, AttemptRecord, StopReason, Story
from prd_ralph.rules import Standing, is_charged, is_instant_failure, stops_at_once


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run has done so far. `carried`: the attempt whose work lies in the tree.

    `fatal`: what the last attempt ends the run with; `why` and `hint` are its agent's words, and what to do about it.
    """

    started: float
    cap: int
    iterations: int = 0
    failing_starts: int = 0
    charged: Mapping[str, int] = field(default_factory=dict)
    records: Mapping[str, AttemptRecord] = field(default_factory=dict)
    costs: tuple[float, ...] = ()
    carried: AttemptKey | None = None
    fatal: StopReason | None = None
    why: str = ""
    hint: str = ""

    def after(self, record: AttemptRecord) -> "Tally":
        """With one more attempt."""
        story = record.key.story
        instant = is_instant_failure(record.verdict, record.agent, bool(record.files))
        cost = record.agent.cost_usd if record.agent else None
        return replace(
            self,
            iterations=self.iterations + (record.agent is not None),
            failing_starts=self.failing_starts + 1 if instant else 0,
            charged={**self.charged, story: self.charged.get(story, 0) + is_charged(record.verdict)},
            records={**self.records, story: record},
            costs=self.costs if cost is None else (*self.costs, cost),
            carried=None if record.commit else record.key,
            fatal=stops_at_once(record.verdict),
            why=record.agent.error if record.agent else "",
            hint=record.agent.hint if record.agent else "",
        )

    @property
    def cost_usd(self) -> float | None:
        """What is known to have been spent; None where nothing is known."""
        return sum(self.costs) if self.costs else None

    def line_of(self, story: Story, standing: Standing) -> dict[str, object]:
        """A story's line in `run_finished`."""
        record = self.records.get(story.id)
        return {
            "id": story.id,
            "title": story.title,
            "passes": story.passes,
            "state": str(standing.state),
            "reason": standing.reason,
            "attempts": self.charged.get(story.id, 0),
            "outcome": str(record.verdict.outcome) if record else None,
            "commit": record.commit if record else None,
        }
