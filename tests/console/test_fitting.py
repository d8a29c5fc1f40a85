"""What is shown where there is too little room for all."""

from hypothesis import given
from hypothesis import strategies as st

from prd_ralph.console.fitting import around, shares

WISHES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)).map(lambda pair: (min(pair), pair[1])), max_size=8)


@given(st.integers(0, 100), WISHES)
def test_shares_use_the_room_and_no_more_than_is_wished_for(room: int, wishes: list[tuple[int, int]]) -> None:
    given_ = shares(room, wishes)
    most = [most for _, most in wishes]
    assert all(0 <= part <= limit for part, limit in zip(given_, most, strict=True))
    assert sum(given_) == min(room, sum(most))


@given(st.integers(0, 100), WISHES)
def test_the_first_get_their_least_first(room: int, wishes: list[tuple[int, int]]) -> None:
    short = [part < least for part, (least, _) in zip(shares(room, wishes), wishes, strict=True)]
    needed = [least for least, _ in wishes]
    for place, is_short in enumerate(short):
        assert is_short == (sum(needed[: place + 1]) > room and needed[place] > 0)


@given(st.integers(0, 100), st.integers(0, 99), st.integers(0, 60))
def test_around_holds_its_place(count: int, place: int, room: int) -> None:
    place = min(place, max(0, count - 1))
    window = around(count, place, room)
    assert len(window) == min(count, room)
    assert not window or (place in window and window.start >= 0 and window.stop <= count)
