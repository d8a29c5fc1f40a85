"""Which agent and model a story gets: flag > the story's own > environment, file, default."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from prd_ralph.errors import BlockedError
from prd_ralph.model import Story
from prd_ralph.ports import Agent, Choice


@dataclass(frozen=True, slots=True)
class ChosenAgents:
    """The Agents port. `default` None: no story is to be attempted.

    `agent_forced` and `model_forced`: named on the command line. `named` holds every agent that a story names.
    """

    default: Agent | None
    model: str | None = None
    agent_forced: bool = False
    model_forced: bool = False
    named: Mapping[str, Agent] = field(default_factory=dict)

    @property
    def autonomy(self) -> dict[str, str]:
        """By agent: the flags that let it act without asking. Agents whose flags are the person's own are left out."""
        agents = ([self.default] if self.default else []) + list(self.named.values())
        return {agent.label: agent.autonomy for agent in agents if agent.autonomy}

    def choose(self, story: Story, level: int = 0, away: Collection[str] = ()) -> Choice | None:
        """The agent and the model (None: the agent's own default) for a story."""
        agent = self.default if self.agent_forced or story.agent is None else self.named[story.agent]
        model = self.model if self.model_forced or story.model is None else story.model
        if agent is None:
            raise BlockedError("no agent is configured", "name one: --agent NAME or --agent-command CMD")
        return Choice(agent, agent.label, model)
