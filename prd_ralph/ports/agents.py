"""Agents: the programs that edit files, given a prompt."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prd_ralph.model import AgentAction, AgentResult, Story


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """One go of an agent: the prompt's file, where to work, where its raw output goes, its limits in seconds.

    `env` is the whole environment, `PRD_RALPH_STORY_ID` in it. `attempt` is the story's attempt number, from 1.
    """

    prompt: Path
    cwd: Path
    transcript: Path
    model: str | None
    env: Mapping[str, str]
    wall_s: float
    idle_s: float
    attempt: int = 1


OnAction = Callable[[AgentAction], object]
"""Gets what an agent is seen to do; `True` ends its attempt: nothing more is to be hoped for."""


class Agent(Protocol):
    """The program that edits files, given a prompt."""

    @property
    def label(self) -> str:
        """Name and, where known, version: what a commit's `Prd-Ralph-Agent` says."""
        ...

    @property
    def autonomy(self) -> str:
        """The flags that let it act without asking, as they are given; "" where they are not ours."""
        ...

    @property
    def tells(self) -> Collection[str]:
        """What it tells of each whole attempt: `cost`, `tokens`."""
        ...

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        """Runs it once, fresh. `on_action` gets each thing that the agent is seen to do, as it does it."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """Who is to work on a story: the agent, the name that it goes by, and the model (None: its own default)."""

    agent: Agent
    name: str
    model: str | None


class Agents(Protocol):
    def choose(self, story: Story, level: int = 0, away: Collection[str] = ()) -> Choice | None:
        """Who works on a story next. `level`: how many steps up of the models; `away`: the names of agents that cannot
        be had now. None where that are all that might work on it.
        """
        ...
