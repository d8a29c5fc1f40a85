"""How what there is to show is made to fit a screen of any size."""

from collections.abc import Sequence


def shares(room: int, wishes: Sequence[tuple[int, int]]) -> list[int]:
    """How many rows each of several parts gets. A wish is the least that makes sense, and all that it could use.

    The first ones get their least first; what is left is dealt out row by row, to each that wants more.
    """
    given = []
    for least, most in wishes:
        given.append(max(0, min(least, most, room)))
        room -= given[-1]
    while room > 0:
        hungry = [place for place, (_, most) in enumerate(wishes) if given[place] < most]
        if not hungry:
            break
        part, rest = divmod(room, len(hungry))
        for nth, place in enumerate(hungry):
            more = min(part + (nth < rest), wishes[place][1] - given[place])
            given[place] += more
            room -= more
    return given


def around(count: int, place: int, room: int) -> range:
    """Which of `count` things are shown where there is room for some of them: those around `place`."""
    first = max(0, min(place - (room - 1) // 2, count - room))
    return range(first, min(count, first + max(0, room)))
