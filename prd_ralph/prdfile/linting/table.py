"""All rules by name, and what they find in a document."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from prd_ralph.errors import Problem
from prd_ralph.model import Check, Prd, Story
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile.linting import commands, criteria, ids, statuses, stories
from prd_ralph.prdfile.linting.subject import NOTHING_AROUND, Found, Subject, Surroundings
from prd_ralph.prdfile.reading import read_source
from prd_ralph.prdfile.shell import Mode

Rule = Callable[[Subject], Iterator[Found]]

# The names are for scripts and for the table in docs/prd-json.md: they stay as they are.
RULES: dict[str, Rule] = {
    "masked-status": statuses.masked_status,
    "piped-status": statuses.piped_status,
    "green-without-tests": statuses.green_without_tests,
    "inverted-grep": statuses.inverted_grep,
    "same-everywhere": commands.same_everywhere,
    "missing-program": commands.missing_program,
    "needs-terminal": commands.needs_terminal,
    "never-ends": commands.never_ends,
    "vague-criterion": criteria.vague_criterion,
    "subjective-criterion": criteria.subjective_criterion,
    "manual-criterion": criteria.manual_criterion,
    "only-manual": criteria.only_manual,
    "too-many-criteria": stories.too_many_criteria,
    "no-own-command": stories.no_own_command,
    "epic-story": stories.epic_story,
    "priority-order": stories.priority_order,
    "reused-id": ids.reused_id,
}


def lint(
    document: PrdDocument, file: str, around: Surroundings = NOTHING_AROUND, rules: Iterable[str] = tuple(RULES)
) -> tuple[Problem, ...]:
    """What in a valid document can prove nothing or is likely to fail, in the file's order; `rule` is set in each.

    `file`: its name in messages. Nothing is run, and nothing is read but `document.data`.
    """
    source, subject = read_source(document.data, file), Subject(document.prd, around)
    found = [
        replace(source.problem(each.path, each.message, each.hint), rule=name)
        for name in rules
        for each in RULES[name](subject)
    ]
    return tuple(sorted(found, key=lambda problem: (problem.line or 0, problem.pointer or "")))


def masked(prd: Prd, judged: Iterable[Story], extra: Iterable[Check], file: str) -> tuple[Problem, ...]:
    """`masked-status` of what judges these stories, `extra` (a run's own commands) among it; each command once."""
    given, found = tuple(extra), dict[object, Problem]()
    for story in judged:
        for check in prd.checks_for(story, given):
            if check.run not in found and (fault := statuses.fault(check, Mode())):
                own = check in story.checks
                place = (story.line, story.id) if own else (None, "")
                found[check.run] = Problem(fault, statuses.OWN_STATUS, file, place[0], None, place[1], "masked-status")
    return tuple(found.values())
