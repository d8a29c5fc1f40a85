"""The soak's own arithmetic: what is played, and how it is judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.soak.figures import Line, table
from tests.soak.mixture import EARLY, mixture
from tests.soak.watching import Sample, growth


@given(starts=st.integers(60, 500), seed=st.integers(0, 1000))
def test_a_mixture(starts: int, seed: int) -> None:
    played = mixture(starts, seed)
    assert played == mixture(starts, seed)
    assert played.starts == starts
    assert all(kinds[-1] == "pass" and kinds.count("pass") == 1 for kinds in played.stories.values())
    assert [played.count(kind) for kind in sorted(set(EARLY))] == [EARLY.count(kind) for kind in sorted(set(EARLY))]


@pytest.mark.parametrize(("last", "grown"), [(100, 0.0), (109, 0.09), (150, 0.5), (90, -0.1)])
def test_growth(last: int, grown: float) -> None:
    second = [Sample(start, 1, 100) for start in range(25, 50)]
    other = [Sample(start, 1, 1000) for start in (*range(25), *range(50, 75))]
    assert growth([*second, *other, *(Sample(start, 1, last) for start in range(75, 101))], 100) == pytest.approx(grown)


def test_a_table() -> None:
    shown = table([Line("a", "1", True), Line("b", "2", False), Line("c", "3")])
    assert [line.split() for line in shown.splitlines()] == [["ok", "a", "1"], ["NOT", "b", "2"], ["c", "3"]]
