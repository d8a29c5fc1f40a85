"""Adversary by policy: no flag stands that is not true, and what cannot be told is named."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adversaries import naive
from tests.adversaries.adversary import Adversary, Kind
from tests.adversaries.cast import ADVERSARIES
from tests.adversaries.cell import played
from tests.adversaries.policies import EXPLICIT, POLICIES, Outcome, Policy, allowed

Noted = Callable[[str, str, str, bool], None]

pytestmark = pytest.mark.skipif(os.name != "posix" or not Path("/proc").is_dir(), reason="Linux's processes and tools")

_DOCUMENTED = (0, 1, 3)
"""The exit codes of DESIGN's table that a run may end with here: never a bug of ours."""
_CELLS = [
    pytest.param(
        adversary,
        policy,
        id=f"{policy.name}: {adversary.name}",
        marks=[] if policy.everyday else [pytest.mark.adversaries],
    )
    for adversary in ADVERSARIES
    for policy in POLICIES
    if policy is not EXPLICIT or adversary.kind is Kind.TESTS
]


@pytest.mark.parametrize(("adversary", "policy"), _CELLS)
def test_no_flag_stands_that_is_not_true(
    tmp_path: Path, adversary: Adversary, policy: Policy, noted: Noted
) -> None:  # C024 C025 C031 C042
    with played(tmp_path, adversary, policy.protect) as cell:
        done = cell.run(policy)
        outcome = cell.outcome(done)
        holds = outcome in allowed(adversary, policy)
        noted(adversary.name, policy.name, outcome, holds)
        assert holds, f"{outcome}\n{done.err}"
        assert done.code in _DOCUMENTED


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda adversary: adversary.name)
def test_a_loop_that_believes_is_fooled(tmp_path: Path, adversary: Adversary, noted: Noted) -> None:
    with played(tmp_path, adversary) as cell:
        fooled = naive.fools(cell)
        noted(adversary.name, "naive", Outcome.FALSE if fooled else Outcome.TRUE, True)
        assert fooled is (adversary.kind is not Kind.CODE)


def test_there_are_forty_different_ones() -> None:
    assert len({adversary.name for adversary in ADVERSARIES}) == len(ADVERSARIES) >= 40
    assert len({(*adversary.plays.items(), str(adversary.command)) for adversary in ADVERSARIES}) == len(ADVERSARIES)
