"""The seam: what the application asks of the world, as protocols, and the values that cross it.

Implementations live in the adapters (level 3); the application (level 4) knows these names alone.
"""

from prd_ralph.ports.afterwards import Push, Pushed
from prd_ralph.ports.agents import Agent, AgentRequest, Agents, Choice, OnAction
from prd_ralph.ports.documents import (
    Context,
    FilePatch,
    GuardedPrd,
    Memory,
    NoContext,
    PlanContext,
    PrdDocument,
    PrdFile,
    PromptContext,
    Prompts,
    RenderedPrompt,
    ReviewContext,
    ShownChange,
)
from prd_ralph.ports.processes import LINGER, Linger, OnOutput, Processes, ProcessRequest
from prd_ralph.ports.run import Clock, Emit, Ports, State, Stop, Timer
from prd_ralph.ports.workspace import (
    Candidate,
    Checkout,
    Checkouts,
    Current,
    Landed,
    LandingRefused,
    LandingRequest,
    Opened,
    Opening,
    Reclaimed,
    Workspace,
)

__all__ = [
    "LINGER",
    "Agent",
    "AgentRequest",
    "Agents",
    "Candidate",
    "Checkout",
    "Checkouts",
    "Choice",
    "Clock",
    "Context",
    "Current",
    "Emit",
    "FilePatch",
    "GuardedPrd",
    "Landed",
    "LandingRefused",
    "LandingRequest",
    "Linger",
    "Memory",
    "NoContext",
    "OnAction",
    "OnOutput",
    "Opened",
    "Opening",
    "PlanContext",
    "Ports",
    "PrdDocument",
    "PrdFile",
    "ProcessRequest",
    "Processes",
    "PromptContext",
    "Prompts",
    "Push",
    "Pushed",
    "Reclaimed",
    "RenderedPrompt",
    "ReviewContext",
    "ShownChange",
    "State",
    "Stop",
    "Timer",
    "Workspace",
]
