"""Markdown, as GitHub and GitLab show it: the counts, a table of stories, what failed and why."""

import re
from collections.abc import Iterator

from prd_ralph.facts import CheckFacts, Report, StoryFacts
from prd_ralph.wording import duration, exit_of, plural, printable, shown_lines

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&@:])")
_MARKS = {"passed": "✅", "ready": "❌", "exhausted": "❌", "blocked": "⏸", "skipped": "⏭"}
_WORDS = {"ready": "failing", "exhausted": "failing, attempts used up"}
_EXCERPT = 3000


def markdown(report: Report) -> str:
    """The report; nothing in it is markup, a link or a mention but ours."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    counts = report.counts
    if report.problems:
        yield f"## {_plain(report.prd)}: nothing can be told"
        yield ""
        for problem in report.problems:
            yield f"- ❌ {_plain(str(problem).splitlines()[0])}"
        return
    yield f"## {_plain(report.project or report.prd)}: {counts.passed} of {plural(counts.total, 'story')} pass"
    yield ""
    told = f"{counts.passed} passed · {counts.failing} failing · {counts.blocked} blocked · {counts.skipped} skipped"
    yield f"{_plain(report.prd)} · {report.percent}% · {told} · **{report.basis.words}**"
    yield ""
    yield "| | story | state | attempts | cost |"
    yield "|---|---|---|---|---|"
    yield from map(_row, report.stories)
    for story in report.stories:
        if story.state != "passed":
            for check in story.results:
                if not check.passed:
                    yield from _failure(story, check)
    for run in report.runs[-1:]:
        cost = f" · ${run.cost_usd:.2f}" if run.cost_usd is not None else ""
        took = f" · {duration(run.duration_s)}" if run.duration_s is not None else ""
        yield ""
        yield f"Last run: {_plain(run.stop or 'not ended')} · {plural(run.iterations, 'iteration')}{took}{cost}"
    if report.unreadable:
        yield ""
        yield f"{plural(report.unreadable, 'line')} of the ledgers could not be read."


def _row(story: StoryFacts) -> str:
    state = " · ".join(part for part in (_WORDS.get(story.state, story.state), story.reason) if part)
    cost = f"${story.cost_usd:.2f}" if story.cost_usd is not None else ""
    cells = (f"{_plain(story.id)} {_plain(story.title)}", _plain(state), str(story.attempts or ""), cost)
    return f"| {_MARKS[story.state]} | {' | '.join(cells)} |"


def _failure(story: StoryFacts, check: CheckFacts) -> Iterator[str]:
    """Fixed words, the command and its exit code: never soothing."""
    yield ""
    yield f"**{_plain(story.id)}**: {_plain(check.label)} failed \\({exit_of(check.exit_code)}\\)"
    if check.excerpt:
        lines = shown_lines(check.excerpt, _EXCERPT)
        fence = "`" * (1 + max(3, *(len(run) for line in lines for run in re.findall("`+", line)), 0))
        yield ""
        yield f"{fence}text"
        yield from lines
        yield fence


def _plain(text: str) -> str:
    """One line in which nothing means anything: punctuation is escaped, and `@` and `#` reach nobody."""
    escaped = _MARKUP.sub(r"\\\1", printable(text, 300))
    return (
        escaped.replace("\\@", "@<!-- -->").replace("\\#", "#<!-- -->").replace("\\<", "&lt;").replace("\\&", "&amp;")
    )
