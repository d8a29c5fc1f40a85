"""The agents: which are there, which ones a run would start, and whether they could log in and act."""

import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.agents import registry
from prd_ralph.agents.login import KEYS, login_of
from prd_ralph.agents.model_name import plain_model
from prd_ralph.agents.preset import version_of
from prd_ralph.cli.checkup.findings import Finding, Level, blocker, fine, told, warning
from prd_ralph.cli.project import Project
from prd_ralph.cli.wire import resolve_agent
from prd_ralph.errors import Problem, RalphError
from prd_ralph.model import Story
from prd_ralph.ports import Processes
from prd_ralph.process.program import NotStartedError, find_program


@dataclass(frozen=True, slots=True)
class User:
    """Who runs it, on what: `platform` as `sys.platform`."""

    platform: str
    is_root: bool


def agents(project: Project, processes: Processes, stories: Collection[Story], user: User) -> Iterator[Finding]:
    """`stories`: those that a run may attempt; they may name agents of their own."""
    env = project.agent_env
    found = registry.found(env)
    wanted = _wanted(project, stories, found)
    problems, versions = _resolved(project, processes, wanted)
    yield from told(Level.BLOCKER, "agent", (*problems, *_of_models(project, stories)))
    command = project.settings.agent_command
    if command is not None and not problems:
        yield fine("agent", f"agent command {command}")
    for name in registry.presets():
        if name in found:
            known = versions.get(name)
            version = version_of(found[name], processes, project.root, env) if known is None else known
            yield _program(name, found[name], version)
        else:
            yield from _unstartable(name, env)
        if name in wanted:
            yield from _login(name, project, user)
            yield from _autonomy(name, project, user)


def _wanted(project: Project, stories: Collection[Story], found: Mapping[str, Path]) -> tuple[str | None, ...]:
    """The agents by name that a run would start, the project's own first; None: it has no name.

    Settings with faults name no agent for certain: that none is named is not said then.
    """
    settings = project.settings
    own = settings.first_agent
    if own is None and settings.agent_command is None and len(found) == 1:
        (own,) = found
    named = dict.fromkeys(story.agent for story in stories if story.agent)
    unsaid = own is None and settings.agent_command is None and project.faults
    return tuple(named) if unsaid else tuple(dict.fromkeys((own, *settings.agents, *named)))


def _resolved(
    project: Project, processes: Processes, wanted: Collection[str | None]
) -> tuple[list[Problem], dict[str, str]]:
    """What a run would be refused for, and the versions of the agents that it would start ("": not said)."""
    problems: list[Problem] = []
    versions: dict[str, str] = {}
    for name in wanted:
        try:
            agent = resolve_agent(project, processes, name)
        except RalphError as error:
            problems += error.problems
        else:
            versions[str(name)] = agent.label.removeprefix(str(name)).strip()
    return problems, versions


def _of_models(project: Project, stories: Collection[Story]) -> Iterator[Problem]:
    for model in dict.fromkeys(
        (project.settings.model, *project.settings.escalate, *(story.model for story in stories))
    ):
        try:
            plain_model(model)
        except RalphError as error:
            yield from error.problems


def _program(name: str, path: Path, version: str) -> Finding:
    if version:
        return fine("agent", f"{name} {version} ({path})")
    return warning("agent", f"{name} ({path}) does not say its version", f"see what `{name} --version` does")


def _unstartable(name: str, env: Mapping[str, str]) -> Iterator[Finding]:
    """A file of that name that is no program explains why it is not found."""
    try:
        find_program((name,), Path(os.sep), env)
    except NotStartedError as error:
        if str(error).startswith("not executable"):
            path = str(error).partition(": ")[2]
            yield warning("agent", f"{name}: {path} is not executable", f"chmod +x {shlex.quote(path)}")


def _login(name: str, project: Project, user: User) -> Iterator[Finding]:
    seen = login_of(name, project.agent_env, project.root)
    if seen:
        yield fine("login", f"{name}: {seen}")
        return
    kept = [key for key in KEYS[name] if project.env.get(key) and key not in project.agent_env]
    if kept:
        what = f"{name}: {', '.join(kept)} is kept from the agent, and no other login is seen"
        fix = f'env.pass = ["{kept[0]}"], or log in'
    else:
        what, fix = f"{name}: neither a key nor a login is seen", registry.login_hint(name)
    if user.platform == "darwin":
        yield warning("login", f"{what}; what the keychain holds cannot be", fix)
    else:
        yield blocker("login", what, fix)


def _autonomy(name: str, project: Project, user: User) -> Iterator[Finding]:
    """The flags in use; and for root what claude makes of IS_SANDBOX."""
    env, own = project.agent_env, project.settings.autonomy[name]
    flags = registry.default_autonomy(name, env) if own is None else own
    if flags:
        who = " as root" if user.is_root else ""
        yield fine("autonomy", f"{name}{who} acts without asking: {shlex.join(flags)}")
    else:
        yield warning("autonomy", f"{name} is given no flags: what it must ask for is refused", f"set autonomy.{name}")
    if name == "claude" and user.is_root and env.get("IS_SANDBOX") not in (None, "1"):
        what = "IS_SANDBOX is set but not to 1: claude does not count it, and refuses root to skip permissions"
        yield warning("autonomy", what, "IS_SANDBOX=1 (exactly 1), where this is a sandbox")
