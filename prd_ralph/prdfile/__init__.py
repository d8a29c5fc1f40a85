"""prd.json: read strictly, with every error at its place, edited in place, and guarded.

What the rest of the program uses is here; the modules are for this package.
"""

from prd_ralph.prdfile.file import JsonPrdFile
from prd_ralph.prdfile.given import checks_of
from prd_ralph.prdfile.linting import lint, masked
from prd_ralph.prdfile.meaning import open_without_commands
from prd_ralph.prdfile.origin import origin_of
from prd_ralph.prdfile.reading import parse
from prd_ralph.prdfile.reshape import reshaped, value_in
from prd_ralph.prdfile.search import find
from prd_ralph.prdfile.summary import overview

__all__ = [
    "JsonPrdFile",
    "checks_of",
    "find",
    "lint",
    "masked",
    "open_without_commands",
    "origin_of",
    "overview",
    "parse",
    "reshaped",
    "value_in",
]
