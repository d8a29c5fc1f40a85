"""A transcript, read as its agent's actions: while it grows, or afterwards."""

from collections.abc import Callable
from typing import Protocol

from prd_ralph.agents.jsonlines import JsonEvents
from prd_ralph.agents.lines import LineSplitter
from prd_ralph.agents.presets import PRESETS
from prd_ralph.agents.scripted.adapter import ScriptedStream
from prd_ralph.agents.spoken import spoken
from prd_ralph.model import AgentAction

OnAction = Callable[[AgentAction], object]


class Reader(Protocol):
    """Takes the transcript's bytes in any pieces."""

    def feed(self, data: bytes) -> None: ...

    def close(self) -> None:
        """That was all of it."""
        ...


def reader(label: str, on_action: OnAction) -> Reader:
    """A reader for the agent called `label` (`claude 2.1.332`); what a command of the person's says are its lines."""
    name = label.partition(" ")[0]
    if name in PRESETS:
        return JsonEvents(PRESETS[name].stream(on_action).take)
    if name == "scripted":
        return LineSplitter(ScriptedStream(on_action).line)
    return spoken(on_action)
