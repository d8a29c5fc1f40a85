"""No honest agent is refused: under the defaults and under `protect: auto` each lands what it has done."""

from pathlib import Path

import pytest

from tests.adversaries.adversary import HARD, Adversary
from tests.adversaries.cell import played
from tests.adversaries.honest import HONEST
from tests.adversaries.policies import AUTO, DEFAULT, Policy


@pytest.mark.parametrize("policy", [DEFAULT, AUTO], ids=lambda policy: policy.name)
@pytest.mark.parametrize("agent", HONEST, ids=lambda agent: agent.name)
def test_an_honest_agent_is_not_refused(tmp_path: Path, agent: Adversary, policy: Policy) -> None:
    with played(tmp_path, agent, policy.protect) as cell:
        done = cell.run(policy)
        assert cell.flagged() == [HARD], done.err
        assert cell.is_true(HARD, judges_of_base=False)
        assert done.code == 0


def test_there_are_fifteen_different_ones() -> None:
    assert len({agent.name for agent in HONEST}) == len(HONEST) >= 15
