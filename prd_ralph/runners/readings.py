"""Reads an output: which runners' closing lines are in it, and what they say."""

from collections.abc import Iterable

from prd_ralph.runners import compiled, javascript, python, scripting, tap
from prd_ralph.runners.calls import Run, calls_of
from prd_ralph.runners.reading import Counts, Reading, Runner

_LONGEST_LINE = 300
RUNNERS = (*python.RUNNERS, *javascript.RUNNERS, *tap.RUNNERS, *compiled.RUNNERS, *scripting.RUNNERS)


def read(run: Run, text: str) -> tuple[Reading, ...]:
    """What each runner says that speaks in the output `text` of the command `run`, one reading a runner.

    Of a runner that is called once by name the last closing counts: whatever was printed before is not its own. Where
    it may have been called several times (by `make`, by `npm test`) its closings are added up.
    """
    called = [name for program in calls_of(run).programs for name in program.closings]
    return tuple(
        runner.reading(closings[-1] if _only_last(runner, called) else _sum(closings))
        for runner, closings in _spoken(text)
    )


def last(text: str) -> tuple[Reading, ...]:
    """What each runner says in the end, however often it was called."""
    return tuple(
        runner.reading(_sum(closings) if runner.repeats == "parts" else closings[-1])
        for runner, closings in _spoken(text)
    )


def cut_short(text: str) -> tuple[str, ...]:
    """The runners that began and did not come to their closing line."""
    text = _short_lines(text)
    return tuple(runner.name for runner in RUNNERS if runner.is_cut_short(text))


def _only_last(runner: Runner, called: list[str]) -> bool:
    return runner.repeats == "nested" or (runner.repeats in ("again", "each") and called.count(runner.name) == 1)


def _spoken(text: str) -> list[tuple[Runner, tuple[Counts, ...]]]:
    text = _short_lines(text)
    found = [(runner, closings) for runner in RUNNERS if (closings := runner.closings(text))]
    told_better = {name for runner, _ in found for name in runner.over}
    return [(runner, closings) for runner, closings in found if runner.name not in told_better]


def _short_lines(text: str) -> str:
    """Without those that are too long for a closing line, so that no line makes work."""
    return "\n".join(each for each in text.split("\n") if len(each) <= _LONGEST_LINE)


def _sum(closings: Iterable[Counts]) -> Counts:
    total: Counts = {}
    for counts in closings:
        for word, number in counts.items():
            total[word] = total.get(word, 0) + number
    return total
