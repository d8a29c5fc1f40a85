"""Words that promise and don't say, in en, es, de, fr, pt, hu and zh. Narrow: a false alarm costs more than a miss."""

from prd_ralph.prdfile.linting.words.epic import EPIC
from prd_ralph.prdfile.linting.words.manual import MANUAL
from prd_ralph.prdfile.linting.words.plain import CHECKABLE, QUOTED
from prd_ralph.prdfile.linting.words.subjective import SUBJECTIVE
from prd_ralph.prdfile.linting.words.vague import VAGUE

__all__ = ["CHECKABLE", "EPIC", "MANUAL", "QUOTED", "SUBJECTIVE", "VAGUE"]
