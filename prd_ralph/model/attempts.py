"""Attempts, and the decisions on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from prd_ralph.model.results import AgentResult, CheckResult
from prd_ralph.model.words import Outcome, Proof


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on an attempt, and why. `suspects`: what a pass may rest on though nobody looked; `proof`: a pass's.

    `warnings` has what else a person should know.
    """

    outcome: Outcome
    reason: str = ""
    warnings: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class AttemptKey:
    """Which attempt: `number` counts a story's attempts over all runs, from 1."""

    run: str
    story: str
    number: int


@dataclass(frozen=True, slots=True)
class Need:
    """What an agent's last words want of a person: they say that it is stuck, and why, or ask a question."""

    what: Literal["stuck", "question"]
    text: str


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """What is remembered of an attempt for the next prompt, the next decision and the summary.

    `tree`: the candidate's, as git names it. `agent_name` and `model`: who worked on it ("" and None: nobody known).
    `need`: what its agent wanted of a person. `proposed`: stories that its agent wants added.
    """

    key: AttemptKey
    verdict: Verdict
    checks: tuple[CheckResult, ...] = ()
    files: tuple[str, ...] = ()
    agent: AgentResult | None = None
    commit: str | None = None
    tree: str = ""
    agent_name: str = ""
    model: str | None = None
    need: Need | None = None
    proposed: tuple[Mapping[str, Any], ...] = ()
