"""Everyone who wants a flag that is not true, by what they touch."""

from tests.adversaries.adversary import Adversary
from tests.adversaries.cast.code import CODE
from tests.adversaries.cast.git import GIT
from tests.adversaries.cast.ground import GROUND
from tests.adversaries.cast.left_out import LEFT_OUT
from tests.adversaries.cast.prd import PRD
from tests.adversaries.cast.processes import PROCESSES
from tests.adversaries.cast.runners import RUNNERS
from tests.adversaries.cast.state import STATE
from tests.adversaries.cast.tests import TESTS
from tests.adversaries.cast.words import WORDS

ADVERSARIES: tuple[Adversary, ...] = (
    *(*WORDS, *PRD, *STATE, *GIT, *PROCESSES),
    *(*GROUND, *LEFT_OUT, *TESTS, *RUNNERS, *CODE),
)
