"""Which agent and model a story gets: flag > the story's own > environment, file, default."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from prd_ralph.errors import BlockedError
from prd_ralph.model import Story
from prd_ralph.ports import Agent, Choice


@dataclass(frozen=True, slots=True)
class ChosenAgents:
    """The Agents port. `agents` by name, the first choice first; none where no story is to be attempted.

    `agent_forced` and `model_forced`: named on the command line. `named` holds every agent that a story names.
    `escalate`: models, one after the other, for stories whose attempts fail.
    """

    agents: Mapping[str, Agent] = field(default_factory=dict)
    model: str | None = None
    agent_forced: bool = False
    model_forced: bool = False
    named: Mapping[str, Agent] = field(default_factory=dict)
    escalate: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Those that work on stories which name none; "none" where there is nothing to do."""
        return ", ".join(agent.label for agent in self.agents.values()) or "none"

    @property
    def autonomy(self) -> dict[str, str]:
        """By agent: the flags that let it act without asking. Agents whose flags are the person's own are left out."""
        agents = (*self.agents.values(), *self.named.values())
        return {agent.label: agent.autonomy for agent in agents if agent.autonomy}

    def choose(self, story: Story, level: int = 0, away: Collection[str] = ()) -> Choice | None:
        """The first agent that is not `away`, and its model (None: its own default); None where all are.

        A story's own agent is the only one for it. `level`: how many steps up of `escalate`. A model is named in one
        agent's words, so of several agents only the first is given it. Raises BlockedError where none is known.
        """
        own = None if self.agent_forced else story.agent
        if own is not None and own not in self.named:  # the run's branch, or the person since, has another prd.json
            why = f"{story.id} wants the agent {own}, which it did not when the run began"
            raise BlockedError(why, "run again: all agents are looked for before anything starts")
        able = {own: self.named[own]} if own is not None else self.agents
        if not able:
            raise BlockedError("no agent is configured", "name one: --agent NAME or --agent-command CMD")
        name = next((name for name in able if name not in away), None)
        if name is None:
            return None
        return Choice(able[name], name, self._model(story, level) if name == next(iter(able)) else None)

    def _model(self, story: Story, level: int) -> str | None:
        if self.model_forced:
            return self.model
        if story.model is not None:
            return story.model
        return self.escalate[min(level, len(self.escalate) - 1)] if self.escalate else self.model
