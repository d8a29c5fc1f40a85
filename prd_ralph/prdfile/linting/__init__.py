"""What in a valid prd.json can prove nothing or is likely to fail: told, never refused.

A rule is a small pure function over the document and its surroundings; `table` has them all by name.
"""

from prd_ralph.prdfile.linting.programs import first_word
from prd_ralph.prdfile.linting.subject import Surroundings
from prd_ralph.prdfile.linting.table import RULES, lint, masked

__all__ = ["RULES", "Surroundings", "first_word", "lint", "masked"]
