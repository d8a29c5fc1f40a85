"""What one attempt is about."""

from dataclasses import dataclass, field
from pathlib import Path

from prd_ralph.checks import Bench
from prd_ralph.known import Known
from prd_ralph.model import AttemptKey, AttemptRecord, Check, CheckResult, RunPlan, Story
from prd_ralph.ports import Agent, Ports, PrdDocument
from prd_ralph.rules import mark_of
from prd_ralph.stalls import Stall, Streak
from prd_ralph.tally import Tally
from prd_ralph.waiting import choose


@dataclass(frozen=True, slots=True)
class Task:
    """One go at `story`, judged by `checks`, worked on by `agent` (None: by nobody) with `model` for at most `wall_s`
    seconds.

    `document` is prd.json as it was before the agent started. `charged` of the run's attempts were charged to the
    story before this one, `last` is its previous attempt, `started` is in monotonic seconds.
    Its commands run on the `bench`. `baseline`: what they said before its first attempt; `known`: what is known of
    any command. `stuck`: how often the story's agents have said in this run that they are; `stall`: what the prompt
    tells of attempts that were alike; `nonce`: see `asking`; `prompt`: what the agent is given, once that is known.
    """

    key: AttemptKey
    story: Story
    document: PrdDocument
    checks: tuple[Check, ...]
    own_checks: tuple[Check, ...]
    agent: Agent | None
    model: str | None
    folder: Path
    started: float
    bench: Bench
    wall_s: float
    agent_name: str = ""
    charged: int = 0
    last: AttemptRecord | None = None
    baseline: tuple[CheckResult, ...] = ()
    known: Known = field(default_factory=Known)
    stuck: int = 0
    stall: Stall | None = None
    nonce: str = ""
    prompt: str = ""

    @property
    def agent_label(self) -> str:
        """`name version model`, as far as known."""
        return " ".join(part for part in (self.agent.label, self.model) if part) if self.agent else "none"


def new_task(
    ports: Ports, plan: RunPlan, document: PrdDocument, story: Story, tally: Tally, key: AttemptKey | None = None
) -> Task:
    """The next attempt at `story`, or the one that `key` says was begun."""
    key = key or AttemptKey(ports.state.run_id, story.id, ports.workspace.next_attempt(story.id))
    choice = choose(ports, plan, story, tally)
    assert choice is not None, "an attempt begins when there is somebody to work on it"
    now, ends = ports.clock.monotonic(), tally.started + plan.limits.run_s
    folder = ports.state.attempt_folder(key)
    return Task(
        key=key,
        story=story,
        document=document,
        checks=plan.checks_for(document.prd, story),
        own_checks=plan.own_checks(story),
        agent=choice.agent,
        agent_name=choice.name,
        model=choice.model,
        folder=folder,
        started=now,
        bench=Bench(story.id, mark_of(key), folder, ports.workspace.root, ports.check_env, ends),
        wall_s=min(plan.limits.attempt_s, ends - now),
        charged=tally.charged.get(story.id, 0),
        last=tally.records.get(story.id),
        baseline=tally.baselines.get(story.id, ()),
        known=tally.known,
        stuck=tally.stuck.get(story.id, 0),
        stall=tally.streaks.get(story.id, Streak()).told,
        nonce=ports.nonce(),
    )
