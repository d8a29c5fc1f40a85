"""The order that a dry run tells is the run's."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.cli.dry_run import in_order
from prd_ralph.model import Prd, RunPlan, Selection, Story
from prd_ralph.rules import next_story, standings

IDS = tuple("abcdef")
ids = st.sampled_from(IDS)
stories = st.tuples(
    *(
        st.builds(
            Story,
            id=st.just(story_id),
            title=st.just("t"),
            passes=st.booleans(),
            skip=st.sampled_from([False, False, True]),
            priority=st.integers(0, 2),
            depends_on=st.lists(ids, max_size=3, unique=True).map(tuple),
        )
        for story_id in IDS
    )
)
selections = st.builds(Selection, st.lists(ids, max_size=3).map(tuple), st.lists(ids, max_size=1).map(tuple))


@given(stories, selections)
def test_it_is_the_one_in_which_stories_become_ready_when_each_passes_at_once(
    table: tuple[Story, ...], selection: Selection
) -> None:
    told = in_order(Prd("p", table), RunPlan("prd.json", selection))
    now = Prd("p", table)
    for story in told:
        assert next_story(now, standings(now, selection, {}, 1)) == story
        now = replace(now, stories=tuple(replace(each, passes=True) if each == story else each for each in now.stories))
    assert next_story(now, standings(now, selection, {}, 1)) is None


def test_of_thousands_of_stories_too() -> None:
    count = 20_000
    chain = [Story(f"{number}", "t", False, depends_on=(f"{number + 1}",)) for number in range(count)]
    told = in_order(Prd("p", (*chain, Story(f"{count}", "t", False))), RunPlan("prd.json"))
    assert [story.id for story in told] == [f"{number}" for number in range(count, -1, -1)]
