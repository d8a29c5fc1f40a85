"""`run --worktree`: the project, in a work tree of its own. The settings are those of where the person started it."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from prd_ralph.cli.init import TEMPLATES
from prd_ralph.cli.preparation import ground, opening_of
from prd_ralph.cli.project import Project
from prd_ralph.context import ContextFolder
from prd_ralph.errors import BlockedError, RalphError, cannot_write
from prd_ralph.model import Prd
from prd_ralph.ports import Processes
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.state import PATIENT_TRIES, POOL
from prd_ralph.workspace.files import lstat
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.pool import Place, take
from prd_ralph.workspace.standing import standing


@contextmanager
def choosing(project: Project) -> Iterator[None]:
    """While a run that has a work tree of its own has not taken its lock yet, no other run chooses one: it would take
    the same, and move it to a branch of its own. Raises BlockedError after half a minute.
    """
    if not project.settings.worktree:
        yield
        return
    with project.state.lock(POOL, PATIENT_TRIES):
        yield


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
    root = place.location.root
    for path in memory:
        _copy(project.root, root, path, only_missing=place.on_branch)
    notes = (*place.notes, *_take_templates(project.root, root), *_left_out(prd_file, prd, project.root, root))
    return replace(place, notes=notes)


@contextmanager
def words_taken_along(started_in: Project, project: Project) -> Iterator[None]:
    """What the person added where they started the run waits for its prompts; what is left comes back at its end."""
    if started_in.worktree == project.worktree or started_in.state.read_lock(started_in.worktree):
        yield
        return
    theirs, own = (ContextFolder(each.state.context_path(each.worktree)) for each in (started_in, project))
    theirs.hand_to(own)
    try:
        yield
    finally:
        own.hand_to(theirs)


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


def _take_templates(theirs: Path, place: Path) -> Iterator[str]:
    """What lies there already may be the person's as well, edited while a run went on: it stays, and is named."""
    for path in _templates(theirs):
        _copy(theirs, place, path, only_missing=True)
        target = place / path
        if target.is_file() and target.read_bytes() != (theirs / path).read_bytes():
            yield f"{target} is not as yours: it counts, delete it to have yours taken"


def _left_out(prd_file: JsonPrdFile, prd: Prd, theirs: Path, place: Path) -> Iterator[str]:
    """Stories of the person's prd.json that the one there does not have: it is the branch's, and counts."""
    path = place / prd_file.path.relative_to(theirs)
    try:
        there = {story.id for story in JsonPrdFile(path, place, lambda path: None).load().prd.stories}
    except RalphError:  # a killed run may have left it so: it is mended before it is worked with
        return
    if missing := [story.id for story in prd.stories if story.id not in there]:
        yield f"the {prd_file.name} of {prd.branch} counts, and has not {_listed(missing)}: add them to {path}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _copy(theirs: Path, place: Path, path: str, only_missing: bool) -> None:
    """Never by a link that leads out of the work tree: an agent was there before."""
    source, target = theirs / path, place / path
    if (
        not source.is_file()
        or (lstat(target) is not None and only_missing)
        or not target.resolve().is_relative_to(place)
    ):
        return
    try:
        if target.is_file() and source.read_bytes() == target.read_bytes():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    except OSError as error:
        raise cannot_write(target, error) from error
