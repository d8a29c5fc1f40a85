"""`run --worktree`: the project, in a work tree of its own. The settings are those of where the person started it."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from prd_ralph.cli.init import TEMPLATES
from prd_ralph.cli.preparation import ground, opening_of
from prd_ralph.cli.project import Project
from prd_ralph.errors import BlockedError, cannot_write
from prd_ralph.ports import Processes
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.pool import Place, take
from prd_ralph.workspace.standing import standing


def own_place(project: Project, processes: Processes) -> Place:
    """A work tree with the memory files as they lie in the person's: what is not committed there is not lost here.

    Nothing in the person's work tree is touched. Raises RalphError as a run would that cannot start.
    """
    prd_file, _ = ground(project, processes)
    prd = prd_file.load().prd
    if prd.branch is None:
        raise BlockedError(
            "--worktree needs a branch of its own, and prd.json names none", 'add "branchName" to prd.json'
        )
    if standing(Git(processes, project.root, project.env)).branch == prd.branch:
        raise BlockedError(
            f"the branch {prd.branch} is checked out here, and cannot be in a second work tree",
            "git switch to another branch, or run without --worktree",
        )
    state = project.state
    place = take(
        lambda root: Git(processes, root, project.env),
        project.repository,
        prd.branch,
        lambda name: state.read_lock(name) is None,
    )
    memory = opening_of(project, prd_file, prd).memory
    for path in (*memory, *_templates(project.root)):
        _copy(project.root / path, place.location.root / path, only_missing=place.on_branch or path not in memory)
    return place


def in_place(project: Project, place: Place) -> Project:
    """The project as it is in that work tree, with the settings that `project` has."""
    settings, root = project.settings, place.location.root
    prd = project.prd_file().path.relative_to(project.root)
    hidden = settings.hidden_checks and str(project.root / settings.hidden_checks)
    settings = replace(settings, prd=str(root / prd), hidden_checks=hidden)
    return replace(project, root=root, here=root, location=place.location, settings=settings)


def _templates(root: Path) -> Iterator[str]:
    """Templates of the person's, which git may not have."""
    yield from (path.relative_to(root).as_posix() for path in (root / TEMPLATES).glob("*") if path.is_file())


def _copy(source: Path, target: Path, only_missing: bool) -> None:
    if not source.is_file() or (target.exists() and (only_missing or source.read_bytes() == target.read_bytes())):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise cannot_write(target, error) from error
