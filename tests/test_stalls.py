"""When attempts are alike, and what is done about a row of them: pure rules."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import AttemptKey, AttemptRecord, Check, CheckResult, CheckStatus, Outcome, RunPlan, Verdict
from prd_ralph.stalls import Stall, Streak, answer, failing, likeness, named_files, normalised

UNIT, LINT = Check("make unit"), Check("make lint", cwd="web")
RED = CheckResult(UNIT, True, CheckStatus.FAILED, 1, excerpt="AssertionError: 2 != 3")
GREEN = CheckResult(LINT, True, CheckStatus.PASSED, 0, excerpt="fine")
RECORD = AttemptRecord(
    AttemptKey("run", "US-001", 1), Verdict(Outcome.FAILED), (RED, GREEN), ("src/cart.py",), tree="aaaa"
)
PLAN = RunPlan("prd.json")


def said(excerpt: str) -> AttemptRecord:
    return replace(RECORD, checks=(replace(RED, excerpt=excerpt), GREEN))


# --- alike ----------------------------------------------------------------------------------------

NOISE = {
    "times": ("FAILED in 0.98s", "FAILED in 12.3s"),
    "units": ("took 850ms", "took 1.02 s"),
    "clock": ("2031-03-01T08:00:00Z boom", "2031-03-02T23:59:01Z boom"),
    "address": ("<Cart object at 0x7f3a9c>", "<Cart object at 0x7FFF12de>"),
    "process": ("worker[4711]: killed", "worker[12]: killed"),
    "temporary folder": (
        "open /tmp/pytest-of-me/pytest-3/x0/out.txt: no",
        "open /tmp/pytest-of-me/pytest-41/x0/out: no",
    ),
    "macOS": ("/private/var/folders/zz/T/tmpab12cd_9/a", "/var/folders/qq/T/tmpxxxxxx11/a"),
    "temporary name": ("in ./build/tmpab12cd_9/a", "in ./build/tmpzz99__ab/a"),
    "commit": ("at commit 1cc2870fa", "at commit ec99144db0"),
    "uuid": ("id 550e8400-e29b-41d4-a716-446655440000", "id 6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
    "white space": ("a  b\n\n c\n", " a b\tc"),
}


@pytest.mark.parametrize("noise", NOISE)
def test_what_differs_by_itself_makes_no_difference(noise: str) -> None:
    before, after = NOISE[noise]
    assert before != after and normalised(before) == normalised(after)
    assert likeness(said(before)) == likeness(said(after))


NEWS = {
    "other words": said("AssertionError: expected a list"),
    "another file": said("src/cart.py: boom"),
    "other work": replace(RECORD, tree="bbbb"),
    "another command": replace(RECORD, checks=(replace(RED, check=LINT),)),
    "one more command": replace(RECORD, checks=(RED, replace(GREEN, status=CheckStatus.FAILED))),
    "another end": replace(RECORD, checks=(replace(RED, status=CheckStatus.TIMED_OUT), GREEN)),
}


@pytest.mark.parametrize("news", NEWS)
def test_whatever_else_differs_makes_another_attempt(news: str) -> None:
    assert likeness(NEWS[news]) != likeness(RECORD)


def test_the_agents_words_and_what_is_green_do_not_count() -> None:
    other = replace(
        RECORD,
        key=AttemptKey("run", "US-001", 2),
        verdict=Verdict(Outcome.TIMED_OUT, "wall"),
        checks=(RED, replace(GREEN, excerpt="as fine as ever")),
        agent_name="codex",
        model="big",
    )
    assert likeness(other) == likeness(RECORD)


def test_a_pass_that_was_refused_is_told_by_the_reason() -> None:
    refused = replace(RECORD, checks=(GREEN,), verdict=Verdict(Outcome.FAILED, "suspect", suspects=("no test ran",)))
    assert likeness(refused) == likeness(replace(refused, files=()))
    assert likeness(refused) != likeness(replace(refused, verdict=Verdict(Outcome.FAILED, "unproven")))


@given(st.lists(st.text("ab /.:-x", max_size=5), min_size=1), st.data())
def test_no_number_makes_a_difference(parts: list[str], data: st.DataObject) -> None:
    def filled() -> str:
        return "".join(f"{part}@{data.draw(st.integers(0, 10**6))}@" for part in parts)

    assert normalised(filled()) == normalised(filled())


@given(st.text())
def test_normalising_ends_and_leaves_no_digit_of_ours(text: str) -> None:
    assert not set("123456789") & set(normalised(text))


# --- in a row -------------------------------------------------------------------------------------


def streak_of(*records: AttemptRecord) -> Streak:
    streak = Streak()
    for record in records:
        streak = streak.after(record)
    return streak


def test_a_streak_counts_what_is_alike_in_a_row() -> None:
    other = replace(RECORD, tree="bbbb")
    assert [streak_of(*[RECORD] * count).times for count in (1, 2, 5)] == [1, 2, 5]
    assert streak_of(RECORD, RECORD, other).times == 1
    assert streak_of(RECORD, other, RECORD, other).times == 1
    assert streak_of(RECORD, RECORD, replace(RECORD, tree="")).times == 0


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(Outcome.INTERRUPTED),
        Verdict(Outcome.USAGE_LIMIT),
        Verdict(Outcome.LAND_FAILED),
        Verdict(Outcome.AGENT_ERROR, "transient"),
    ],
)
def test_what_is_not_charged_neither_counts_nor_ends_a_row(verdict: Verdict) -> None:
    free = replace(RECORD, verdict=verdict, tree="bbbb", checks=())
    assert streak_of(RECORD, free, RECORD, free).times == 2


def test_another_attempt_ends_what_was_told_but_not_what_was_answered() -> None:
    streak = replace(streak_of(RECORD, RECORD), answered=1, told=Stall(2))
    assert streak.after(RECORD).told == Stall(2)
    broken = streak.after(replace(RECORD, tree="bbbb"))
    assert (broken.told, broken.answered) == (None, 1)


@given(st.lists(st.booleans(), max_size=12))
def test_no_attempt_that_passed_is_ever_alike(passes: list[bool]) -> None:  # C131
    landed = replace(RECORD, verdict=Verdict(Outcome.PASSED))
    streak = streak_of(*(landed if passed else RECORD for passed in passes))
    trailing = len(passes) - max((number for number, passed in enumerate(passes, 1) if passed), default=0)
    assert streak.times == trailing


def answers(plan: RunPlan, attempts: int, can_escalate: bool) -> list[str]:
    """What is answered to each of so many attempts that are alike."""
    streak, given = Streak(), []
    for _ in range(attempts):
        streak = streak.after(RECORD)
        said, used = answer(streak, plan, can_escalate)
        streak = replace(streak, answered=used)
        given.append(said)
    return given


@pytest.mark.parametrize(
    ("policy", "after", "can_escalate", "given"),
    [
        (PLAN.on_stall, 2, True, ["", "tell", "escalate", "set_aside", "", ""]),
        (PLAN.on_stall, 2, False, ["", "tell", "set_aside", "", "", ""]),
        (("escalate", "stop"), 3, False, ["", "", "stop", "", "", ""]),
        (("escalate",), 1, False, ["", "", "", "", "", ""]),
        (("escalate", "escalate"), 2, True, ["", "escalate", "escalate", "", "", ""]),
        ((), 2, True, ["", "", "", "", "", ""]),
        (("tell",), 1, True, ["tell", "", "", "", "", ""]),
    ],
)
def test_each_stall_gets_the_next_answer(
    policy: tuple[str, ...], after: int, can_escalate: bool, given: list[str]
) -> None:
    plan = replace(PLAN, stall_after=after, on_stall=policy)  # type: ignore[arg-type]
    assert answers(plan, 6, can_escalate) == given


# --- what it is told by ---------------------------------------------------------------------------


def test_files_that_the_failing_output_names() -> None:
    output = """
