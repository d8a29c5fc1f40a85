"""An agent's call of a tool, as its stream tells it: whether it reads, acts or edits, and all that it was given.

A tool that is known to read is neither counted nor in the way of counting; one that is not known, or whose input the
stream does not tell whole, may have changed anything.
"""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from prd_ralph.agents.lookers import words_of
from prd_ralph.agents.polling import only_looks
from prd_ralph.model import ToolCall

SIGNATURE_LIMIT = 64 << 10
_HEAD = 1000

_SHELLS = frozenset({"Bash", "PowerShell", "shell", "exec_command", "local_shell"})
_EDITS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit", "write"})
_READS = frozenset(
    {
        *("Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "web_search", "ToolSearch", "LSP"),
        *("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "update_plan"),
        *("BashOutput", "TaskOutput", "AgentOutputTool", "Monitor", "Sleep", "wait"),
        *("ListMcpResources", "ListMcpResourcesTool", "ReadMcpResource", "ReadMcpResourceTool"),
        *("EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "Skill"),
    }
)
_READING = words_of(
    "get list read search find fetch status query view show describe check wait poll browse look lookup count snapshot "
    "screenshot log logs inspect"
)
_ACTING = words_of(
    "create set update delete remove write edit add insert put post send run exec execute click type fill press drag "
    "navigate start stop restart replace rename move copy apply push merge commit save upload install deploy trigger "
    "cancel close open build test"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def tool_call(tool: str, given: object, helper: str = "") -> ToolCall:
    """A call by the tool's name. `given`: its input, as far as the stream tells it. `helper`: of which helper agent."""
    arguments = given if isinstance(given, Mapping) else {}
    if tool in _READS:
        return ToolCall(tool)
    if tool in _SHELLS:
        return shell_call(tool, arguments, helper)
    if tool in _EDITS:  # with a path alone it is not told what was written
        return ToolCall(tool, _signature(tool, arguments, helper) if len(arguments) > 1 else None, True, edits=True)
    server, _, name = tool.removeprefix("mcp__").rpartition("__")
    if tool.startswith("mcp__"):
        return server_call(tool, name or server, arguments, helper)
    return unseen(tool)


def shell_call(tool: str, arguments: Mapping[str, Any], helper: str = "") -> ToolCall:
    """A shell line; one that only looks, or asks how something stands, is no act."""
    line = arguments.get("command", arguments.get("cmd"))
    if isinstance(line, list):
        line = shlex.join(map(str, line))
    if not isinstance(line, str) or not line.strip():
        return unseen(tool)
    return ToolCall(tool) if only_looks(line) else ToolCall(tool, _signature(tool, arguments, helper), True)


def server_call(tool: str, name: str, arguments: Mapping[str, Any], helper: str = "") -> ToolCall:
    """A call of an MCP server's tool `name`, which tells by its words whether it reads."""
    words = [word.lower() for word in _WORD.findall(name)]
    if _reads(words):
        return ToolCall(tool)
    return ToolCall(tool, _signature(tool, arguments, helper), True) if arguments else unseen(tool)


def unseen(tool: str, edits: bool = False) -> ToolCall:
    """A call of which it is not known what it did."""
    return ToolCall(tool, None, True, edits)


def _reads(words: Sequence[str]) -> bool:
    """`get_run`, `searchIssues`, `browser_snapshot`; not `set_status`, nor `get_or_create`."""
    if not set(words) & _READING or "or" in words:
        return False
    return words[0] in _READING or not set(words) & _ACTING


def _signature(tool: str, arguments: Mapping[str, Any], helper: str) -> str:
    """Helper agents work side by side: what each of them does once is done once."""
    within = f" (helper {helper})" if helper else ""
    whole = f"{tool}{within} {json.dumps(arguments, sort_keys=True)}"
    if len(whole) <= SIGNATURE_LIMIT:
        return whole
    return f"{whole[:_HEAD]}… sha256:{hashlib.sha256(whole.encode()).hexdigest()}"
