"""What the output of a test runner says of its tests: pure, over text without terminal escapes.

Output is an agent's as much as a runner's: what is read here may raise a doubt, and never makes a pass.
"""

from prd_ralph.runners.calls import Run, calls_of, expects_failure
from prd_ralph.runners.doubts import explanation, shortfall, suspicion
from prd_ralph.runners.reading import Reading
from prd_ralph.runners.readings import read

__all__ = ["Reading", "Run", "calls_of", "expects_failure", "explanation", "read", "shortfall", "suspicion"]