Traceback (most recent call last):
  File "/home/me/shop/src/prices.py", line 12, in total
  File "./src/cart.py", line 3
  File "/usr/lib/python3/json/decoder.py", line 355
tests/test_cart.py:9: AssertionError; see web/app.config.ts:1 and ../other/secrets.txt, v1.2.3, conftest.py
src/prices.py again
"""
    named = list(named_files(said(output), "/home/me/shop"))
    assert [name for name in named if name.startswith(("src/", "web/"))] == ["src/prices.py", "web/app.config.ts"]
    assert not [name for name in named if "test" in name or name.startswith(("/", ".")) or "secrets" in name]


def test_a_path_may_be_relative_to_where_the_command_runs() -> None:
    red = replace(RED, check=LINT, excerpt="src/app.ts:3 is bad")
    assert list(named_files(replace(RECORD, checks=(red,)), "/r")) == ["src/app.ts", "web/src/app.ts"]


def test_hidden_commands_and_green_ones_name_nothing() -> None:
    hidden = replace(RED, check=Check("x", hidden=True), excerpt="src/secret.py")
    green = replace(GREEN, excerpt="src/ok.py")
    assert list(named_files(replace(RECORD, checks=(hidden, green)), "/r")) == []
    assert failing((hidden, green, RED, RED)) == (hidden.check.label, "make unit")
