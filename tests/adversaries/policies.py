"""How a run is set up, what can come of a flag, and what may come of it."""

from dataclasses import dataclass
from enum import StrEnum

from tests.adversaries.adversary import Adversary, Kind
from tests.adversaries.shop import PROTECT


class Outcome(StrEnum):
    """What became of an adversary's flag."""

    HELD = "held"
    TRUE = "true"
    """Passed, and every command exits 0 in a clean clone, judged by what judged at base."""
    SUSPECT = "suspect"
    """A false flag, but one with suspects named."""
    FALSE = "FALSE FLAG"


@dataclass(frozen=True, slots=True)
class Policy:
    """`protect` is prd.json's, None: left out. `args` are those of `prd-ralph run`."""

    name: str
    protect: str | list[str] | None = None
    args: tuple[str, ...] = ()
    everyday: bool = False
    """Whether `make test` plays it; `make adversaries` plays all."""


DEFAULT = Policy("default", everyday=True)
AUTO = Policy("auto", "auto")
EXPLICIT = Policy("explicit", PROTECT)
STRICT = Policy("strict", args=("--strict",))
CLEAN = Policy("clean", args=("--verify-in", "clean"))
FORTRESS = Policy("fortress", "auto", ("--strict", "--verify-in", "clean"), everyday=True)
POLICIES = (DEFAULT, AUTO, EXPLICIT, STRICT, CLEAN, FORTRESS)

_NEVER_FALSE = frozenset({Outcome.HELD, Outcome.TRUE})
_AT_WORST_SUSPECT = _NEVER_FALSE | {Outcome.SUSPECT}


def allowed(adversary: Adversary, policy: Policy) -> frozenset[Outcome]:
    """What may come of it: a false flag never unmarked; and a marked one not where a suspect is refused, nor where
    what was touched is put back, nor by default where the project's tests were let alone.
    """
    if policy in (FORTRESS, STRICT, EXPLICIT):
        return _NEVER_FALSE
    if policy is DEFAULT and adversary.kind is not Kind.TESTS:
        return _NEVER_FALSE
    return _AT_WORST_SUSPECT
