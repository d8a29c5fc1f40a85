"""`prd-ralph prompt`: what the next iteration would tell the agent."""

from secrets import token_hex
from typing import Annotated

import typer

from prd_ralph.assets import asset
from prd_ralph.attempt import COMMITS_SHOWN, guides
from prd_ralph.cli.add_context import context_of
from prd_ralph.cli.answer import answer_bytes
from prd_ralph.cli.init import PROMPT, TEMPLATES
from prd_ralph.cli.options import Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import Prd as PrdModel
from prd_ralph.model import Story
from prd_ralph.ports import PromptContext
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.progress import ProgressFile
from prd_ralph.prompts import JinjaPrompts
from prd_ralph.rules import next_story, standings
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.history import recent_commits

SHORT = "Print the next prompt."
EXAMPLE = "Example: prd-ralph prompt US-002"


def command(
    story_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="A story. Default: the next one.")] = None,
    prd: Prd = None,
) -> int:
    """Print the prompt that a run would begin with: for the next story, or for the one that is named."""
    project = open_project({"prd": prd})
    document = project.prd_file().load()
    story = _story(project, document.prd, story_id)
    if story is None:
        typer.echo("no story is ready: prd-ralph status says why", err=True)
        return ExitCode.UNFINISHED
    progress, patterns = _memory(project)
    context = PromptContext(
        prd=document.prd,
        story=story,
        checks=document.prd.checks_for(story, project.extra),
        attempt=1,
        max_attempts=project.settings.max_attempts,
        progress=progress,
        patterns=patterns,
        commits=_commits(project),
        guides=guides(project.root),
        nonce=nonce(),
        context=context_of(project).read() if project.location else "",
    )
    answer_bytes(project.mask.text(prompts(project).render(context).text).encode("utf-8"))
    return ExitCode.OK


def nonce() -> str:
    """A word that nobody can guess, another one each time: by it an agent is believed that it is stuck."""
    return token_hex(8)


def prompts(project: Project) -> JinjaPrompts:
    """The person's template where there is one, else ours."""
    return JinjaPrompts((project.root / TEMPLATES / PROMPT, asset(f"templates/{PROMPT}")))


def _memory(project: Project) -> tuple[str, str]:
    return ProgressFile(project.progress, lambda warning: typer.echo(f"warning: {warning}", err=True)).recall()


def _commits(project: Project) -> tuple[str, ...]:
    if project.location is None:
        return ()
    with SupervisedProcesses(StopSignals()) as processes:
        return recent_commits(Git(processes, project.root, project.env), COMMITS_SHOWN)


def _story(project: Project, prd: PrdModel, story_id: str | None) -> Story | None:
    if story_id is None:
        return next_story(prd, standings(prd, project.settings.selection, {}, project.settings.max_attempts))
    return story_called(prd, story_id)


def story_called(prd: PrdModel, story_id: str) -> Story:
    """The story with this id. Raises RalphError that names those there are."""
    try:
        return prd.story(story_id)
    except KeyError:
        known = ", ".join(story.id for story in prd.stories)
        raise RalphError(f"no story {story_id}", f"there are: {known}") from None
