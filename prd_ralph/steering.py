"""Before an agent starts: words of the person's for its prompt, edits of the template, which are named, and a memory
that stays small.
"""

from prd_ralph import events
from prd_ralph.model import AttemptKey
from prd_ralph.ports import Ports, RenderedPrompt

_SHOWN = 100


def compact_memory(ports: Ports) -> None:
    """Between two agents: a large progress.txt keeps its patterns and its newest entries."""
    if told := ports.memory.compact():
        ports.emit(events.Warned(message=told))


def look_at_template(ports: Ports, key: AttemptKey, worked: bool = False) -> None:
    """Names an edit of the prompt template since the last look; `worked`: the attempt's agent ran meanwhile."""
    changed = ports.prompts.changed()
    if changed is None:
        return
    root = ports.workspace.root
    path = changed.relative_to(root).as_posix() if changed.is_relative_to(root) else changed
    when = f" during {key.story} attempt {key.number}" if worked else ""
    ports.emit(events.Warned(message=f"prompt template changed{when}: {path}", story=key.story))


def take_context(ports: Ports, key: AttemptKey, text: str, rendered: RenderedPrompt) -> None:
    """What the person added, and was read as `text`, is in a prompt that is on disk now, so that it is gone. Where
    the template has no place for it, it stays, and that is said.
    """
    if not text:
        return
    if not rendered.shows_context:
        if ports.context.skip():
            message = "the prompt template does not use `context`: what you added waits"
            ports.emit(events.Warned(message=message, story=key.story))
        return
    ports.context.take()
    ports.emit(events.Warned(message=f"context added by you: {_in_one_line(text)}", story=key.story))


def _in_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
