"""The values that every part speaks of: the PRD, its stories and commands, and what became of them.

Frozen, without behaviour beyond what follows from their own fields, and without I/O.
"""

from prd_ralph.model.attempts import AttemptKey, AttemptRecord, Need, Verdict
from prd_ralph.model.plans import Limits, RunPlan, Selection
from prd_ralph.model.prd import (
    EVERY_STORY,
    LANDED_VARIABLE,
    LAST_PRIORITY,
    MARK_VARIABLE,
    PRIVATE_VARIABLES,
    STORY_VARIABLE,
    Approval,
    Check,
    Prd,
    Story,
)
from prd_ralph.model.results import AgentAction, AgentResult, CheckResult, Price, ProcessResult, Tokens, ToolCall
from prd_ralph.model.words import (
    AGENT_EMAIL,
    LINGER_S,
    ActionKind,
    CheckStatus,
    CostSource,
    FailureClass,
    Outcome,
    ProcessEnd,
    Proof,
    StopReason,
    StoryState,
)

__all__ = [
    "AGENT_EMAIL",
    "EVERY_STORY",
    "LANDED_VARIABLE",
    "LAST_PRIORITY",
    "LINGER_S",
    "MARK_VARIABLE",
    "PRIVATE_VARIABLES",
    "STORY_VARIABLE",
    "ActionKind",
    "AgentAction",
    "AgentResult",
    "Approval",
    "AttemptKey",
    "AttemptRecord",
    "Check",
    "CheckResult",
    "CheckStatus",
    "CostSource",
    "FailureClass",
    "Limits",
    "Need",
    "Outcome",
    "Prd",
    "Price",
    "ProcessEnd",
    "ProcessResult",
    "Proof",
    "RunPlan",
    "Selection",
    "StopReason",
    "Story",
    "StoryState",
    "Tokens",
    "ToolCall",
    "Verdict",
]
