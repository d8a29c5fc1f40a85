"""`prd-ralph prompt`: what the next iteration would tell the agent."""

from typing import Annotated

import typer

from prd_ralph.assets import asset
from prd_ralph.cli.init import PROMPT, TEMPLATES
from prd_ralph.cli.options import Prd
from prd_ralph.cli.project import Project, open_project
from prd_ralph.errors import ExitCode, RalphError
from prd_ralph.model import Prd as PrdModel
from prd_ralph.model import Story
from prd_ralph.ports import PromptContext
from prd_ralph.progress import ProgressFile
from prd_ralph.prompts import JinjaPrompts
from prd_ralph.rules import next_story, standings

SHORT = "Print the next prompt."
EXAMPLE = "Example: prd-ralph prompt US-002"


def command(
    story_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="A story. Default: the next one.")] = None,
    prd: Prd = None,
) -> int:
    """Print the prompt that the next iteration would send."""
    project = open_project({"prd": prd})
    document = project.prd_file().load()
    story = _story(project, document.prd, story_id)
    if story is None:
        typer.echo("no story is ready: prd-ralph status says why", err=True)
        return ExitCode.UNFINISHED
    memory = ProgressFile(project.progress, lambda warning: typer.echo(f"warning: {warning}", err=True))
    progress, patterns = memory.recall()
    context = PromptContext(
        prd=document.prd,
        story=story,
        checks=document.prd.checks_for(story, project.extra),
        attempt=1,
        max_attempts=project.settings.max_attempts,
        progress=progress,
        patterns=patterns,
    )
    typer.echo(prompts(project).render(context).text, nl=False)
    return ExitCode.OK


def prompts(project: Project) -> JinjaPrompts:
    """The person's template where there is one, else ours."""
    return JinjaPrompts((project.root / TEMPLATES / PROMPT, asset(f"templates/{PROMPT}")))


def _story(project: Project, prd: PrdModel, story_id: str | None) -> Story | None:
    if story_id is None:
        return next_story(prd, standings(prd, project.settings.selection, {}, project.settings.max_attempts))
    try:
        return prd.story(story_id)
    except KeyError:
        known = ", ".join(story.id for story in prd.stories)
        raise RalphError(f"no story {story_id}", f"there are: {known}") from None
