"""prd.json: read strictly, with every error at its place, edited in place, and guarded.

What the rest of the program uses is here, but for `foreign`, which few commands need; the modules are for this package.
"""

from prd_ralph.prdfile.approval import with_approval
from prd_ralph.prdfile.file import JsonPrdFile
from prd_ralph.prdfile.given import checks_of
from prd_ralph.prdfile.linting import RULES, Surroundings, first_word, lint, masked
from prd_ralph.prdfile.meaning import open_without_commands
from prd_ralph.prdfile.origin import origin_of
from prd_ralph.prdfile.reading import parse
from prd_ralph.prdfile.reshape import reshaped, value_in
from prd_ralph.prdfile.search import find

__all__ = [
    "RULES",
    "JsonPrdFile",
    "Surroundings",
    "checks_of",
    "find",
    "first_word",
    "lint",
    "masked",
    "open_without_commands",
    "origin_of",
    "parse",
    "reshaped",
    "value_in",
    "with_approval",
]
