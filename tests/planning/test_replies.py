"""C080: JSON out of what an agent says, however it is wrapped; and asking again until it is a plan."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import Problem, ProblemsError
from prd_ralph.model import AgentResult, FailureClass, Prd, ProcessEnd, ProcessResult, Tokens
from prd_ralph.planning.conversation import Conversation, converse, document_in
from prd_ralph.planning.replies import objects_in
from prd_ralph.prdfile import parse

ENDED = ProcessResult(ProcessEnd.EXITED, 0, 1.0)
STORY = {"id": "US-001", "title": "T", "acceptanceCriteria": ["c"], "passes": False}
PLAN = {"project": "P", "userStories": [STORY]}
GOOD = json.dumps(PLAN)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def read(data: bytes) -> Prd:
    return parse(data, "reply").prd


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("", []),
        ("no JSON here", []),
        ('{"a": 1}', [{"a": 1}]),
        ('Here it is:\n```json\n{"a": 1}\n```\nDone.', [{"a": 1}]),
        ('~~~\n{"a": [1, 2,], "b": {"c": 3,},}\n~~~', [{"a": [1, 2], "b": {"c": 3}}]),
        ('{"a": 1} and {"b": {"c": "}"}}', [{"a": 1}, {"b": {"c": "}"}}]),
        ('{"a": "x,}", "b": "\\"{"}', [{"a": "x,}", "b": '"{'}]),
        ('Write {id} for {braces, then {"a": 1}', [{"a": 1}]),
        ('a stray } and a "quote\n{"a": 1}', [{"a": 1}]),
        ('{"broken": {"inner": 1}, nonsense}', [{"inner": 1}]),
        ("{'a': 1}", []),
        ('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"open": {"never": "closed"', []),
        ("{ }", [{}]),
    ],
)
def test_objects_in_a_reply(reply: str, found: list[object]) -> None:
    assert [json.loads(text) for text in objects_in(reply)] == found


@given(st.lists(st.dictionaries(st.text(), JSON), max_size=3), st.booleans())
def test_whatever_is_said_in_json_is_found(values: list[dict[str, object]], indented: bool) -> None:
    told = [json.dumps(value, indent=2 if indented else None) for value in values]
    reply = "First:\n" + "\n```\nand then\n```json\n".join(told) + "\nThat is all."
    assert [json.loads(text) for text in objects_in(reply)] == values


@given(st.text(alphabet='{}",:[]a1 \n\\'))
def test_no_reply_is_too_much(reply: str) -> None:
    for text in objects_in(reply):
        assert isinstance(json.loads(text), dict)


def test_a_reply_of_braces_comes_to_an_end() -> None:
    assert objects_in("{" * 200_000) == ()
    assert objects_in('{"a":' * 5_000 + "}" * 5_000) == ()
    assert objects_in('{"a":' * 3_000 + "1" + "}" * 3_000) != (GOOD,)


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"note": "a thought"}}\n{GOOD}',
        f'{GOOD}\n{{"note": "a thought"}}',
        f"{json.dumps({**PLAN, 'userStories': []})} no, this: {GOOD}",
    ],
)
def test_only_an_object_that_is_valid_is_taken(reply: str) -> None:
    prd, faults = document_in(reply, read)
    assert prd is not None
    assert ([story.id for story in prd.stories], faults) == (["US-001"], ())


def test_of_several_the_last_counts() -> None:
    prd, _ = document_in(f"{GOOD} better: {GOOD.replace('US-001', 'US-009')}", read)
    assert prd is not None
    assert prd.stories[0].id == "US-009"


def test_what_is_wrong_is_said_of_the_one_that_comes_nearest() -> None:
    wrong = json.dumps({"project": "P", "userStories": [{"id": "US-001", "title": "T"}]})
    prd, faults = document_in(f'{wrong} {{"a": 1}}', read)
    assert prd is None
    assert [fault.pointer for fault in faults] == ["/userStories/0"]
    assert document_in('{"a": 1}', read)[1][0].file == "reply"
    assert "no JSON object" in document_in("sorry", read)[1][0].message


class Scripted:
    """An agent that answers so, in order; what it was told is kept."""

    def __init__(self, *results: AgentResult) -> None:
        self._results = list(results)
        self.told: list[tuple[int, str, tuple[Problem, ...]]] = []

    def __call__(self, number: int, reply: str, faults: tuple[Problem, ...]) -> AgentResult:
        self.told.append((number, reply, faults))
        return self._results[number - 1]


def said(text: str, tokens: Tokens | None = None, cost: float | None = None) -> AgentResult:
    """Without a call of a tool, as an agent is that only answers."""
    return AgentResult(ENDED, text, FailureClass.NO_WORK, tokens, cost)


def test_a_good_reply_ends_it() -> None:
    agent = Scripted(said(GOOD))
    conversation = converse(agent, read)
    assert conversation.prd is not None
    assert agent.told == [(1, "", ())]


def test_the_next_attempt_is_told_what_was_wrong() -> None:
    agent = Scripted(said("I would say: {}"), said(GOOD))
    conversation = converse(agent, read)
    assert conversation.prd is not None
    number, reply, faults = agent.told[1]
    assert (number, reply) == (2, "I would say: {}")
    assert "userStories" in str(faults[0])


def test_it_gives_up() -> None:
    agent = Scripted(*[said("no")] * 4)
    conversation = converse(agent, read)
    assert (conversation.prd, len(agent.told), len(conversation.faults)) == (None, 3, 1)
    assert not conversation.failed


@pytest.mark.parametrize("failure", [each for each in FailureClass if each is not FailureClass.NO_WORK])
def test_a_failure_ends_it_at_once(failure: FailureClass) -> None:
    agent = Scripted(said("no"), AgentResult(ENDED, GOOD, failure))
    conversation = converse(agent, read)
    assert (conversation.prd, conversation.failed, len(agent.told)) == (None, True, 2)


def test_the_person_ends_it() -> None:
    agent = Scripted(AgentResult(ProcessResult(ProcessEnd.STOPPED, None, 1.0), GOOD))
    conversation = converse(agent, read)
    assert (conversation.prd, conversation.stopped) == (None, True)


@pytest.mark.parametrize(
    ("tokens", "costs", "total", "cost"),
    [
        ([Tokens(1, 2, 3), Tokens(10, 20, 30)], [0.5, 0.25], Tokens(11, 22, 33), 0.75),
        ([Tokens(1, 2, 3), None], [0.5, None], None, None),
        ([None], [0.0], None, 0.0),
    ],
)
def test_what_is_unknown_stays_unknown(
    tokens: Sequence[Tokens | None], costs: Sequence[float | None], total: Tokens | None, cost: float | None
) -> None:
    results = tuple(said("", each, usd) for each, usd in zip(tokens, costs, strict=True))
    conversation = Conversation(results)
    assert (conversation.tokens, conversation.cost_usd) == (total, cost)


def test_a_reader_may_refuse_more() -> None:
    def never(data: bytes) -> Prd:
        raise ProblemsError([Problem("too short")])

    assert document_in(GOOD, never) == (None, (Problem("too short"),))
