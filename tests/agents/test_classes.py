"""The classifier on all that true programs printed, as one table: `python -m tests.agents` prints it."""

import pytest

from tests.agents.classes import expected, row, table, there


@pytest.mark.parametrize(("family", "case"), sorted(expected()))
def test_a_sample_has_its_class(family: str, case: str) -> None:
    found = row(family, case)
    print(found)
    assert found.got == found.expected


def test_no_sample_is_left_out_of_the_table() -> None:
    assert there() == expected().keys()
    assert len(list(table())) == len(there()) + 1
