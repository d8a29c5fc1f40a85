"""The table of `make adversaries`."""

from tests.adversaries.table import COLUMNS, Entry, lines


def test_a_row_each_in_the_order_of_the_cast_and_what_is_not_as_it_may_be_stands_out() -> None:
    entries = [Entry("b", "clean", "held", True), Entry("a", "default", "FALSE FLAG", False)]
    head, first, second, sum_of_it = lines(entries, ["a", "b", "not played"])
    assert head.split() == list(COLUMNS)
    assert (first.split("  ")[0], second.split()[0]) == ("a", "b")
    assert "FALSE FLAG (!)" in first and first.index("FALSE") == head.index("default")
    assert second.index("held") == head.index("clean")
    assert sum_of_it == "2 rows, 2 cells, 1 not as they may be"
