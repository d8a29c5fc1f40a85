"""Codex's stream (`codex exec --json`), as version 0.171.0 writes it; what is not known is passed over.

An `error` item is a warning that good runs have too, and an `error` event may be a retry: only `turn.failed`, or the
last error of a turn that never completed, is a failure. Without a network it reconnects for ever: that is told as a
transient failure once it has gone on for a while with nothing else in between.
"""

import re
from collections.abc import Callable
from typing import Any

from prd_ralph.agents.actions import call, first_line, short
from prd_ralph.agents.calls import server_call, shell_call, tool_call, unseen
from prd_ralph.agents.failures import of_error
from prd_ralph.agents.jsonlines import Event, count_of, mapping_of, parsed, text_of
from prd_ralph.agents.resets import reset_at
from prd_ralph.agents.told import Told
from prd_ralph.model import ActionKind, AgentAction, Tokens, ToolCall

_STATUS = re.compile(r"\bstatus:? (\d{3})\b")
_RETRY = re.compile(r"^reconnecting", re.IGNORECASE)
_PATIENCE = 20
"""Attempts to reconnect, some seconds each, that lead to nothing: after these no network is to be hoped for."""

_TOOLS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"})
_NO_TOOLS = frozenset({"agent_message", "user_message", "reasoning", "todo_list", "error"})


class CodexStream:
    """Takes the events one after the other; `told` is what they come to. `now` gives Unix time."""

    def __init__(self, on_action: Callable[[AgentAction], object], now: Callable[[], float]) -> None:
        self._on_action = on_action
        self._now = now
        self._began = False
        self._over = False
        self._session: str | None = None
        self._spoken = ""
        self._error = ""
        self._failed = False
        self._completed = False
        self._retries = 0
        self._unknown = False
        self._calls: set[str] = set()
        self._tokens: Tokens | None = None

    def take(self, event: Event) -> None:
        match event.get("type"):
            case "thread.started":
                self._session = text_of(event.get("thread_id")) or None
                self._say(ActionKind.NOTE, "session begins")
            case "turn.completed":
                self._over = self._completed = True
                self._failed = False
                self._tokens = _tokens(mapping_of(event.get("usage"))) if event.get("usage") else self._tokens
            case "turn.failed":
                self._over = self._failed = True
                self._completed = False
                self._error = _message(mapping_of(event.get("error"))) or self._error
            case "error":
                self._complain(_message(event))
            case "item.started" | "item.completed":
                self._over = False
                self._item(mapping_of(event.get("item")), ended=event.get("type") == "item.completed")
            case "turn.started" | "item.updated":
                self._over = False
            case _:
                return
        self._began = True

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self._retries >= _PATIENCE

    @property
    def is_over(self) -> bool:
        """Its turn has ended, and no other has begun."""
        return self._over

    @property
    def told(self) -> Told:
        """What all events come to."""
        failed = self._failed or (bool(self._error) and not self._completed)
        plain, status = _unwrapped(self._error)
        return Told(
            began=self._began,
            ended=self._completed or failed,
            text=self._spoken,
            failure=of_error(f"{plain}\n{self._error}", status) if failed else None,
            error=plain if failed else "",
            tokens=self._tokens,
            session=self._session,
            reset_at=reset_at(self._error, self._now()) if failed else None,
            tool_calls=self._counted if self._completed or failed else None,
        )

    @property
    def _counted(self) -> int | None:
        """Of an item that we do not know, it is not known whether it was a call."""
        return len(self._calls) or (None if self._unknown else 0)

    def _complain(self, message: str) -> None:
        if _RETRY.match(message):
            self._retries += 1
        if not _RETRY.match(message) or self.is_hopeless:
            self._error = message
        self._say(ActionKind.NOTE, short(message))

    def _item(self, item: Event, ended: bool) -> None:
        kind, text = text_of(item.get("type")), text_of(item.get("text"))
        if kind != "error":
            self._retries = 0
        self._unknown = self._unknown or kind not in _TOOLS | _NO_TOOLS
        if kind in _TOOLS:
            self._tool(kind, item, ended)
        elif not ended:
            return
        elif kind == "agent_message":
            self._spoken = text
            self._say(ActionKind.SAYS, text)
        elif kind == "error":
            self._say(ActionKind.NOTE, short(text_of(item.get("message"))))

    def _tool(self, kind: str, item: Event, ended: bool) -> None:
        """Some tools are told when they start and when they end, some only then."""
        name = text_of(item.get("id")) or str(len(self._calls))
        if name not in self._calls:
            self._calls.add(name)
            self._say(ActionKind.USES, _use(kind, item), _made(kind, item))
        if ended and kind == "command_execution":
            code = item.get("exit_code")
            failed = f"exit {code}: " if isinstance(code, int) and code else ""
            self._say(ActionKind.GETS, failed + first_line(text_of(item.get("aggregated_output"))))

    def _say(self, kind: ActionKind, text: str, made: ToolCall | None = None) -> None:
        self._on_action(AgentAction(kind, text, self._tokens, made))


def _use(kind: str, item: Event) -> str:
    match kind:
        case "command_execution":
            return call("shell", {"command": _without_shell(text_of(item.get("command")))})
        case "file_change":
            changes = item.get("changes")
            listed = [mapping_of(each) for each in changes] if isinstance(changes, list) else []
            return call("edit", {"path": ", ".join(text_of(each.get("path")) for each in listed)})
        case "mcp_tool_call":
            return f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"
        case _:
            return call(kind, item)


def _made(kind: str, item: Event) -> ToolCall:
    match kind:
        case "command_execution":
            return shell_call("shell", {"command": item.get("command")})
        case "file_change":  # what was written is not told
            return unseen("edit", edits=True)
        case "mcp_tool_call":
            server, name = text_of(item.get("server")), text_of(item.get("tool"))
            return server_call(f"{server}.{name}", name, mapping_of(item.get("arguments")))
        case _:
            return tool_call(kind, None)


def _without_shell(command: str) -> str:
    """`/bin/bash -lc "npm test"` is `npm test`."""
    found = re.fullmatch(r"""\S*/?(?:ba|z)?sh -l?c (["'])(.*)\1""", command, re.DOTALL)
    return found[2] if found else command


def _message(event: Event) -> str:
    return text_of(event.get("message"))


def _unwrapped(message: str) -> tuple[str, int | None]:
    """An error in words, and the HTTP status that it names. An API's answer may come as the JSON that it was."""
    body: Any = parsed(message.encode("utf-8", "replace"))
    inner = mapping_of(mapping_of(body).get("error"))
    words = " ".join(filter(None, (text_of(inner.get("message")), text_of(inner.get("code")))))
    found = _STATUS.search(message)
    return words or message, int(found[1]) if found else None


def _tokens(usage: Event) -> Tokens:
    """What was read from the cache is part of what codex calls input."""
    cached = count_of(usage.get("cached_input_tokens"))
    return Tokens(max(0, count_of(usage.get("input_tokens")) - cached), count_of(usage.get("output_tokens")), cached)
