"""What is known of a PRD and its runs, as frozen values: every report and page is made of these, and of nothing else.

They are a fold over the ledgers, held against prd.json and git; so no two outputs can disagree.
"""

from prd_ralph.facts.attempts import AttemptFacts, CheckFacts
from prd_ralph.facts.fold import RunFold
from prd_ralph.facts.report import Basis, CommandFacts, Delta, FileStat, LiveFacts, Report, StoryFacts, percent
from prd_ralph.facts.runs import RegressionFacts, RunFacts, WaitFacts

__all__ = [
    "AttemptFacts",
    "Basis",
    "CheckFacts",
    "CommandFacts",
    "Delta",
    "FileStat",
    "LiveFacts",
    "RegressionFacts",
    "Report",
    "RunFacts",
    "RunFold",
    "StoryFacts",
    "WaitFacts",
    "percent",
]
