"""The repository, as a run would look at it, with what it would write kept aside."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prd_ralph.cli.checkup.bounded import BoundedProcesses
from prd_ralph.cli.checkup.findings import Finding, Level, blocker, fine, told, warning
from prd_ralph.cli.project import Project
from prd_ralph.errors import RalphError
from prd_ralph.ports import Current, Opening
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.preflight import preflight
from prd_ralph.workspace.refs import read_current


def repository(project: Project, processes: BoundedProcesses, opening: Opening) -> Iterator[Finding]:
    """All that forbids a run here: the state of the tree, the commits' identity and signing, the state folder."""
    try:
        location = project.repository
    except RalphError as error:
        yield from told(Level.BLOCKER, "repository", error.problems)
        return
    yield from _going_on(project)
    try:
        temporary = tempfile.TemporaryDirectory(prefix="prd-ralph-")
    except OSError as error:
        what = f"no temporary file can be made: {error.strerror or error}"
        yield blocker("repository", what, "make room, or set TMPDIR to a folder that can be written")
        return
    with temporary as folder:
        aside = replace(processes, env=_aside(location, folder))
        yield from _looked_at(Git(aside, project.root, project.env), location, opening, processes.limit_s)


def _aside(location: Location, folder: str) -> dict[str, str]:
    """New objects go to `folder`: whether commits can be signed is found out by signing one."""
    quoted = str(location.common_dir / "objects").replace("\\", "\\\\").replace('"', '\\"')
    return {"GIT_OBJECT_DIRECTORY": folder, "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{quoted}"'}


def _looked_at(git: Git, location: Location, opening: Opening, limit_s: float) -> Iterator[Finding]:
    current: Current | None = None
    try:
        current = read_current(git)
        problems = preflight(git, location, opening, current is not None, limit_s)
    except RalphError as error:
        problems = error.problems
    yield from told(Level.BLOCKER, "repository", problems)
    if not problems:
        yield fine("repository", f"{location.root}: nothing is in the way, commits can be made")
    if current is not None:
        key = current.key
        yield fine("repository", f"the work of {key.story} attempt {key.number} lies in the tree; a run takes it up")


def _going_on(project: Project) -> Iterator[Finding]:
    try:
        holder = project.state.read_lock(project.worktree)
    except RalphError as error:
        yield from told(Level.BLOCKER, "lock", error.problems)
        return
    if holder is not None:
        yield warning("lock", f"another prd-ralph is at work here ({holder})", "prd-ralph status shows it")


def room_for(project: Project) -> Path:
    """The folder whose disk a run fills."""
    return project.location.common_dir if project.location else project.root
