"""Events as a run emits them, to be changed where a test needs another."""

from typing import Any

from prd_ralph import events

RUN = "20310301T080000Z-4f2a"
BASE = "abcdef0123456789"


def run_started(**changes: Any) -> events.RunStarted:
    values: dict[str, Any] = {
        "prd": "prd.json",
        "project": "TaskFlow",
        "branch": "ralph/x",
        "base": BASE,
        "agent": "claude 2.1",
        "open": 2,
        "total": 3,
        "limits": {"attempts": 3, "iterations": 26, "run_s": 86400.0, "idle_s": 0.0},
    }
    return events.RunStarted(**(values | changes))


def iteration(story: str = "US-001", charged: int = 0, **changes: Any) -> events.IterationStarted:
    values: dict[str, Any] = {
        "story": story,
        "attempt": charged + 1,
        "iteration": 1,
        "cap": 26,
        "title": "Add a field",
        "charged": charged,
        "max_attempts": 3,
    }
    return events.IterationStarted(**(values | changes))


def agent_finished(**changes: Any) -> events.AgentFinished:
    values: dict[str, Any] = {
        "story": "US-001",
        "attempt": 1,
        "end": "exited",
        "exit_code": 0,
        "duration_s": 12.0,
        "failure": None,
        "cost_usd": None,
        "tokens_in": None,
        "tokens_out": None,
        "output_bytes": 5,
        "swept": 0,
        "stuck": (),
        "tail": "",
    }
    return events.AgentFinished(**(values | changes))


def check(status: str = "passed", **changes: Any) -> events.CheckFinished:
    values: dict[str, Any] = {
        "story": "US-001",
        "attempt": 1,
        "name": "npm test",
        "command": "npm test",
        "own": True,
        "status": status,
        "exit_code": 0 if status == "passed" else 1,
        "duration_s": 0.3,
        "suspect": "",
        "excerpt": "",
    }
    return events.CheckFinished(**(values | changes))


def judged(outcome: str = "passed", reason: str = "", **changes: Any) -> events.Judged:
    values: dict[str, Any] = {
        "story": "US-001",
        "attempt": 1,
        "outcome": outcome,
        "reason": reason,
        "charged": True,
        "duration_s": 15.0,
    }
    return events.Judged(**(values | changes))


def landed(story: str = "US-001") -> events.LandedEvent:
    return events.LandedEvent(story=story, attempt=1, commit="1234567890abcdef", title="Add a field", files=2)


def run_finished(stop: str = "complete", code: int = 0, **changes: Any) -> events.RunFinished:
    values: dict[str, Any] = {
        "stop": stop,
        "exit": code,
        "reason": "",
        "total": 3,
        "passed": 3,
        "failing": 0,
        "blocked": 0,
        "skipped": 0,
        "iterations": 2,
        "duration_s": 65.0,
        "cost_usd": None,
        "branch": "ralph/x",
    }
    return events.RunFinished(**(values | changes))
