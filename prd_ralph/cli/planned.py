"""What `plan` says of a plan: what it met in the PRD, for people (lines on stderr) and for scripts (JSON)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import unified_diff
from itertools import zip_longest

from prd_ralph.cli.answer import record_of
from prd_ralph.cli.markdown import Markdown
from prd_ralph.console import plural, printable
from prd_ralph.errors import Problem
from prd_ralph.model import Check
from prd_ralph.planning.notices import NO_COMMAND_HINT
from prd_ralph.planning.values import Concern, Notice, Place, Plan
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import open_without_commands

_UNPLACED = "no story and no key takes this up: {}"
_UNPLACED_HINT = "put it under a label that is known, as **Notes:** or **Acceptance Criteria:**, or leave it to people"


def unplaced(markdown: Markdown, plan: Plan) -> tuple[Problem, ...]:
    """A problem for each line that begins something without a place."""
    return tuple(
        Problem(
            _UNPLACED.format(printable(entry.text, 100)),
            _UNPLACED_HINT,
            markdown.shown(entry.place.file),
            entry.place.line,
        )
        for entry in plan.unplaced
    )


def losses(markdown: Markdown, plan: Plan) -> tuple[Problem, ...]:
    """All text of the PRD that the plan does not take up: what has no place, and what an agent lost."""
    lost = (notice for notice in plan.warnings if notice.concern is Concern.LOST)
    return (*unplaced(markdown, plan), *(_problem(markdown, notice) for notice in lost))


def noticed(markdown: Markdown, plan: Plan, bare: Iterable[Problem]) -> tuple[Problem, ...]:
    """A problem for each thing that a person may not have meant, and for each of `bare`."""
    return (
        *(_problem(markdown, notice) for notice in plan.warnings if notice.concern is not Concern.NO_COMMAND),
        *bare,
    )


def _problem(markdown: Markdown, notice: Notice) -> Problem:
    return Problem(printable(notice.message), notice.hint, markdown.shown(notice.place.file), notice.place.line)


def without_command(
    markdown: Markdown, places: Mapping[str, Place], document: PrdDocument, extra: Iterable[Check], name: str
) -> tuple[Problem, ...]:
    """The open stories of the new prd.json, `name`, that nothing could prove: not even `extra`, of the settings.

    They are written all the same (C020, C077). `places`: where the PRD has each, by its id in prd.json.
    """
    found = []
    for problem in open_without_commands(document.prd, extra, name):
        place = places.get(problem.story)
        at = markdown.at(place) if place else Place(name, problem.line or 1)
        message = f"{printable(problem.story)} has no command that could prove it"
        found.append(Problem(message, NO_COMMAND_HINT, at.file, at.line, story=problem.story))
    return tuple(found)


def summary(document: PrdDocument, bare: Collection[Problem]) -> str:
    """`5 stories, 2 without commands`"""
    told = plural(len(document.prd.stories), "story")
    return f"{told}, {len(bare)} without commands" if bare else told


def warnings(problems: tuple[Problem, ...]) -> Iterator[str]:
    """A line each; where several in a row have the same hint, it follows the last one."""
    for problem, after in zip_longest(problems, problems[1:]):
        hint = "" if after and after.hint == problem.hint else problem.hint
        where = ":".join(str(part) for part in (problem.file, problem.line) if part)
        yield f"warning: {where}: {problem.message}" + (f"\n  hint: {hint}" if hint else "")


def record(problem: Problem) -> dict[str, object]:
    """A problem as JSON: like `validate`'s, with its file."""
    return {"file": problem.file or None, **record_of(problem)}


def records(markdown: Markdown, plan: Plan, document: PrdDocument, bare: Collection[Problem]) -> dict[str, object]:
    """What `--json` says of a plan, and of the prd.json that it makes."""
    left = zip(unplaced(markdown, plan), plan.unplaced, strict=True)
    return {
        "stories": len(document.prd.stories),
        "without_commands": [problem.story for problem in bare],
        "unplaced": [{"file": problem.file, "line": problem.line, "text": entry.text} for problem, entry in left],
        "warnings": [record(problem) for problem in noticed(markdown, plan, bare)],
    }


def diff_of(name: str, before: bytes | None, after: bytes) -> str:
    """What would change, as a unified diff; "" where nothing would."""
    old, new = (_lines(data or b"") for data in (before, after))
    origin = name if before is not None else "/dev/null"
    told = list(unified_diff(old, new, origin, name))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told)


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [line for line in text.split("\n")[-1:] if line]
