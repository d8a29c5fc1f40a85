"""The pure decisions: selection, verdict, the end of a run."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import (
    AgentResult,
    AttemptKey,
    Check,
    CheckResult,
    CheckStatus,
    FailureClass,
    Limits,
    Outcome,
    Prd,
    ProcessEnd,
    ProcessResult,
    Proof,
    Selection,
    StopReason,
    Story,
    StoryState,
    Verdict,
)
from prd_ralph.rules import (
    Evidence,
    RunFacts,
    Standing,
    count,
    describe_end,
    exit_code,
    failing_starts,
    is_charged,
    is_instant_failure,
    iteration_cap,
    judge,
    mark_of,
    next_story,
    standings,
    stop_reason,
    stops_at_once,
    with_mark,
)

ALL = Selection()


def story(story_id: str, passes: bool = False, **fields: Any) -> Story:
    return replace(Story(story_id, f"Title of {story_id}", passes), **fields)


def pick(*stories: Story, selection: Selection = ALL, charged: dict[str, int] | None = None) -> str | None:
    prd = Prd("P", stories)
    chosen = next_story(prd, standings(prd, selection, charged or {}, 3))
    return chosen.id if chosen else None


# --- selection ------------------------------------------------------------------------------------


def test_the_lowest_priority_number_is_first_and_ties_go_by_file_order() -> None:
    assert pick(story("US-2", priority=2.0), story("US-10", priority=2.0), story("US-1", priority=3.0)) == "US-2"
    assert pick(story("US-10", priority=2.0), story("US-2", priority=2.0)) == "US-10"


def test_a_missing_priority_is_last() -> None:
    assert pick(story("A"), story("B", priority=99.0)) == "B"


def test_a_prerequisite_comes_before_a_more_urgent_story_that_needs_it() -> None:
    assert pick(story("US-002", priority=1.0, depends_on=("US-001",)), story("US-001", priority=5.0)) == "US-001"


def test_stories_that_are_skipped_unselected_or_used_up_are_not_chosen() -> None:
    stories = (story("A", skip=True), story("B"), story("C"), story("D"))
    assert pick(*stories, selection=Selection(skip=("B",)), charged={"C": 3}) == "D"
    assert pick(*stories, selection=Selection(only=("C",))) == "C"
    assert pick(story("A", skip=True)) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sets(st.integers(0, 5))), max_size=6), st.randoms())
def test_the_choice_is_ready_minimal_and_the_counts_add_up(
    rows: list[tuple[int, bool, set[int]]], rnd: random.Random
) -> None:
    stories = tuple(
        story(
            str(i), passes, priority=float(priority), depends_on=tuple(str(d) for d in deps if d < len(rows) and d != i)
        )
        for i, (priority, passes, deps) in enumerate(rows)
    )
    charged = {str(i): rnd.randrange(4) for i in range(len(rows))}
    prd = Prd("P", stories)
    where = standings(prd, Selection(), charged, 3)
    chosen = next_story(prd, where)
    counts = count(where.values())
    assert counts.total == counts.passed + counts.failing + counts.blocked + counts.skipped == len(rows)
    ready = [s for s in stories if where[s.id].state is StoryState.READY]
    assert (chosen is None) == (not ready)
    if chosen:
        assert all(prd.story(other).passes for other in chosen.depends_on)
        assert (chosen.priority, int(chosen.id)) == min((s.priority, int(s.id)) for s in ready)


def test_a_blocked_story_says_what_it_waits_for() -> None:
    prd = Prd("P", (story("A", skip=True), story("B", depends_on=("A",))))
    where = standings(prd, Selection(), {}, 3)
    assert where["B"] == Standing(StoryState.BLOCKED, "waits for A")
    assert where["A"] == Standing(StoryState.SKIPPED, "skip: true")


@pytest.mark.parametrize(("number", "told"), [(1, "1 attempt used up"), (2, "2 attempts used up")])
def test_an_exhausted_story_says_what_it_used_up(number: int, told: str) -> None:
    prd = Prd("p", (story("A"),))
    assert standings(prd, Selection(), {"A": number}, number)["A"] == Standing(StoryState.EXHAUSTED, told)


def test_the_default_cap_is_finite() -> None:
    assert iteration_cap(5, Limits(attempts=3)) == 35
    assert iteration_cap(5, Limits(iterations=7)) == 7


# --- commands -------------------------------------------------------------------------------------


def test_commands_come_from_the_prd_the_run_and_the_story_each_once() -> None:
    prd = Prd("P", (), checks=(Check("make lint"), Check("make test")))
    one = story("A", checks=(Check("make test"), Check("make a")))
    assert [check.text for check in prd.checks_for(one, (Check("make extra"),))] == [
        "make lint",
        "make test",
        "make extra",
        "make a",
    ]


def test_the_same_text_elsewhere_or_for_a_story_by_name_is_another_command() -> None:
    assert Check("x").identity("A") == Check("x").identity("B")
    assert Check("x", cwd="api").identity("A") != Check("x").identity("A")
    assert Check("x", timeout_s=1.0).identity("A") != Check("x").identity("A")
    assert Check("t $PRD_RALPH_STORY_ID").identity("A") != Check("t $PRD_RALPH_STORY_ID").identity("B")


# --- the verdict ----------------------------------------------------------------------------------


def checked(status: CheckStatus, own: bool = True, suspect: str = "") -> CheckResult:
    return CheckResult(Check("c"), own, status, 0 if status is CheckStatus.PASSED else 1, suspect=suspect)


GREEN, RED = checked(CheckStatus.PASSED), checked(CheckStatus.FAILED)
ends = st.builds(
    ProcessResult,
    end=st.sampled_from([end for end in ProcessEnd if end is not ProcessEnd.STOPPED]),
    exit_code=st.one_of(st.none(), st.integers(-64, 255)),
    duration_s=st.floats(0, 1e6),
    stdout=st.binary(max_size=40),
    stderr=st.binary(max_size=40),
)
agents = st.builds(
    AgentResult, process=ends, text=st.text(), failure=st.one_of(st.none(), st.sampled_from(FailureClass))
)
checks = st.lists(
    st.builds(
        checked,
        st.sampled_from([status for status in CheckStatus if status is not CheckStatus.INTERRUPTED]),
        st.booleans(),
    ),
    max_size=4,
).map(tuple)


@given(agents, checks, st.booleans(), st.booleans())
def test_whatever_an_agent_says_or_exits_with_the_commands_alone_make_a_pass(
    agent: AgentResult, results: tuple[CheckResult, ...], changed: bool, tampered: bool
) -> None:
    verdict = judge(Evidence(results, changed, agent, tampered=tampered))
    holds = bool(results) and all(r.passed for r in results) and (changed or any(r.own for r in results))
    assert (verdict.outcome is Outcome.PASSED) == holds


OK = AgentResult(ProcessResult(ProcessEnd.EXITED, 0, 60.0))


def agent(
    end: ProcessEnd = ProcessEnd.EXITED, code: int | None = 0, failure: FailureClass | None = None
) -> AgentResult:
    return AgentResult(ProcessResult(end, code, 1.0), failure=failure)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Evidence((GREEN,), True, OK, interrupted=True), Verdict(Outcome.INTERRUPTED)),
        (Evidence((GREEN,), False, OK), Verdict(Outcome.PASSED, proof=Proof.UNPROVEN)),
        (Evidence((checked(CheckStatus.PASSED, own=False),), True, OK), Verdict(Outcome.PASSED, proof=Proof.UNPROVEN)),
        (Evidence((), True, OK), Verdict(Outcome.FAILED)),
        (Evidence((RED,), True, OK), Verdict(Outcome.FAILED)),
        (Evidence((RED,), True, OK, tampered=True), Verdict(Outcome.FAILED, "tampered")),
        (Evidence((RED,), False, OK), Verdict(Outcome.NO_CHANGE)),
        (Evidence((checked(CheckStatus.TIMED_OUT),), True, OK), Verdict(Outcome.FAILED, "check_timeout")),
        (Evidence((checked(CheckStatus.MISSING_TOOL),), True, OK), Verdict(Outcome.FAILED, "missing_tool")),
        (Evidence((RED,), True, agent(code=1, failure=FailureClass.ERROR)), Verdict(Outcome.AGENT_ERROR, "error")),
        (Evidence((RED,), True, agent(ProcessEnd.WALL, -15, FailureClass.HANG)), Verdict(Outcome.TIMED_OUT, "wall")),
        (Evidence((RED,), True, agent(ProcessEnd.IDLE, -15, FailureClass.HANG)), Verdict(Outcome.TIMED_OUT, "idle")),
        (
            Evidence((RED,), True, agent(ProcessEnd.LOST, None, FailureClass.ERROR)),
            Verdict(Outcome.AGENT_ERROR, "lost"),
        ),
        (Evidence((RED,), True, agent(code=1, failure=FailureClass.USAGE_LIMIT)), Verdict(Outcome.USAGE_LIMIT)),
        (Evidence((GREEN,), True, OK, tampered=True, strict=True), Verdict(Outcome.FAILED, "tampered")),
        (
            Evidence((checked(CheckStatus.PASSED, suspect="no tests ran"),), True, OK, strict=True),
            Verdict(Outcome.FAILED, "suspect", suspects=("c: no tests ran",)),
        ),
    ],
)
def test_the_first_outcome_that_holds(evidence: Evidence, verdict: Verdict) -> None:
    assert judge(evidence) == verdict


def test_an_attempt_of_a_killed_run_passes_by_its_commands_and_is_else_interrupted() -> None:
    assert judge(Evidence((GREEN,), True, None)).outcome is Outcome.PASSED
    assert judge(Evidence((RED,), True, None)).outcome is Outcome.INTERRUPTED


def test_a_failing_agent_whose_commands_pass_has_passed_with_a_warning() -> None:
    killed = judge(Evidence((GREEN,), True, agent(code=-9, failure=FailureClass.ERROR)))
    assert killed.outcome is Outcome.PASSED
    assert killed.warnings == ("the agent ended with signal 9, yet every command passes",)
    late = judge(Evidence((GREEN,), True, agent(ProcessEnd.WALL, -15, FailureClass.HANG)))
    assert late.warnings == ("the agent ended with its time limit, yet every command passes",)


def test_an_agent_that_was_ended_for_a_loop_failed_whatever_its_program_says() -> None:
    cut = agent(ProcessEnd.CUT, -15, FailureClass.USAGE_LIMIT)
    looped = replace(cut, ended_for="loop")
    assert judge(Evidence((RED,), True, looped)) == Verdict(Outcome.AGENT_ERROR, "loop")
    assert is_charged(Verdict(Outcome.AGENT_ERROR, "loop"))
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "loop")) is None
    assert judge(Evidence((GREEN,), True, looped)).warnings == (
        "the agent ended with a loop, yet every command passes",
    )


@pytest.mark.parametrize("failure", [None, FailureClass.NO_WORK])
def test_an_agent_that_only_stays_is_not_to_blame(failure: FailureClass | None) -> None:
    stayed = agent(ProcessEnd.LINGERED, -15, failure)
    assert judge(Evidence((GREEN,), True, stayed)).warnings == ()
    assert judge(Evidence((RED,), True, stayed)) == Verdict(Outcome.FAILED)


def test_an_agent_that_failed_and_stays_has_failed() -> None:
    stayed = agent(ProcessEnd.LINGERED, -15, FailureClass.TRANSIENT)
    assert judge(Evidence((RED,), True, stayed)) == Verdict(Outcome.AGENT_ERROR, "transient")
    assert judge(Evidence((GREEN,), True, stayed)).warnings == (
        "the agent ended with failure transient, yet every command passes",
    )


def test_a_suspect_pass_is_a_pass_with_a_warning() -> None:
    verdict = judge(Evidence((checked(CheckStatus.PASSED, suspect="Ran 0 tests"),), True, OK))
    assert verdict == Verdict(Outcome.PASSED, suspects=("c: Ran 0 tests",), proof=Proof.UNPROVEN)


def test_an_agent_that_did_no_work_is_told_apart_where_nothing_changed() -> None:
    idle = AgentResult(OK.process, failure=FailureClass.NO_WORK, tool_calls=0)
    red = checked(CheckStatus.FAILED)
    assert judge(Evidence((red,), False, idle)) == Verdict(Outcome.NO_CHANGE, "no_work")
    assert judge(Evidence((red,), True, idle)) == Verdict(Outcome.FAILED)
    assert judge(Evidence((red,), False, idle, tampered=True)) == Verdict(Outcome.NO_CHANGE, "tampered")


def test_what_is_charged() -> None:
    assert is_charged(Verdict(Outcome.FAILED))
    assert is_charged(Verdict(Outcome.TIMED_OUT, "wall"))
    assert is_charged(Verdict(Outcome.AGENT_ERROR, "error"))
    for free in (Outcome.INTERRUPTED, Outcome.USAGE_LIMIT, Outcome.LAND_FAILED):
        assert not is_charged(Verdict(free))
    for failure in ("transient", "auth", "credits", "bad_model"):
        assert not is_charged(Verdict(Outcome.AGENT_ERROR, failure))


def test_an_instant_failure_is_quick_fruitless_and_the_agents() -> None:
    failed = Verdict(Outcome.AGENT_ERROR, "error")
    slow = AgentResult(ProcessResult(ProcessEnd.EXITED, 1, 600.0))
    assert is_instant_failure(failed, agent(code=1), changed=False)
    assert not is_instant_failure(failed, agent(code=1), changed=True)
    assert not is_instant_failure(failed, slow, changed=False)
    assert not is_instant_failure(Verdict(Outcome.NO_CHANGE), agent(), changed=False)
    assert not is_instant_failure(failed, None, changed=False)
    assert not is_instant_failure(failed, replace(agent(ProcessEnd.CUT, -15), ended_for="loop"), changed=False)


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(Outcome.USAGE_LIMIT),
        Verdict(Outcome.INTERRUPTED),
        *(Verdict(Outcome.AGENT_ERROR, reason) for reason in ("transient", "auth", "credits", "bad_model")),
    ],
)
def test_what_is_not_charged_is_no_start_that_failed_and_none_that_went_well(verdict: Verdict) -> None:
    assert failing_starts(2, verdict, agent(code=1), changed=False) == 2


def test_starts_that_fail_at_once_are_counted_in_a_row() -> None:
    failed = Verdict(Outcome.AGENT_ERROR, "error")
    assert failing_starts(2, failed, agent(code=1), changed=False) == 3
    assert failing_starts(2, failed, agent(code=1), changed=True) == 0
    assert failing_starts(2, Verdict(Outcome.NO_CHANGE), agent(), changed=False) == 0


def test_a_story_that_is_given_up_is_exhausted_for_its_own_reason() -> None:
    prd = Prd("P", (story("US-001"), story("US-002", depends_on=("US-001",))))
    where = standings(prd, ALL, {"US-001": 3}, 3, given_up={"US-001": "stalled"})
    assert where["US-001"] == Standing(StoryState.EXHAUSTED, "stalled")
    assert where["US-002"].state is StoryState.BLOCKED
    assert not is_instant_failure(Verdict(Outcome.AGENT_ERROR, "transient"), agent(code=1), changed=False)


# --- the end --------------------------------------------------------------------------------------

READY = {"A": Standing(StoryState.READY)}


@pytest.mark.parametrize(
    ("facts", "stop"),
    [
        (RunFacts(READY, Limits(), cap=5), None),
        (RunFacts(READY, Limits(), cap=5, signal=2, stop_requested=True), StopReason.SIGNAL),
        (RunFacts(READY, Limits(), cap=5, fatal=StopReason.AUTH, stop_requested=True), StopReason.AUTH),
        (RunFacts(READY, Limits(), cap=5, stop_requested=True), StopReason.STOP_REQUESTED),
        (RunFacts(READY, Limits(run_s=10), cap=5, elapsed_s=10), StopReason.WALL_TIME),
        (RunFacts(READY, Limits(), cap=5, failing_starts=3), StopReason.AGENT_FAILING),
        (RunFacts(READY, Limits(), cap=5, failing_starts=2), None),
        (RunFacts(READY, Limits(), cap=5, once=True), None),
        (RunFacts(READY, Limits(), cap=5, once=True, iterations=1), StopReason.ONCE),
        (RunFacts(READY, Limits(), cap=5, iterations=5), StopReason.ITERATIONS),
        (RunFacts({}, Limits(), cap=5), StopReason.COMPLETE),
        (
            RunFacts(
                {"A": Standing(StoryState.PASSES), "B": Standing(StoryState.SKIPPED)},
                Limits(),
                cap=1,
                iterations=1,
                once=True,
            ),
            StopReason.COMPLETE,
        ),
        (
            RunFacts(
                {"A": Standing(StoryState.EXHAUSTED), "B": Standing(StoryState.BLOCKED)}, Limits(), cap=5, iterations=5
            ),
            StopReason.EXHAUSTED,
        ),
        (RunFacts({"A": Standing(StoryState.BLOCKED)}, Limits(), cap=5), StopReason.BLOCKED),
    ],
)
def test_the_first_stop_reason_that_holds(facts: RunFacts, stop: StopReason | None) -> None:
    assert stop_reason(facts) is stop


@given(
    st.dictionaries(st.text(max_size=2), st.builds(Standing, st.sampled_from(StoryState)), max_size=4),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_a_run_without_a_ready_story_or_at_its_cap_always_ends(
    where: dict[str, Standing], iterations: int, cap: int
) -> None:
    stop = stop_reason(RunFacts(where, Limits(), cap=cap, iterations=iterations))
    ready = any(standing.state is StoryState.READY for standing in where.values())
    assert (stop is None) == (ready and iterations < cap)


def test_what_an_attempt_alone_ends_a_run_with() -> None:
    assert stops_at_once(Verdict(Outcome.LAND_FAILED)) is StopReason.ENVIRONMENT
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "auth")) is StopReason.AUTH
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "bad_model")) is StopReason.BAD_MODEL
    # Time, or another agent, may help with these: prd_ralph/waits.py.
    assert stops_at_once(Verdict(Outcome.USAGE_LIMIT)) is None
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "transient")) is None
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "credits")) is None
    assert stops_at_once(Verdict(Outcome.AGENT_ERROR, "error")) is None
    assert stops_at_once(Verdict(Outcome.FAILED)) is None


def test_exit_codes() -> None:
    assert exit_code(StopReason.COMPLETE) == 0
    assert exit_code(StopReason.EXHAUSTED) == 1
    assert exit_code(StopReason.ENVIRONMENT) == exit_code(StopReason.AUTH) == 3
    assert exit_code(StopReason.WALL_TIME) == exit_code(StopReason.USAGE_LIMIT) == 4
    assert [exit_code(StopReason.SIGNAL, number) for number in (2, 15, 1)] == [130, 143, 129]


def test_the_mark_is_a_list_that_an_outer_run_still_finds_its_own_in() -> None:
    mark = mark_of(AttemptKey("20310301T080000Z-4f2a", "a:b", 2))
    assert ":" not in mark
    assert with_mark({}, mark)["PRD_RALPH_ATTEMPT"] == mark
    assert with_mark({"PRD_RALPH_ATTEMPT": "outer"}, mark)["PRD_RALPH_ATTEMPT"] == f"outer:{mark}"


def test_an_end_in_words() -> None:
    assert describe_end(agent(code=3)) == "exit 3"
    assert describe_end(agent(code=-9)) == "signal 9"
    assert describe_end(agent(ProcessEnd.LOST, None)) == "lost"


def test_what_was_spent_only_keeps_further_agents_from_being_started() -> None:
    def stop(*states: StoryState) -> StopReason | None:
        where = {str(number): Standing(state) for number, state in enumerate(states)}
        return stop_reason(RunFacts(where, Limits(), cap=99, capped=True))

    assert stop(StoryState.READY, StoryState.PASSES) is StopReason.COST
    assert stop(StoryState.PASSES) is StopReason.COMPLETE
    assert stop(StoryState.EXHAUSTED, StoryState.BLOCKED) is StopReason.EXHAUSTED
    assert stop(StoryState.BLOCKED) is StopReason.BLOCKED


def test_a_story_that_has_cost_its_share_is_exhausted_unless_it_passes() -> None:
    prd = Prd("P", (Story("a", "A", False), Story("b", "B", True)))
    where = standings(prd, Selection(), {}, 3, given_up={"a": "cost: 3.00 of 2.50 USD used", "b": "too"})
    assert where["a"] == Standing(StoryState.EXHAUSTED, "cost: 3.00 of 2.50 USD used")
    assert where["b"].state is StoryState.PASSES
