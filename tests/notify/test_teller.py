"""Notices are sent by a thread of its own: whoever is told, and however slowly, the run does not wait."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from prd_ralph import events
from prd_ralph.notify import Endpoint, Notice, Notices, Teller

LIMIT_S = 60.0


def asked(attempt: int) -> events.Asked:
    return events.Asked(story="US-001", attempt=attempt, what="stuck", text=f"no {attempt}")


def teller(*endpoints: Endpoint) -> Teller:
    return Teller(Notices(("stuck",)), endpoints)


def keeping(name: str, kept: list[tuple[str, object]], why: str = "") -> Endpoint:
    def send(notice: Notice, record: Mapping[str, Any], seconds: float) -> str:
        kept.append((notice.text, record["seq"]))
        return why

    return Endpoint(name, send)


def blocking(release: threading.Event, begun: Callable[[], object] = lambda: None) -> Endpoint:
    def send(notice: Notice, record: Mapping[str, Any], seconds: float) -> str:
        begun()
        assert release.wait(LIMIT_S)
        return "too slow"

    return Endpoint("slow", send)


def test_each_endpoint_is_told_in_order() -> None:
    first: list[tuple[str, object]] = []
    second: list[tuple[str, object]] = []
    told = teller(keeping("one", first), keeping("two", second))
    for number in (1, 2, 3):
        told.hear(asked(number), {"seq": number})
    told.hear(events.Warned(message="no notice"), {"seq": 4})
    assert told.close() == ()
    assert first == second
    assert first == [(f"US-001 attempt {n}: the agent says that it is stuck: no {n}", n) for n in (1, 2, 3)]


def test_what_fails_is_said_once_an_endpoint_and_keeps_nobody_else_from_being_told() -> None:
    kept: list[tuple[str, object]] = []
    told = teller(keeping("dead", [], "nobody there"), keeping("well", kept))
    for number in (1, 2):
        told.hear(asked(number), {"seq": number})
    assert told.close() == ("2 notices not delivered to dead: nobody there",)
    assert len(kept) == 2


def test_a_run_goes_on_while_an_endpoint_hangs() -> None:
    release, begun = threading.Event(), threading.Event()
    told = teller(blocking(release, begun.set))
    for number in range(1000):  # far more than are ever kept waiting
        told.hear(asked(number), {"seq": number})
    assert begun.wait(LIMIT_S)
    release.set()
    (warning,) = told.close()
    assert warning.endswith("notices not delivered to slow: too slow")
    assert warning.startswith("1000 ")


def test_the_end_does_not_wait_longer_than_it_is_told() -> None:
    release, begun = threading.Event(), threading.Event()
    told = teller(blocking(release, begun.set), keeping("after", []))
    told.hear(asked(1), {"seq": 1})
    assert begun.wait(LIMIT_S)
    assert told.close(wait_s=0.05) == ()  # it is still at it: nothing is known of it
    release.set()


def test_once_the_time_is_up_nothing_more_is_begun() -> None:
    kept: list[tuple[str, object]] = []
    release, begun = threading.Event(), threading.Event()
    told = teller(blocking(release, begun.set), keeping("after", kept))
    told.hear(asked(1), {"seq": 1})
    assert begun.wait(LIMIT_S)
    told.close(wait_s=0.0)
    release.set()
    for thread in threading.enumerate():
        if thread.name == "notices":
            thread.join(LIMIT_S)
    assert kept == []
    assert told.close(wait_s=0.0) == (
        "1 notice not delivered to slow: too slow",
        "1 notice not delivered to after: no time was left at the run's end",
    )


def test_where_nobody_is_to_be_told_nothing_is_started() -> None:
    before = threading.active_count()
    told = teller()
    told.hear(asked(1), {"seq": 1})
    assert threading.active_count() == before
    assert told.close() == ()
