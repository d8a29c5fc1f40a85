"""What an agent was seen to do, as lines."""

from collections.abc import Iterator

from prd_ralph.model import AgentAction
from prd_ralph.wording.text import printable

_WIDTH = 6
_LINE = 2000


def action_lines(action: AgentAction) -> Iterator[str]:
    """`uses  Bash: npm test`; a text of several lines is indented below its first."""
    lead = f"{action.kind:<{_WIDTH}}"
    for line in filter(str.strip, action.text.splitlines()):
        yield lead + printable(line.rstrip(), _LINE)
        lead = " " * _WIDTH
