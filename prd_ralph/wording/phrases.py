"""How facts are worded. Fixed, and never soothing: a failed command is said with its exit code."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from prd_ralph.asking import SAID
from prd_ralph.events import (
    AfterLanding,
    AgentFinished,
    Asked,
    BaselineFinished,
    CheckFinished,
    Judged,
    Repeated,
    RunFinished,
    Stalled,
    Waiting,
)
from prd_ralph.model import LINGER_S, CheckResult
from prd_ralph.wording.spent import Spent, cost_words, in_thousands, token_words, tokens_of
from prd_ralph.wording.text import duration, moment, plural, printable

SHORT = 9
TITLE_LIMIT = 80
_CALL_LIMIT = 300
_LISTED = 10
_LIMITS = {"wall": "time limit reached", "idle": "no sign of life"}


def joined(*parts: str) -> str:
    """The parts that are not empty, with a dot between them."""
    return " · ".join(part for part in parts if part)


def listed(what: str, items: Sequence[str]) -> str:
    """`what: a, b and 3 more`: the first ten, each printable."""
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return f"{what}: {', '.join(printable(item) for item in items[:_LISTED])}{more}"


def acts_alone(agent: str, flags: str) -> str:
    """That an agent was given leave to do what it likes, and by which flags."""
    return f"{printable(agent)} may act without asking: {printable(flags)}"


def baseline(event: BaselineFinished) -> str:
    """What a story's commands said before its first attempt."""
    story, count = printable(event.story, TITLE_LIMIT), plural(len(event.checks), "command")
    told = f"{story} before: {len(event.red)} of {count} red"
    return listed(told, event.red) if event.red else told


def after_landing(event: AfterLanding) -> str:
    """How what was done after a landing ended: a push that was refused, a command that failed."""
    what = f"{event.what} after {printable(event.story, TITLE_LIMIT)}"
    why = printable(" ".join(event.error.split()), 300)
    if event.error:
        return f"{what} failed: {why}"
    return f"{what}: {printable(event.command, TITLE_LIMIT)} {duration(event.duration_s)}"


def of_stories(event: CheckFinished) -> str:
    """Whose command it is, where it is run for the sake of others than the story that is worked on."""
    others = [story for story in event.stories if story != event.story]
    return f" ({listed('of', others).replace(': ', ' ', 1)})" if others else ""


def check_end(event: CheckFinished | CheckResult) -> str:
    """`exit 1`, `signal 9`, `timed out`, `command not found (exit 127)`, `too few tests (exit 0)`."""
    match event.status:
        case "timed_out":
            return "timed out"
        case "missing_tool":
            return f"command not found ({exit_of(event.exit_code)})"
        case "interrupted":
            return "interrupted"
        case "failed" if event.exit_code == 0:
            return f"too few tests ({exit_of(0)})"
        case _:
            return exit_of(event.exit_code)


def agent_end(end: str, exit_code: int | None, failure: str | None, duration_s: float) -> str:
    """Why the agent ended, and what its adapter made of it where that says more."""
    why = "" if end in _LIMITS else printable(failure or "")
    return joined(printable(_end(end, exit_code)), why, duration(duration_s))


def _end(end: str, code: int | None) -> str:
    ends = {
        "exited": exit_of(code),
        "lost": "lost: its supervisor is gone",
        "cut": "ended: nothing more could come of it",
        "lingered": f"ended {duration(LINGER_S)} after its result",
        "not_started": "not started",
        **_LIMITS,
    }
    return ends.get(end, end)


def agent_failed(event: AgentFinished) -> bool:
    """One that was ended after a good result has not."""
    ended_well = event.end == "lingered" or (event.end == "exited" and event.exit_code == 0)
    return not ended_well or event.failure is not None


def repeated(event: Repeated) -> str:
    """That an agent goes round in circles."""
    ended = ", so it was ended" if event.ended else ""
    return f"the same call {event.times} times in a row{ended}: {printable(event.text or event.tool, _CALL_LIMIT)}"


