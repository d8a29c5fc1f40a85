"""The scripted agent behind the port: starts the player, reads its events."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prd_ralph import __version__
from prd_ralph.agents.actions import call
from prd_ralph.agents.calls import tool_call
from prd_ralph.agents.environment import agent_env
from prd_ralph.agents.failures import failure_of
from prd_ralph.agents.lines import LineSplitter
from prd_ralph.agents.process import process_request
from prd_ralph.agents.scripted.script import load_script
from prd_ralph.agents.watched import Watched
from prd_ralph.model import ActionKind, AgentAction, AgentResult, FailureClass, ProcessEnd, ProcessResult, Tokens
from prd_ralph.ports import AgentRequest, OnAction, Processes

SCRIPT_VARIABLE = "PRD_RALPH_SCRIPT"
_TEXT_LIMIT = 64 << 10
_EVENT_LIMIT = 400
_CLASSES = frozenset(FailureClass)


class ScriptedAgent:
    """Plays `script` in a process of its own; `now` gives Unix time. Raises ProblemsError with all that is wrong with
    the script.
    """

    def __init__(self, processes: Processes, script: Path, now: Callable[[], float] = time.time) -> None:
        load_script(script)
        self._processes = processes
        self._script = script.absolute()
        self._now = now

    @property
    def label(self) -> str:
        return f"scripted {__version__}"

    @property
    def autonomy(self) -> str:
        return ""

    @property
    def tells(self) -> tuple[str, ...]:
        """As far as its script does."""
        return ("cost", "tokens")

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        watched = Watched(on_action)
        stream = ScriptedStream(watched, self._now)
        lines = LineSplitter(stream.line)

        def read(data: bytes) -> bool:
            lines.feed(data)
            return watched.enough

        # -P: what lies in the work tree is not to be imported for a module of ours.
        argv = (sys.executable, "-P", "-m", "prd_ralph.agents.scripted", str(request.attempt))
        env = {**agent_env(request.env), SCRIPT_VARIABLE: str(self._script)}
        process = self._processes.run(process_request(request, argv, env, request.prompt), read)
        lines.close()
        return stream.result(process)


class ScriptedStream:
    """What the player's lines add up to. A line that is no event of ours is text."""

    def __init__(self, on_action: OnAction, now: Callable[[], float] = time.time) -> None:
        self._on_action = on_action
        self._now = now
        self._text = ""
        self._tokens: Tokens | None = None
        self._cost: float | None = None
        self._tools = 0
        self._failure: FailureClass | None = None
        self._reset_at: float | None = None

    def line(self, data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        match _event(text):
            case {"event": "tool", "name": str(name), **more}:
                self._use(name, more.get("input"))
            case {"event": "cost", "usd": int() | float() as usd, "tokens": tokens}:
                self._add(usd, tokens)
            case {"event": "failure", "class": str(word), "reset_in": wait} if word in _CLASSES:
                self._failure = FailureClass(word)
                self._reset_at = self._now() + wait if isinstance(wait, int | float) else None
            case _:
                self._say(text)

    def result(self, process: ProcessResult) -> AgentResult:
        ended_by_itself = process.end is ProcessEnd.EXITED
        return AgentResult(
            process,
            text=self._text[-_TEXT_LIMIT:],
            failure=self._failure if self._failure and ended_by_itself else failure_of(process),
            tokens=self._tokens,
            cost_usd=self._cost,
            reset_at=self._reset_at,
            tool_calls=self._tools,
        )

    def _use(self, name: str, given: object) -> None:
        self._tools += 1
        told = call(name, given) if isinstance(given, dict) else name
        self._on_action(AgentAction(ActionKind.USES, told, call=tool_call(name, given)))

    def _say(self, text: str) -> None:
        self._text += f"{text}\n"
        if len(self._text) > 2 * _TEXT_LIMIT:  # now and then: cutting at each line would copy all of it each time
            self._text = self._text[-_TEXT_LIMIT:]
        if text.strip():
            self._on_action(AgentAction(ActionKind.SAYS, text[:_EVENT_LIMIT]))

    def _add(self, usd: float, tokens: object) -> None:
        self._cost = (self._cost or 0.0) + usd
        match tokens:
            case [int(read), int(written)]:
                before = self._tokens or Tokens()
                self._tokens = Tokens(before.input + read, before.output + written)


def _event(text: str) -> Any:
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
