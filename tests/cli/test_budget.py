"""Whether a cap can be kept with everybody that a run may come to."""

from collections.abc import Collection
from dataclasses import dataclass, field

from prd_ralph.cli.budget import spending_caps, unbounded
from prd_ralph.model import AgentResult, Limits, Price, ProcessEnd, ProcessResult, RunPlan, Story
from prd_ralph.ports import AgentRequest, Choice, OnAction

STORY = Story(id="US-001", title="One", criteria=(), priority=1, passes=False)


@dataclass(frozen=True)
class Known:
    """The Agent port: one that does nothing, and tells so much of it."""

    label: str
    tells: tuple[str, ...]
    autonomy: str = ""

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        return AgentResult(ProcessResult(ProcessEnd.EXITED, 0, 0.0))


CLAUDE, CODEX, MINE = Known("claude", ("cost", "tokens")), Known("codex", ("tokens",)), Known("mine", ())


@dataclass(frozen=True)
class Several:
    """The Agents port: the first that is not away, with the model of the level."""

    agents: tuple[Known, ...]
    models: tuple[str | None, ...] = field(default=(None,))

    def choose(self, story: Story, level: int = 0, away: Collection[str] = ()) -> Choice | None:
        here = [agent for agent in self.agents if agent.label not in away]
        return Choice(here[0], here[0].label, self.models[level]) if here else None


def refused(agents: Several, limits: Limits, **fields: object) -> list[str]:
    plan = RunPlan("prd.json", limits=limits, **fields)  # type: ignore[arg-type]
    return [problem.message for problem in unbounded(plan, agents, [STORY, STORY])]


def test_those_that_stand_in_for_others_are_looked_at_too() -> None:
    capped = Limits(cost_usd=5.0)
    assert refused(Several((CLAUDE,)), capped) == []
    assert refused(Several((CLAUDE, MINE)), capped) == ["--max-cost: nobody can tell what mine costs"]
    assert refused(Several((CLAUDE, MINE)), capped, assume_cost_usd=0.5) == []
    assert refused(Several((CLAUDE, MINE)), Limits()) == []
    tokens = Limits(tokens=1000)
    assert refused(Several((CLAUDE, CODEX)), tokens) == []
    told = ["--max-tokens: mine does not tell what it reads and writes"]
    assert refused(Several((CODEX, MINE)), tokens, assume_cost_usd=0.5) == told


def test_every_model_that_a_story_may_come_to_needs_a_price() -> None:
    capped, models = Limits(story_cost_usd=5.0), ("gpt-5", "mine-2")
    told = ["--max-cost-per-story: nobody can tell what codex with mine-2 costs"]
    assert refused(Several((CODEX,), models), capped, escalate=("mine-2",)) == told
    assert refused(Several((CODEX,), models), capped) == []
    assert refused(Several((CODEX,), models), capped, escalate=("mine-2",), prices={"mine-2": Price(1, 2, 3)}) == []


def test_only_the_caps_that_are_set_are_shown() -> None:
    assert spending_caps(RunPlan("prd.json")) == {}
    plan = RunPlan("prd.json", limits=Limits(cost_usd=5.0, tokens=7), assume_cost_usd=0.5)
    assert spending_caps(plan) == {"cost_usd": 5.0, "assumed_usd": 0.5, "tokens": 7}
