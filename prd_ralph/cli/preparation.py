"""What is looked at before a run starts: everything, so that all problems are told in one go, with nothing changed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from prd_ralph.agents.choice import ChosenAgents
from prd_ralph.cli.budget import unbounded
from prd_ralph.cli.project import Project
from prd_ralph.cli.prompt import prompts
from prd_ralph.cli.wire import choose_agents, plan_of
from prd_ralph.errors import ExitCode, Problem, ProblemsError, RalphError
from prd_ralph.model import EVERY_STORY, Check, Prd, RunPlan, Selection, Story, StoryState
from prd_ralph.notify import missing, refused
from prd_ralph.ports import Current, Opening, PrdDocument, Processes, PromptContext
from prd_ralph.prdfile import JsonPrdFile, open_without_commands
from prd_ralph.rules import standings
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.preflight import preflight
from prd_ralph.workspace.pushing import push_problems
from prd_ralph.workspace.standing import standing

T = TypeVar("T")


@dataclass(slots=True)
class Findings:
    """Collects what is wrong; bad input outranks the environment in the exit code."""

    problems: list[Problem] = field(default_factory=list)
    code: ExitCode = ExitCode.ENVIRONMENT

    def add(self, problems: Iterable[Problem], code: ExitCode) -> None:
        found = list(problems)
        self.problems += found
        if found and code is ExitCode.BAD_INPUT:
            self.code = code

    def of(self, look: Callable[[], T]) -> T | None:
        """What `look` returns; None where it found something wrong, which is kept."""
        try:
            return look()
        except RalphError as error:
            self.add(error.problems, error.code)
            return None

    def unless_found(self, prepared: T | None) -> T:
        """`prepared`, unless something was found wrong: then ProblemsError with all of it."""
        if self.problems or prepared is None:
            raise ProblemsError(self.problems, self.code)
        return prepared


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that may start."""

    document: PrdDocument
    opening: Opening
    chosen: ChosenAgents


def ground(project: Project, processes: Processes) -> tuple[JsonPrdFile, RunPlan]:
    """What a run stands on. Where part of it is missing: ProblemsError with all that can be told without that part."""
    findings = Findings()
    findings.add(project.faults, ExitCode.BAD_INPUT)
    findings.of(lambda: project.repository)
    prd_file = findings.of(project.prd_file)
    plan = findings.of(lambda: plan_of(project, prd_file)) if prd_file else None
    if prd_file and plan and not findings.problems:
        return prd_file, plan
    if prd_file and plan:
        look(project, prd_file, plan, processes, findings)
    else:
        if prd_file:
            findings.of(prd_file.load)
        _agents(project, processes, (), findings)
    raise ProblemsError(findings.problems, findings.code)


def look(
    project: Project,
    prd_file: JsonPrdFile,
    plan: RunPlan,
    processes: Processes,
    findings: Findings,
    current: Current | None = None,
) -> Prepared | None:
    """Puts all that is wrong into `findings`; None where prd.json cannot be read at all."""
    document = findings.of(lambda: prd_file.load(strict=plan.strict))
    if document is None:
        _agents(project, processes, (), findings)
        return None
    mine = open_stories(document.prd, plan.selection)
    opening = opening_of(project, prd_file, document.prd)
    findings.add(input_problems(project, plan, document.prd, opening.prd), ExitCode.BAD_INPUT)
    findings.of(lambda: template_problems(project, document.prd, plan))
    chosen = _agents(project, processes, mine, findings) if mine else None
    findings.add(refused(project.settings.notify), ExitCode.BAD_INPUT)
    findings.add(missing(project.settings.notify), ExitCode.ENVIRONMENT)
    findings.add(unbounded(plan, chosen, mine) if chosen else (), ExitCode.BAD_INPUT)
    if project.location:
        git = Git(processes, project.root, project.env)
        findings.add(preflight(git, project.location, opening, current is not None), ExitCode.ENVIRONMENT)
        if plan.push:
            branch = document.prd.branch or standing(git).branch
            findings.add(push_problems(git, branch), ExitCode.ENVIRONMENT)
    return Prepared(document, opening, chosen or ChosenAgents())


def _agents(
    project: Project, processes: Processes, stories: tuple[Story, ...], findings: Findings
) -> ChosenAgents | None:
    """Settings with faults name no agent for certain: that none is named is not said then."""
    settings = project.settings
    if project.faults and not (settings.first_agent or settings.agent_command):
        return None
    return findings.of(lambda: choose_agents(project, processes, stories))


def open_stories(prd: Prd, selection: Selection) -> tuple[Story, ...]:
    """The stories that the run may attempt, now or once their dependencies pass."""
    where = standings(prd, selection, {}, 1)
    closed = (StoryState.PASSES, StoryState.SKIPPED)
    return tuple(story for story in prd.stories if where[story.id].state not in closed)


def input_problems(project: Project, plan: RunPlan, prd: Prd, name: str) -> Iterator[Problem]:
    """What is wrong with a valid prd.json for this very run."""
    if plan.strict and plan.baseline == "off":
        yield Problem("--strict refuses every pass where --baseline is off", "leave one of the two out")
    known = {story.id for story in prd.stories}
    for flag, ids in (("--only", plan.selection.only), ("--skip", plan.selection.skip)):
        for unknown in [story_id for story_id in ids if story_id not in known]:
            yield Problem(f"{flag} {unknown}: no such story in {name}", f"there are: {', '.join(known)}")
    for unknown in [story_id for story_id in plan.hidden if story_id not in known | {EVERY_STORY}]:
        yield Problem(f"hidden checks of {unknown}: no such story in {name}", f"there are: {', '.join(known)}")
    mine = open_stories(prd, plan.selection)
    wanted = {story.id for story in mine}
    yield from (p for p in open_without_commands(prd, plan.extra, name) if p.story in wanted)
    for story in mine:
        for check in prd.checks_for(story, plan.extra, plan.hidden_for(story.id)):
            yield from _folder(project, check, story, name)


def _folder(project: Project, check: Check, story: Story, name: str) -> Iterator[Problem]:
    """A `cwd` that an earlier story may still make is fine; one that is a file is not."""
    path = project.root / check.cwd
    if path.exists() and not path.is_dir():
        yield Problem(f"cwd {check.cwd} is not a folder", "name a folder", name, story.line, story=story.id)


def template_problems(project: Project, prd: Prd, plan: RunPlan) -> None:
    """Raises ProblemsError for a prompt template that would not work."""
    story = prd.stories[0]
    context = PromptContext(prd, story, prd.checks_for(story, plan.extra), 1, plan.limits.attempts)
    prompts(project).check(context)


def memory_of(project: Project, prd_file: JsonPrdFile) -> tuple[str, tuple[str, ...]]:
    """prd.json, and the memory files: itself and progress.txt beside it; relative to the root, with `/`."""
    path = PurePosixPath(prd_file.path.relative_to(project.root).as_posix())
    return str(path), (str(path), str(path.with_name("progress.txt")))


def opening_of(project: Project, prd_file: JsonPrdFile, prd: Prd) -> Opening:
    """What the run wants of the repository."""
    path, memory = memory_of(project, prd_file)
    memory = tuple(dict.fromkeys((*memory, *_sources(project.root, prd.source))))
    return Opening(path, memory, prd.branch, prd.base_branch, tuple(story.id for story in prd.stories))


def _sources(root: Path, source: str | None) -> Iterator[str]:
    """The PRD's files: itself, or those of its folder that `plan` reads."""
    if source and (root / source).is_dir():
        yield from (path.relative_to(root).as_posix() for path in sorted((root / source).glob("*.md")))
    elif source:
        yield source
