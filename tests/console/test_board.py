"""The board as rows: right at any size, and nothing foreign in it steers a terminal."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from prd_ralph import events
from prd_ralph.console.board import draw
from prd_ralph.console.board_rows import text
from prd_ralph.console.board_state import BoardState, Hint
from prd_ralph.console.paint import painter
from prd_ralph.model import ActionKind, AgentAction, Tokens
from tests.console.happened import agent_finished, check, iteration, judged, landed, run_started
from tests.console.test_board_state import AGENT, HAPPENED, STORIES, after

EVIL = "x\x1b[2J\x1b]0;owned\x07\r\n\x9b31m\u202e[red]日本語"


HINT = Hint("Ctrl-C ends it, nothing is lost")


def shown(board: BoardState, width: int = 80, height: int = 24, now: float = 65.0, hint: Hint = HINT) -> list[str]:
    return [row.plain for row in draw(board, width, height, now, hint)]


def many(count: int) -> tuple[dict[str, Any], ...]:
    return tuple({"id": f"US-{number:03}", "title": "T", "state": "ready"} for number in range(1, count + 1))


WORKING = (
    run_started(stories=STORIES, autonomy={"claude 2.1": "--yes"}),
    iteration(charged=1),
    events.AgentStarted(story="US-001", attempt=2, agent="claude 2.1", model=None, prompt_bytes=9),
    AgentAction(ActionKind.SAYS, "I read\nthe  [red]story[/].", Tokens(1200, 30)),
    AgentAction(ActionKind.USES, "Edit a.py"),
)


def test_a_wait_is_counted_down_above_what_came_before_it() -> None:
    wait = events.Waiting(reason="usage_limit", agents=("claude",), seconds=7400.0, until=1_930_000_000.0)
    board = after(*WORKING, wait)
    ends = board.waits_until
    for left, told in ((7380, "2h 3m"), (61, "1m 1s"), (5, "5.0s"), (-9, "0.0s")):
        rows = shown(board, now=ends - left)
        assert f"waiting {told} for claude: usage_limit, until 23:06 UTC" in rows
    assert any("US-001 · attempt 2/3" in row for row in shown(board))
    assert not any("waiting" in row for row in shown(after(*WORKING, wait, iteration(attempt=3))))


def test_a_run_at_80_by_24() -> None:
    rows = shown(after(*WORKING, events.Warned(message="odd", story="US-002")))
    assert rows[:9] == [
        "TaskFlow · prd.json · ralph/x                                              1m 5s",
        "─" * 40 + " 0 of 3 passed · 1 failing · 2 blocked",
        "stories " + "─" * 72,
        "▶ US-001 One                                                           1 attempt",
        "- US-002 Two                                                    waits for US-001",
        "- US-003 Three                                          waits for US-001, US-002",
        "[1/26] US-001 · attempt 2/3 · Add a field ───────────────────── claude 2.1 1m 4s",
        "says I read the [red]story[/].",
        "uses Edit a.py",
    ]
    assert rows[-4:] == [
        "warnings (1) " + "─" * 67,
        "US-002: odd",
        "claude 2.1 may act without asking: --yes",
        "1.2k tokens in · 30 out                          Ctrl-C ends it, nothing is lost",
    ]


def test_from_120_columns_on_there_are_two() -> None:
    rows = shown(after(*WORKING, events.Warned(message="odd")), 200, 50)
    assert len(rows) == 50
    assert rows[2].startswith("stories ─")
    assert " │ [1/26] US-001 · attempt 2/3 · Add a field ─" in rows[2]
    assert rows[2].endswith(" claude 2.1 1m 4s")
    assert " │ says I read the [red]story[/]." in rows[3]
    assert {row.index("│") for row in rows[2:48]} == {81}
    assert rows[7].startswith("odd ")


def test_the_attempt_comes_first_where_little_fits() -> None:
    board = after(*WORKING, events.Warned(message="odd"))
    assert [row.split()[0] for row in shown(board, 40, 12)] == [
        *("TaskFlow", "─" * 30, "stories", "▶", "-", "[1/26]", "says", "uses", "warnings", "odd", "claude", "1.2k")
    ]
    assert [row.split()[0] for row in shown(board, 40, 3)] == ["TaskFlow", "[1/26]", "uses"]
    assert shown(board, 24, 1) == ["[1/26] US-001 · a… 1m 4s"]
    assert shown(board, 0, 0) == ["…"]


def test_a_window_of_the_stories_follows_the_attempt() -> None:
    board = after(run_started(stories=many(500)), iteration("US-250"))
    rows = shown(board)
    assert any("of 500" in row for row in rows)
    assert [row for row in rows if row.startswith("▶ US-250")]
    assert [row for row in rows if row.startswith("· US-249")]
    assert not [row for row in rows if "US-001" in row or "US-500" in row]


def test_how_stories_stand() -> None:
    board = after(
        run_started(stories=(*STORIES, {"id": "US-004", "title": "Four", "state": "skipped", "reason": "skip: true"})),
        iteration(),
        judged(),
        landed(),
        iteration("US-002", charged=2),
        judged("failed", story="US-002", attempt=3),
    )
    rows = shown(board)
    assert rows[1] == "━" * 7 + "─" * 23 + " 1 of 4 passed · 1 failing · 1 blocked · 1 skipped"
    assert rows[3].startswith("✓ US-001 One ")
    assert rows[3].endswith(" 1 attempt · 123456789")
    assert rows[4].startswith("✗ US-002 Two ")
    assert rows[4].endswith(" failed · 1 attempt")
    assert rows[6].endswith(" skip: true")


def test_how_an_attempt_goes_on_and_ends() -> None:
    def heading(*happened: events.RunEvent) -> str:
        return next(row for row in shown(after(run_started(), iteration(), *happened)) if row.startswith("[1/26]"))

    assert heading().endswith(" starting 1m 4s")
    assert heading(AGENT).endswith(" claude 2.1 1m 4s")
    assert heading(AGENT, agent_finished()).endswith(" checks 1m 4s")
    assert heading(judged("failed")).endswith(" failed 1s")
    failed = agent_finished(exit_code=1, error="overloaded\nplease wait")
    rows = shown(after(iteration(), AGENT, failed, check(suspect="no tests ran"), check("failed", excerpt="a\nb\n")))
    at = rows.index("agent: exit 1 · 12s · overloaded please wait")
    assert rows[at + 1] == "✓ npm test 0.3s · suspect: no tests ran"
    assert rows[at + 2] == "✗ npm test exit 1 · 0.3s · b"
    assert "passed · 15s · 123456789" in shown(after(iteration(), judged(), landed()))
    assert "nothing is heard of the agent yet" in shown(after(iteration(), AGENT))


def test_before_the_first_attempt_and_work_taken_up() -> None:
    assert shown(BoardState())[0] == "prd-ralph"
    assert [row for row in shown(after(run_started())) if row.startswith("starting ─")]
    assert [row for row in shown(after(check())) if row.startswith("US-001 · taken up ─")]


def test_that_the_person_asked_for_an_end_is_seen() -> None:
    asked = Hint("ending, as asked", urgent=True)
    assert shown(after(*WORKING), 40, hint=asked)[-1].endswith(" ending, as asked")
    assert "Ctrl-C" not in shown(after(*WORKING), 40)[-1]


def evil_board() -> BoardState:
    return after(
        run_started(
            project=EVIL,
            prd=EVIL,
            branch=EVIL,
            autonomy={EVIL: EVIL},
            stories=({"id": EVIL, "title": EVIL, "state": EVIL, "reason": EVIL, "waits_for": 7}, {}),
        ),
        iteration(EVIL, title=EVIL),
        events.AgentStarted(story=EVIL, attempt=1, agent=EVIL, model=None, prompt_bytes=9),
        AgentAction(ActionKind.SAYS, EVIL),
        agent_finished(story=EVIL, exit_code=1, tail=EVIL, failure=EVIL, end=EVIL),
        check("failed", story=EVIL, name=EVIL, excerpt=EVIL),
        check(story=EVIL, name=EVIL, suspect=EVIL),
        judged(EVIL, EVIL, story=EVIL, warnings=(EVIL,)),
        events.Tampered(story=EVIL, attempt=1, what=(EVIL,)),
    )


@given(st.integers(-1, 250), st.integers(-1, 70), st.lists(st.sampled_from(HAPPENED), max_size=30), st.booleans())
@settings(max_examples=150, deadline=None)
def test_any_board_fits_any_size(
    width: int, height: int, happened: list[events.RunEvent | AgentAction], evil: bool
) -> None:
    rows = draw(evil_board() if evil else after(*happened), width, height, 3.0)
    assert 1 <= len(rows) <= max(1, height)
    assert all(row.cell_len <= max(1, width) for row in rows)
    assert all(row.plain.isprintable() for row in rows)


def test_nothing_foreign_steers_the_terminal() -> None:
    for width, height in ((200, 50), (80, 24), (40, 12)):
        painted = painter(colour=False)(draw(evil_board(), width, height, 3.0))
        for row in painted:
            bare = row.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
            assert bare.isprintable(), row


def test_colour_is_left_out_where_it_is_not_wanted() -> None:
    row = text(("x", "bold red"))
    assert painter(colour=True)([row]) == ["\x1b[1;31mx\x1b[0m"]
    assert painter(colour=False)([row]) == ["\x1b[1mx\x1b[0m"]
