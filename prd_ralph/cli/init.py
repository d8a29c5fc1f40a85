"""`prd-ralph init`: a commented prd-ralph.toml for the agents found here, and on request the templates for editing."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.agents import registry
from prd_ralph.assets import asset
from prd_ralph.cli.project import open_project
from prd_ralph.config import FILE_NAME, render_default_toml
from prd_ralph.errors import RalphError, cannot_write

SHORT = "Write prd-ralph.toml."
EXAMPLE = "Example: prd-ralph init --templates"
TEMPLATES = Path(".prd-ralph/templates")
PROMPT, PLAN_PROMPT, REVIEW_PROMPT = "prompt.md.j2", "plan.md.j2", "review.md.j2"
EXAMPLE_PRD = "prd.md"


def command(
    templates: Annotated[
        bool, typer.Option("--templates", help=f"Copy the templates of the prompts to {TEMPLATES} for editing.")
    ] = False,
    prd: Annotated[
        bool, typer.Option("--prd", help=f"Write {EXAMPLE_PRD}, a PRD with two example stories, to begin with.")
    ] = False,
) -> None:
    """Write prd-ralph.toml, with every setting explained, and set for the agent that is found on PATH.

    Nothing that exists is overwritten.
    """
    project = open_project({})
    root, env = project.root, project.agent_env
    agents = registry.found(env)
    wanted = {root / FILE_NAME: render_default_toml(_chosen(agents, env)).encode()}
    if templates:
        wanted |= {root / TEMPLATES / name: _shipped(name) for name in (PROMPT, PLAN_PROMPT, REVIEW_PROMPT)}
    if prd:
        wanted[root / EXAMPLE_PRD] = _shipped(EXAMPLE_PRD)
    there = [path for path in wanted if os.path.lexists(path)]
    if len(there) == len(wanted):
        raise RalphError(f"{there[0]} exists already", "edit it, or move it away first")
    if root / FILE_NAME not in there:
        typer.echo(_told(agents), err=True)
    for path in [path for path in wanted if path not in there]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted[path])
        except OSError as error:
            raise cannot_write(path, error) from error
        typer.echo(f"wrote {os.path.relpath(path)}", err=True)


def _shipped(name: str) -> bytes:
    return asset(f"templates/{name}").read_bytes()


def _chosen(agents: Mapping[str, Path], env: Mapping[str, str]) -> dict[str, str | tuple[str, ...]]:
    """The agent where there is no choice, and what each one is allowed: for the person to see, and to change."""
    only: dict[str, str | tuple[str, ...]] = {"agent": next(iter(agents))} if len(agents) == 1 else {}
    return only | {f"autonomy.{name}": registry.default_autonomy(name, env) for name in agents}


def _told(agents: Mapping[str, Path]) -> str:
    found = ", ".join(f"{name} ({path})" for name, path in agents.items())
    if not found:
        return f"found none of {', '.join(registry.presets())} on PATH: set agent_command, or install one"
    how = f"set as the agent, with the flags under [autonomy] in {FILE_NAME}"
    return f"found {found}: {how if len(agents) == 1 else f'name one as agent in {FILE_NAME}'}"
