"""What of a run's events a person who is away wants to be told: a fold, without any sending."""

from collections.abc import Collection
from dataclasses import dataclass

from prd_ralph import events

LONG_WAIT_S = 300.0
"""A shorter wait is over before somebody has looked at the notice."""
NEARLY = 0.8
_LIMIT = 500
_TEXT_LIMIT = 2000


@dataclass(frozen=True, slots=True)
class Notice:
    """One message. `what`: the word of `notify_on` that it is of; `title` is one line, `text` some."""

    what: str
    title: str
    text: str


class Notices:
    """Hears the events of one run in their order. `wanted`: words of `notify_on`; `max_cost` in US dollars, or None."""

    def __init__(self, wanted: Collection[str], max_cost: float | None = None) -> None:
        self._wanted = frozenset(wanted)
        self._max_cost = max_cost
        self._project = ""
        self._spent = 0.0
        self._nearly_told = False
        self._charged: dict[str, tuple[int, int]] = {}
        self._stuck: set[tuple[str, int]] = set()

    def of(self, event: events.RunEvent) -> Notice | None:
        """The notice that the event is worth, if it is wanted."""
        match event:
            case events.RunStarted():
                self._project = event.project
            case events.IterationStarted():
                self._charged[event.story] = event.charged, event.max_attempts
            case events.AgentFinished():
                return self._paid(event.cost_usd or 0.0)
            case events.Judged():
                return self._judged(event)
            case events.Stalled() if event.answer in ("set_aside", "stop"):
                done = "it is set aside" if event.answer == "set_aside" else "the run stops"
                return self._stalled(
                    event, f"{event.times} attempts came to the same, and failed with the same; {done}"
                )
            case events.Asked() if event.what == "stuck":
                return self._stalled(event, f"the agent says that it is stuck: {_one_line(event.text)}")
            case events.Waiting() if event.seconds >= LONG_WAIT_S:
                agents = ", ".join(event.agents)
                return self._notice("waiting", f"waits for {_duration(event.seconds)}", f"{event.reason}: {agents}")
            case events.RunFinished():
                return self._finished(event)
        return None

    def _paid(self, cost: float) -> Notice | None:
        self._spent += cost
        if self._max_cost is None or self._nearly_told or self._spent < NEARLY * self._max_cost:
            return None
        self._nearly_told = True
        told = f"${self._spent:.2f} of ${self._max_cost:.2f} are spent"
        return self._notice("budget", told, f"{told}. The run stops when all of it is.")

    def _judged(self, event: events.Judged) -> Notice | None:
        """A story whose last attempt has failed needs a person, or another run."""
        charged, most = self._charged.get(event.story, (0, 0))
        if event.outcome == "passed" or not event.charged or charged + 1 < most:
            return None
        used_up = "its one attempt is" if most == 1 else f"all of its {most} attempts are"
        return self._stalled(event, f"{used_up} used up; the last one: {event.outcome} {event.reason}".rstrip())

    def _stalled(self, event: events.StoryEvent, text: str) -> Notice | None:
        """Once for an attempt, whatever else there is to say of it."""
        key = event.story, event.attempt
        if key in self._stuck:
            return None
        self._stuck.add(key)
        return self._notice("stuck", f"{event.story} needs you", f"{event.story} attempt {event.attempt}: {text}")

    def _finished(self, event: events.RunFinished) -> Notice | None:
        counts = f"{event.passed} of {event.total} stories pass"
        text = "\n".join(filter(None, (_one_line(event.reason), _one_line(event.hint), _account(event))))
        if event.stop == "complete":
            return self._notice("finished", f"finished, {counts}", text)
        # Whoever wants to hear of the end only, or of money only, hears of an end for want of money.
        what = "budget" if event.stop == "cost" and "budget" in self._wanted else "stopped"
        return self._notice(what, f"stopped ({event.stop}), {counts}", text)

    def _notice(self, what: str, title: str, text: str) -> Notice | None:
        if what not in self._wanted:
            return None
        return Notice(what, _one_line(f"{self._project or 'prd-ralph'}: {title}"), text[:_TEXT_LIMIT])


def _account(event: events.RunFinished) -> str:
    states = (("failing", event.failing), ("blocked", event.blocked), ("skipped", event.skipped))
    parts = (
        f"{event.passed} passed",
        *(f"{count} {state}" for state, count in states if count),
        f"{event.iterations} agent starts in {_duration(event.duration_s)}",
        "" if event.cost_usd is None else f"${event.cost_usd:.2f}",
        f"branch {event.branch}" if event.branch else "",
    )
    return ", ".join(filter(None, parts))


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    hours = f"{minutes // 60}h" if minutes >= 60 else ""
    return f"{hours}{minutes % 60}m" if minutes % 60 or not hours else hours


def _one_line(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * _LIMIT]).split())
    return line if len(line) <= _LIMIT else f"{line[: _LIMIT - 1]}…"
