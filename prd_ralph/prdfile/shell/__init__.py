"""Shell lines, read as far as is needed to say whether they can fail. Nothing is run, and a doubt is no answer."""

from prd_ralph.prdfile.shell.nodes import Chain, Node, Pipe, Place, Series, Simple, simples
from prd_ralph.prdfile.shell.parser import parsed
from prd_ralph.prdfile.shell.status import Mode, can_fail, inner, is_filter, mask, program_of
from prd_ralph.prdfile.shell.tokens import Token

__all__ = [
    "Chain",
    "Mode",
    "Node",
    "Pipe",
    "Place",
    "Series",
    "Simple",
    "Token",
    "can_fail",
    "inner",
    "is_filter",
    "mask",
    "parsed",
    "program_of",
    "simples",
]
