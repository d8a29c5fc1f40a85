"""What one attempt is about."""

from dataclasses import dataclass
from pathlib import Path

from prd_ralph.checks import Bench
from prd_ralph.model import AttemptKey, AttemptRecord, Check, RunPlan, Story
from prd_ralph.ports import Agent, Ports, PrdDocument
from prd_ralph.rules import mark_of
from prd_ralph.tally import Tally


@dataclass(frozen=True, slots=True)
class Task:
    """One go at `story`, judged by `checks`, worked on by `agent` with `model` for at most `wall_s` seconds.

    `document` is prd.json as it was before the agent started. `charged` of the run's attempts were charged to the
    story before this one, `last` is its previous attempt, `started` is in monotonic seconds.
    Its commands run on the `bench`.
    """

    key: AttemptKey
    story: Story
    document: PrdDocument
    checks: tuple[Check, ...]
    agent: Agent
    model: str | None
    folder: Path
    started: float
    bench: Bench
    wall_s: float
    charged: int = 0
    last: AttemptRecord | None = None

    @property
    def agent_label(self) -> str:
        """`name version model`, as far as known."""
        return " ".join(part for part in (self.agent.label, self.model) if part)


def new_task(
    ports: Ports, plan: RunPlan, document: PrdDocument, story: Story, tally: Tally, key: AttemptKey | None = None
) -> Task:
    """The next attempt at `story`, or the one that `key` says was begun."""
    key = key or AttemptKey(ports.state.run_id, story.id, ports.workspace.next_attempt(story.id))
    agent, model = ports.agents.choose(story)
    now, ends = ports.clock.monotonic(), tally.started + plan.limits.run_s
    folder = ports.state.attempt_folder(key)
    return Task(
        key=key,
        story=story,
        document=document,
        checks=document.prd.checks_for(story, plan.extra, plan.hidden_for(story.id)),
        agent=agent,
        model=model,
        folder=folder,
        started=now,
        bench=Bench(story.id, mark_of(key), folder, ports.workspace.root, ports.check_env, ends),
        wall_s=min(plan.limits.attempt_s, ends - now),
        charged=tally.charged.get(story.id, 0),
        last=tally.records.get(story.id),
    )
