"""What the board knows after events, in any order."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph import events
from prd_ralph.console.board_state import ACTIONS_KEPT, TEXT_KEPT, WARNINGS_KEPT, BoardState
from prd_ralph.model import ActionKind, AgentAction, Tokens
from prd_ralph.wording.spent import cost_words, in_thousands, token_words
from tests.console.happened import agent_finished, check, iteration, judged, landed, run_finished, run_started

STORIES: tuple[dict[str, Any], ...] = (
    {"id": "US-001", "title": "One", "state": "ready", "reason": ""},
    {"id": "US-002", "title": "Two", "state": "blocked", "reason": "waits for US-001", "waits_for": ("US-001",)},
    {
        "id": "US-003",
        "title": "Three",
        "state": "blocked",
        "reason": "waits for US-001, US-002",
        "waits_for": ["US-001", "US-002"],
    },
)
AGENT = events.AgentStarted(story="US-001", attempt=1, agent="claude 2.1", model=None, prompt_bytes=9)
FROZEN = events.CandidateFrozen(story="US-001", attempt=1, tree="t", files=("a",), left_out=(".env: secrets",))
HAPPENED = (
    run_started(stories=STORIES),
    iteration(),
    iteration("US-009", 2),
    AGENT,
    agent_finished(cost_usd=0.5, tokens_in=10),
    agent_finished(stuck=(7,)),
    FROZEN,
    check(),
    check("failed"),
    judged("failed"),
    judged(),
    landed(),
    landed("US-008"),
    events.LandFailed(story="US-001", attempt=1, text="no"),
    events.SetAside(story="US-001", attempt=1),
    events.Tampered(story="US-001", attempt=1, what=("/a",)),
    events.Warned(message="odd"),
    events.Stalled(story="US-002", attempt=1, times=3, answer="set_aside"),
    events.Asked(story="US-003", attempt=1, what="stuck", text="no key", times=2),
    run_finished(),
    events.RunEvent(),
    AgentAction(ActionKind.SAYS, "x" * 5000, Tokens(1, 2)),
    AgentAction(ActionKind.NOTE, ""),
)


def after(*happened: events.RunEvent | AgentAction) -> BoardState:
    board = BoardState()
    for at, each in enumerate(happened):
        board = board.seen(each) if isinstance(each, AgentAction) else board.after(each, float(at))
    return board


def states(board: BoardState) -> list[str]:
    return [line.state for line in board.stories.values()]


def test_an_iteration_as_it_goes() -> None:
    board = after(run_started(stories=STORIES), iteration(), AGENT, AgentAction(ActionKind.USES, "edit"), check())
    attempt = board.attempt
    assert attempt is not None
    assert (attempt.story, attempt.began, attempt.agent, attempt.over) == ("US-001", 1.0, "claude 2.1", None)
    assert [action.text for action in attempt.actions] == ["edit"]
    assert [each.name for each in attempt.checks] == ["npm test"]
    assert board.stories["US-001"].attempts == 1


def test_a_landing_frees_what_waited_for_nothing_else() -> None:
    board = after(run_started(stories=STORIES), iteration(), judged(), landed())
    assert states(board) == ["passed", "ready", "blocked"]
    assert board.stories["US-001"].commit == "1234567890abcdef"
    assert board.stories["US-003"].reason == "waits for US-002"
    again = board.after(iteration("US-002"), 9.0).after(judged(story="US-002"), 9.5).after(landed("US-002"), 9.9)
    assert states(again) == ["passed", "passed", "ready"]


def test_a_story_that_is_held_for_another_reason_is_not_freed() -> None:
    stories = (*STORIES[:1], {"id": "US-005", "title": "Held", "state": "skipped", "waits_for": ["US-001"]})
    assert states(after(run_started(stories=stories), iteration(), judged(), landed())) == ["passed", "skipped"]


def test_the_last_charged_attempt_exhausts_a_story() -> None:
    def ended(**changes: Any) -> str:
        board = after(run_started(stories=STORIES), iteration(charged=2), judged("failed", attempt=3, **changes))
        return states(board)[0]

    assert ended() == "exhausted"
    assert ended(charged=False) == "ready"
    assert states(after(run_started(stories=STORIES), iteration(), judged("failed"))) == ["ready", "blocked", "blocked"]


def test_work_that_a_start_takes_up_is_an_attempt_of_its_own() -> None:
    board = after(run_started(stories=STORIES), check(story="US-002", attempt=4), judged("failed", story="US-002"))
    assert board.attempt is not None
    assert (board.attempt.story, board.attempt.iteration, board.attempt.title) == ("US-002", 0, "Two")


def test_the_commands_that_ran_last_count() -> None:
    board = after(iteration(), check("failed"), FROZEN, check())
    assert board.attempt is not None
    assert [each.status for each in board.attempt.checks] == ["passed"]


def test_a_story_that_nobody_announced_is_taken_up() -> None:
    board = after(iteration("US-009"), judged(story="US-009"), landed("US-009"))
    assert states(board) == ["passed"]
    assert states(after(judged(warnings=("odd",)))) == []


def test_a_warning_is_held_once_and_the_last_ones_are_held() -> None:
    odd = events.Warned(message="odd", story="US-001")
    board = after(odd, odd, judged(warnings=("odd", "odder")), FROZEN, agent_finished(stuck=(7, 8)))
    assert [caution.message for caution in board.warnings] == [
        "odd",
        "odder",
        "left out of the commit: .env: secrets",
        "could not be ended: pid 7, 8",
    ]
    many = after(*(events.Warned(message=f"{number}" + "x" * 5000) for number in range(WARNINGS_KEPT + 3)))
    assert (len(many.warnings), many.forgotten) == (WARNINGS_KEPT, 3)
    assert len(many.warnings[-1].message) == TEXT_KEPT
    assert many.warnings[-1].message.startswith("52x")


def test_tampering_and_a_failed_landing_are_warnings() -> None:
    board = after(
        events.Tampered(story="US-001", attempt=1, what=("/a", "/b")),
        events.Tampered(story="US-001", attempt=1, what=(), proposals=("More",)),
        events.LandFailed(story="US-001", attempt=1, text="hook"),
    )
    assert [caution.message for caution in board.warnings] == [
        "tampered, put back: /a, /b",
        "no commit was made, the work is kept",
    ]


def test_calls_again_and_again_are_warnings() -> None:
    call: dict[str, Any] = {"story": "US-001", "attempt": 1, "tool": "Bash", "signature": "Bash {}"}
    board = after(
        events.Repeated(**call, times=3, ended=False),
        events.Repeated(**call, times=6, ended=True, text="Bash: npm test"),
    )
    assert [caution.message for caution in board.warnings] == [
        "the same call 3 times in a row: Bash",
        "the same call 6 times in a row, so it was ended: Bash: npm test",
    ]


def test_what_gets_nowhere_is_a_warning_and_what_is_given_up_is_exhausted() -> None:
    of: dict[str, Any] = {"story": "US-001", "attempt": 2}
    told = events.Stalled(**of, times=2, answer="tell")
    once, twice = (events.Asked(**of, what="stuck", text="no key", times=times) for times in (1, 2))
    announced = run_started(stories=({"id": "US-001", "title": "One", "state": "ready"},))
    board = after(announced, told, once)
    assert [caution.message for caution in board.warnings] == [
        "stalled: the same work and the same failure 2 times in a row: the next prompt says so",
        "the agent says that it is stuck: no key",
    ]
    assert states(board) == ["ready"]
    for last in (replace(told, answer="set_aside"), twice):
        assert states(after(announced, last)) == ["exhausted"]
        assert states(after(last)) == []


def test_what_an_agent_does_is_held_within_bounds() -> None:
    before = after(iteration())
    board = before
    for number in range(3 * ACTIONS_KEPT):
        board = board.seen(AgentAction(ActionKind.SAYS, f"{number} " + "x" * 10_000))
    assert board.attempt is not None
    assert len(board.attempt.actions) == ACTIONS_KEPT
    assert board.attempt.actions[-1].text.startswith(f"{3 * ACTIONS_KEPT - 1} ")
    assert len(board.attempt.actions[0].text) == TEXT_KEPT
    assert BoardState().seen(AgentAction(ActionKind.SAYS, "x")) == BoardState()


def test_what_is_unknown_is_never_taken_for_nothing() -> None:
    def told(*ends: events.AgentFinished) -> tuple[str, str]:
        spent = after(iteration(), *ends).spent
        return cost_words(spent), token_words(spent.tokens, spent.uncounted)

    priced = agent_finished(cost_usd=0.7, tokens_in=12_345, tokens_out=678)
    assert told() == ("", "")
    assert told(agent_finished()) == ("cost unknown", "tokens unknown")
    assert told(priced, priced) == ("$1.40", "24.7k tokens in · 1.4k out")
    guessed = agent_finished(cost_usd=0.5, cost_source="assumed")
    assert told(priced, guessed)[0] == "$1.20, 1 attempt of it estimated"
    assert told(guessed, agent_finished())[0] == "$0.50, 1 attempt of it estimated and unknown for 1 attempt"
    assert told(priced, agent_finished()) == (
        "$0.70 and unknown for 1 attempt",
        "12.3k tokens in · 678 out · unknown for 1 attempt",
    )
    assert in_thousands(4_500_000) == "4.5M"


def test_the_tokens_of_an_attempt_are_counted_once() -> None:
    going_on = after(iteration(), AgentAction(ActionKind.SAYS, "x", Tokens(100, 5)), AgentAction(ActionKind.USES, "y"))
    assert going_on.attempt is not None
    assert going_on.attempt.spent == Tokens(100, 5)
    over = going_on.after(agent_finished(tokens_in=120, tokens_out=6), 9.0)
    assert over.attempt is not None
    assert (over.attempt.spent, over.spent.tokens) == (None, Tokens(120, 6))


@given(st.lists(st.sampled_from(HAPPENED), max_size=40))
def test_no_order_of_events_is_too_odd(happened: list[events.RunEvent | AgentAction]) -> None:
    board = after(*happened)
    assert all(line.id == name for name, line in board.stories.items())
    assert len(board.warnings) <= WARNINGS_KEPT
