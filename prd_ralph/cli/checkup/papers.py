"""What the person wrote: the settings, prd.json, the prompt template."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prd_ralph.cli.checkup.findings import Finding, Level, fine, told
from prd_ralph.cli.origin import moved_on
from prd_ralph.cli.preparation import Findings, input_problems, open_stories, opening_of, template_problems
from prd_ralph.cli.project import Project
from prd_ralph.cli.wire import plan_of
from prd_ralph.config import FILE_NAME
from prd_ralph.console import plural
from prd_ralph.errors import ExitCode, Problem
from prd_ralph.model import Prd, RunPlan, Story
from prd_ralph.ports import Opening
from prd_ralph.prdfile import JsonPrdFile, lint


@dataclass(frozen=True, slots=True)
class Papers:
    """What could be read: `prd` and `plan` are None where they could not be."""

    findings: tuple[Finding, ...]
    prd: Prd | None
    plan: RunPlan | None
    opening: Opening

    @property
    def open_stories(self) -> tuple[Story, ...]:
        return open_stories(self.prd, self.plan.selection) if self.prd and self.plan else ()


def settings(project: Project) -> Iterator[Finding]:
    yield from told(Level.BLOCKER, "settings", project.faults)
    if not project.faults:
        there = (project.root / FILE_NAME).exists()
        yield fine("settings", f"{FILE_NAME}: valid" if there else f"no {FILE_NAME}: the defaults hold")


def papers(project: Project) -> Papers:
    """prd.json with all that is wrong with it, and all that would refuse a run of it."""
    found = Findings()
    prd_file = found.of(project.prd_file)
    plan = found.of(lambda: plan_of(project, prd_file)) if prd_file else None
    document = found.of(lambda: prd_file.load(strict=project.settings.strict)) if prd_file else None
    if prd_file is None or document is None:
        return Papers(tuple(told(Level.BLOCKER, "prd", found.problems)), None, plan, _no_opening(prd_file))
    prd, opening = document.prd, opening_of(project, prd_file, document.prd)
    if plan is not None:
        checked = plan
        found.add(input_problems(project, checked, prd, opening.prd), ExitCode.BAD_INPUT)
        found.of(lambda: template_problems(project, prd, checked))
    name = prd_file.name
    masked = lint(document, name, rules=("masked-status",))
    doubts = (*document.warnings, *masked, *moved_on(document.data, name, project.root))
    return Papers(tuple(_of_prd(name, prd, found.problems, doubts)), prd, plan, opening)


def _of_prd(name: str, prd: Prd, problems: Iterable[Problem], doubts: Iterable[Problem]) -> Iterator[Finding]:
    errors = tuple(told(Level.BLOCKER, "prd", problems))
    yield from errors
    yield from told(Level.WARNING, "prd", doubts)
    if not errors:
        passing = sum(story.passes for story in prd.stories)
        yield fine("prd", f"{name}: valid, {plural(len(prd.stories), 'story')}, {passing} passing")


def _no_opening(prd_file: JsonPrdFile | None) -> Opening:
    """What is asked of the repository where prd.json says nothing."""
    name = prd_file.name if prd_file else "prd.json"
    return Opening(name, (name,), None, None, ())
