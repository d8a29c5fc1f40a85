"""Shell lines, read as far as is needed to say whether they can fail. Nothing is run, and a doubt is no answer."""

from prd_ralph.prdfile.shell.nodes import Chain, Node, Pipe, Series, Simple, simples
from prd_ralph.prdfile.shell.parser import parsed
from prd_ralph.prdfile.shell.status import Mode, can_fail, inner, is_filter, mask, program_of

__all__ = [
    "Chain",
    "Mode",
    "Node",
    "Pipe",
    "Series",
    "Simple",
    "can_fail",
    "inner",
    "is_filter",
    "mask",
    "parsed",
    "program_of",
    "simples",
]
