"""What a flag is worth, as a rule."""

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.model import Approval, Check, CheckResult, CheckStatus, Prd, RunPlan, Story
from prd_ralph.regressions import superseded
from prd_ralph.verification import Finding, Verified, worth

RESULTS = st.lists(
    st.builds(
        CheckResult,
        check=st.just(Check("x")),
        own=st.booleans(),
        status=st.sampled_from(CheckStatus),
        suspect=st.sampled_from(["", "no tests ran"]),
    ),
    max_size=3,
).map(tuple)
STORIES = st.builds(
    Story,
    id=st.just("A"),
    title=st.just("T"),
    passes=st.booleans(),
    skip=st.booleans(),
    approved=st.sampled_from([None, Approval("Ann", "2031-03-01T08:00:00Z")]),
)


@given(STORIES, RESULTS, st.booleans(), st.booleans(), st.booleans())
def test_a_flag_is_true_only_by_commands_or_a_person(
    story: Story, results: tuple[CheckResult, ...], strict: bool, left_out: bool, gone: bool
) -> None:
    finding = worth(story, results, strict=strict, left_out=left_out, superseded=gone)
    green = bool(results) and all(result.passed for result in results)
    if finding is Finding.PROVED:
        assert story.passes
        assert green
    if finding is Finding.APPROVED:
        assert story.approved
        assert green or not results
    if finding is Finding.CLAIMED:
        assert story.passes
        assert not green or strict
    if finding is Finding.UNPROVABLE:
        assert story.passes
        assert not (results or story.approved or left_out or gone)
    flag = Verified(story, finding, results).flag
    if flag is True:
        assert green
        assert not (story.passes or story.skip)
        assert any(result.own for result in results)
    if flag is False:
        assert story.passes
        assert any(not result.passed or result.suspect for result in results)


@given(STORIES, RESULTS, st.booleans(), st.booleans())
def test_what_is_superseded_never_fails(
    story: Story, results: tuple[CheckResult, ...], strict: bool, left_out: bool
) -> None:
    assert worth(story, results, strict=strict, left_out=left_out, superseded=True).holds


def test_hidden_commands_count() -> None:
    story = Story("A", "T", True, checks=(Check("own"),))
    plan = RunPlan("prd.json", extra=(Check("extra"),), hidden={"A": (Check("secret", hidden=True),)})
    prd = Prd("P", (story,), checks=(Check("shared"),))
    assert [check.run for check in plan.checks_for(prd, story)] == ["shared", "extra", "own", "secret"]


def test_only_a_story_that_passes_supersedes() -> None:
    stories = (Story("A", "T", True, supersedes=("B",)), Story("C", "T", False, supersedes=("D",)))
    assert superseded(Prd("P", stories)) == {"B"}
