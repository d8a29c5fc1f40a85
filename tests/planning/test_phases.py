"""Stories in phases: nothing is lost, and the graph of what depends on what stays one without circles."""

from graphlib import TopologicalSorter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.errors import ProblemsError, RalphError
from prd_ralph.planning.output import prd_json
from prd_ralph.planning.phases import in_phases, phases_of
from prd_ralph.planning.plan import plan_file
from prd_ralph.planning.values import Place, Plan, PlannedStory
from prd_ralph.prdfile import parse

PHASES = st.lists(st.sampled_from(["build", "polish", "docs", "2nd", "a-b"]), min_size=1, max_size=4, unique=True)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans whose stories depend on earlier ones alone."""
    count = draw(st.integers(1, 6))
    ids = [f"US-{number:03}" for number in range(1, count + 1)]
    stories = tuple(
        PlannedStory(
            story_id,
            f"Title {at}",
            Place("prd.md", at + 1),
            f"sha {at}",
            criteria=(f"criterion {at}",),
            priority=draw(st.integers(0, 4)),
            depends_on=tuple(draw(st.lists(st.sampled_from(ids[:at]), unique=True))) if at else (),
            commands=tuple(draw(st.lists(st.sampled_from(["make test", "pytest"]), unique=True))),
            skip=draw(st.booleans()),
        )
        for at, story_id in enumerate(ids)
    )
    return Plan("P", None, "", ("make lint",), stories, (), (), "sha")


def reached(plan: Plan, story_id: str) -> set[str]:
    """All that must pass before a story."""
    needs = {story.id: story.depends_on for story in plan.stories}
    found: set[str] = set()
    left = list(needs[story_id])
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += needs[each]
    return found


@given(plans(), PHASES)
def test_nothing_is_lost_and_nothing_goes_round(plan: Plan, phases: list[str]) -> None:
    made = in_phases(plan, phases)
    graph = {story.id: set(story.depends_on) for story in made.stories}
    assert set().union(*graph.values()) <= set(graph)
    assert len(list(TopologicalSorter(graph).static_order())) == len(plan.stories) * len(phases)
    told = {story.id: story for story in made.stories}
    for story in plan.stories:
        parts = [told[f"{story.id}-{phase}"] for phase in phases]
        assert [part.title for part in parts] == [f"{story.title} ({phase})" for phase in phases]
        for part in parts:
            kept = (part.criteria, part.commands, part.skip, part.place, part.description)
            assert kept == (story.criteria, story.commands, story.skip, story.place, story.description)
        assert [part.depends_on for part in parts[1:]] == [(part.id,) for part in parts[:-1]]
        assert parts[0].depends_on == tuple(f"{before}-{phases[-1]}" for before in story.depends_on)
        assert {part.id for part in parts[:-1]} <= reached(made, parts[-1].id)
    assert len({story.sha256 for story in made.stories}) == len(made.stories)


@given(plans(), PHASES)
def test_the_order_of_the_stories_is_kept(plan: Plan, phases: list[str]) -> None:
    made = {story.id: story.priority for story in in_phases(plan, phases).stories}
    for one in plan.stories:
        for other in plan.stories:
            if one.priority < other.priority:
                assert made[f"{one.id}-{phases[-1]}"] < made[f"{other.id}-{phases[0]}"]
        assert sorted(made[f"{one.id}-{phase}"] for phase in phases) == [made[f"{one.id}-{p}"] for p in phases]


@given(plans(), PHASES)
def test_what_comes_out_is_a_valid_prd_json(plan: Plan, phases: list[str]) -> None:
    import json

    assert parse(json.dumps(prd_json(in_phases(plan, phases), "prd.md")).encode(), "prd.json").warnings == ()


def test_a_document() -> None:
    text = b"# P\n## User Stories\n### US-001: One\n- [ ] a\n### US-002: Two\nDepends on: US-001\n- [ ] b\n"
    made = in_phases(plan_file("prd.md", text), ("build", "polish"))
    assert [(story.id, story.title, story.priority, story.depends_on) for story in made.stories] == [
        ("US-001-build", "One (build)", 1, ()),
        ("US-001-polish", "One (polish)", 2, ("US-001-build",)),
        ("US-002-build", "Two (build)", 3, ("US-001-polish",)),
        ("US-002-polish", "Two (polish)", 4, ("US-002-build",)),
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [("build,polish", ("build", "polish")), (" build , polish ", ("build", "polish")), ("építés", ("építés",))],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert phases_of(text) == names


@pytest.mark.parametrize("text", ["", ",", "build,", "a b", "-a", "a/b", "a\nb"])
def test_names_that_suit_no_id(text: str) -> None:
    with pytest.raises(RalphError, match="is no phase"):
        phases_of(text)


@pytest.mark.parametrize("text", ["build,build", "build,Build", "p1,p01"])
def test_a_phase_named_twice(text: str) -> None:
    with pytest.raises(RalphError, match="named twice"):
        phases_of(text)


def test_ids_that_meet() -> None:
    stories = [PlannedStory(name, name, Place("prd.md", 3), name) for name in ("a", "a-b")]
    plan = Plan("P", None, "", (), tuple(stories), (), (), "sha")
    with pytest.raises(ProblemsError, match="a-b and a have the same id in the phase b") as raised:
        in_phases(plan, ("b-b", "b"))
    assert raised.value.problems[0].line == 3
