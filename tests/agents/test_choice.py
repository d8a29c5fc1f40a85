"""Who works on a story, and with which model."""

import pytest

from prd_ralph.agents.choice import ChosenAgents
from prd_ralph.errors import BlockedError
from prd_ralph.model import AgentResult, ProcessEnd, ProcessResult, Story
from prd_ralph.ports import Agent, AgentRequest, OnAction


class Named:
    """An agent that is only looked at."""

    def __init__(self, label: str, autonomy: str = "") -> None:
        self.label = label
        self.autonomy = autonomy
        self.tells: tuple[str, ...] = ()

    def attempt(self, request: AgentRequest, on_action: OnAction) -> AgentResult:
        return AgentResult(ProcessResult(ProcessEnd.NOT_STARTED, None, 0.0))


ONE: Agent = Named("one 1.0", "--yes")
TWO: Agent = Named("two 2.0")
BOTH = ChosenAgents({"one": ONE, "two": TWO}, "plain", named={"two": TWO}, escalate=())


def chosen(agents: ChosenAgents, story: Story, level: int = 0, *away: str) -> tuple[str, str | None] | None:
    choice = agents.choose(story, level, away)
    return (choice.name, choice.model) if choice else None


def test_the_first_that_is_not_away_works() -> None:
    story = Story("US-001", "t", False)
    assert chosen(BOTH, story) == ("one", "plain")
    assert chosen(BOTH, story, 0, "one") == ("two", None)
    assert chosen(BOTH, story, 0, "two") == ("one", "plain")
    assert chosen(BOTH, story, 0, "one", "two") is None


def test_a_storys_own_agent_is_the_only_one_for_it() -> None:
    own = Story("US-001", "t", False, agent="two")
    assert chosen(BOTH, own) == ("two", "plain")
    assert chosen(BOTH, own, 0, "two") is None
    forced = ChosenAgents({"one": ONE}, agent_forced=True)
    assert chosen(forced, own) == ("one", None)


def test_an_agent_that_nobody_has_looked_for_is_refused() -> None:
    with pytest.raises(BlockedError, match="US-001 wants the agent three") as refused:
        chosen(BOTH, Story("US-001", "t", False, agent="three"))
    assert refused.value.problems[0].hint.startswith("run again")


@pytest.mark.parametrize(("level", "model"), [(0, "small"), (1, "big"), (2, "big"), (99, "big")])
def test_levels_end_at_the_last_model(level: int, model: str) -> None:  # C138
    escalating = ChosenAgents({"one": ONE}, "plain", escalate=("small", "big"))
    assert chosen(escalating, Story("US-001", "t", False), level) == ("one", model)
    assert chosen(escalating, Story("US-001", "t", False, model="own"), level) == ("one", "own")
    flagged = ChosenAgents({"one": ONE}, "flag", model_forced=True, escalate=("small", "big"))
    assert chosen(flagged, Story("US-001", "t", False, model="own"), level) == ("one", "flag")


def test_all_of_them_are_named_at_the_start() -> None:
    assert (BOTH.label, BOTH.autonomy, ChosenAgents().label) == ("one 1.0, two 2.0", {"one 1.0": "--yes"}, "none")
    with pytest.raises(BlockedError, match="no agent is configured"):
        ChosenAgents().choose(Story("US-001", "t", False))