def exit_of(code: int | None) -> str:
    """`exit 1`, or the signal that ended it."""
    if code is None:
        return "no exit status"
    return f"exit {code}" if code >= 0 else f"signal {-code}"


def attempt_end(event: Judged, commit: str = "") -> str:
    """The closing line of an iteration."""
    return joined(
        printable(event.outcome),
        _LIMITS.get(event.reason) or printable(event.reason),
        printable(event.proof or ""),
        "suspect" if event.outcome == "passed" and event.suspects else "",
        "" if event.charged else "not charged",
        duration(event.duration_s),
        printable(commit[:SHORT]),
    )


_ANSWERS = {
    "tell": "the next prompt says so",
    "escalate": "the next attempt is another model's",
    "set_aside": "the story is set aside",
    "stop": "the run stops",
}


def stalled(event: Stalled) -> str:
    """That attempts are alike, and what is done about it."""
    done = _ANSWERS.get(event.answer, printable(event.answer))
    return f"stalled: the same work and the same failure {event.times} times in a row: {done}"


def asked(event: Asked) -> str:
    """What the agent wants of a person."""
    return f"{SAID.get(event.what, printable(event.what))}: {printable(event.text, 1000)}"


def limit(name: str, value: float) -> str:
    """A cap as the run's header shows it; names that end in `_s` are seconds, in `_usd` US dollars; an idle
    limit of 0 is off.
    """
    if name.endswith("_usd"):
        return f"{printable(name.removesuffix('_usd').replace('_', ' '))} {value:.2f} USD"
    word = printable(name.removesuffix("_s").replace("_", " "))
    if not name.endswith("_s"):
        return f"{word} {in_thousands(int(value)) if name == 'tokens' else f'{value:.0f}'}"
    return f"{word} {duration(value) if value else 'off'}"


def caps(limits: Mapping[str, float]) -> Iterator[str]:
    """The header's lines of caps: `limits: …`, and `spending: …` where what may be spent is bounded."""
    money = {name: value for name, value in limits.items() if name == "tokens" or name.endswith("_usd")}
    others = {name: value for name, value in limits.items() if name not in money}
    for what, some in (("limits", others), ("spending", money)):
        if some:
            yield f"{what}: {joined(*(limit(name, value) for name, value in some.items()))}"


def counts(event: RunFinished) -> str:
    """What became of the stories, what it took and what it cost."""
    return joined(
        f"{event.passed} of {plural(event.total, 'story')} passed",
        f"{event.failing} failing",
        f"{event.blocked} blocked",
        f"{event.skipped} skipped",
        plural(event.iterations, "iteration"),
        duration(event.duration_s),
        f"waited {duration(event.waited_s)}" if event.waited_s else "",
        cost_words(Spent(event.cost_usd, unpriced=event.unpriced, estimated=event.estimated)) or "cost unknown",
        token_words(tokens_of(event.tokens_in, event.tokens_out, event.tokens_cached)),
    )


def waiting(event: Waiting, left_s: float | None = None) -> str:
    """`waiting 2h 3m for claude: usage_limit, until 19:00 UTC`; `left_s`: seconds of it that are left."""
    seconds = event.seconds if left_s is None else left_s
    return f"waiting {duration(seconds)} for {awaited(event)}"


class Awaited(Protocol):
    """That agents cannot be had for `seconds`, until `until` (Unix time)."""

    @property
    def agents(self) -> tuple[str, ...]: ...
    @property
    def reason(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def until(self) -> float: ...


def awaited(event: Awaited) -> str:
    """`claude: usage_limit, until 19:00 UTC`."""
    until = moment(event.until, event.until - event.seconds)
    return f"{printable(', '.join(event.agents))}: {printable(event.reason)}, until {until}"


def attempt_count(charged: int, most: int, number: int) -> str:
    """`attempt 2/3`; with its number where earlier runs, or attempts that were not charged, have made that another."""
    told = f"attempt {charged + 1}/{most}"
    return told if number == charged + 1 else f"{told} (no. {number})"
