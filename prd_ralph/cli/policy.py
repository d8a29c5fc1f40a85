"""What a report must say for the exit code to be 0: `--fail-under` and `--require`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import typer

from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.facts import Report
from prd_ralph.wording import plural

FailUnder = Annotated[
    str | None,
    typer.Option("--fail-under", metavar="N|N%", help="Exit with 1 where fewer stories pass, or a smaller part."),
]
Require = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="ID,…", help="Exit with 1 where one of these stories does not pass."),
]
_NUMBER = re.compile(r"(\d{1,6})(%?)")


@dataclass(frozen=True, slots=True)
class Policy:
    """`least` stories must pass, or so many percent of all of them (`in_percent`); `required` are ids that must."""

    least: int = 0
    in_percent: bool = False
    required: tuple[str, ...] = ()

    @classmethod
    def of(cls, fail_under: str | None, require: Iterable[str] | None) -> "Policy":
        """As the options give it. Raises RalphError for what is no number, or no part of a whole."""
        ids = tuple(name.strip() for each in require or () for name in each.split(",") if name.strip())
        if fail_under is None:
            return cls(required=ids)
        found = _NUMBER.fullmatch(fail_under.strip())
        if found is None or (found[2] and int(found[1]) > 100):
            raise RalphError(
                f"--fail-under {fail_under}: not a number of stories, nor a percentage", "for example 5 or 80%"
            )
        return cls(int(found[1]), bool(found[2]), ids)

    def refused(self, report: Report) -> tuple[str, ...]:
        """Why the report is not good enough, a line each. Raises RalphError for a required story that there isn't."""
        passing = {story.id for story in report.stories if story.state == "passed"}
        unknown = [name for name in self.required if name not in {story.id for story in report.stories}]
        if unknown and not report.problems:
            raise RalphError(f"--require: no story {', '.join(unknown)}", f"there are: {_ids(report)}")
        missing = [name for name in self.required if name not in passing]
        counts, basis = report.counts, report.basis.words
        few = 100 * counts.passed < self.least * counts.total if self.in_percent else counts.passed < self.least
        wanted = f"{self.least}%" if self.in_percent else str(self.least)
        return (
            *((f"{counts.passed} of {plural(counts.total, 'story')} pass ({basis}), under {wanted}",) if few else ()),
            *((f"required, and not passing ({basis}): {', '.join(missing)}",) if missing else ()),
        )

    @staticmethod
    def end(refused: Iterable[str]) -> int:
        """The exit code, after each line has been told."""
        lines = tuple(refused)
        for line in lines:
            typer.echo(line, err=True)
        return ExitCode.UNFINISHED if lines else ExitCode.OK


def _ids(report: Report) -> str:
    return ", ".join(story.id for story in report.stories[:20])
