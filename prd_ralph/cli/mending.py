"""Before anything is read: a killed agent may have changed what says how its own work is to be judged.

It may have edited prd-ralph.toml, or left no file where prd.json was. (What stands in prd.json is `recover`'s to mend.)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from prd_ralph.cli.project import Project
from prd_ralph.model import AttemptKey
from prd_ralph.ports import Current, Processes
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.prdfile.search import candidates
from prd_ralph.rules import mark_of
from prd_ralph.workspace.facade import GitWorkspace
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.refs import read_current


@dataclass(frozen=True, slots=True)
class Mended:
    """The project as it is now; of the killed attempt `key`, what it had changed, and what else is to be said."""

    project: Project
    key: AttemptKey | None = None
    tampered: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def mend(project: Project, reopen: Callable[[], Project], processes: Processes) -> Mended:
    """Ends what still runs of a killed attempt and puts back what it may not change; does nothing where none was.

    Raises BlockedError where another prd-ralph is at work, ForeignChangeError as the run would.
    """
    if project.location is None:
        return Mended(project)
    git = Git(processes, project.root, project.env)
    current = read_current(git)
    if current is None or current.judged:
        return Mended(project)
    with project.state.lock(project.worktree):
        return _mend(project, reopen, processes, git, current)


def _mend(project: Project, reopen: Callable[[], Project], processes: Processes, git: Git, current: Current) -> Mended:
    left = processes.end_marked(frozenset({mark_of(current.key)}))
    notes: tuple[str, ...] = (f"ended {left} processes that the last run had left",) if left else ()
    state = project.state.runs_path / current.key.run
    workspace = GitWorkspace(git, state, "prd.json", ("progress.txt",), current.base, None)
    if workspace.landing_of(current) is not None:
        return Mended(project, current.key, notes=notes)
    workspace.resume(current)
    notes += workspace.reclaim(current.key).notes
    mended = Mended(reopen(), current.key, workspace.guard(current.key), notes)
    path = next((path for path in _places(mended.project) if workspace.recorded(current, path) is not None), None)
    if path is None or _is_file(project.root, path):
        return mended
    _clear(project.root / path)
    prd_file = JsonPrdFile(project.root / path, project.root, project.move_away)
    prd_file.write(workspace.recorded(current, path) or b"", None)
    return replace(mended, tampered=(*mended.tampered, f"{path}: deleted, or replaced by something that is no file"))


def _places(project: Project) -> Iterator[str]:
    """Where prd.json may have been, below the root."""
    named = project.settings.prd
    for path in [project.here / named] if named is not None else candidates(project.here, project.root):
        if path.is_relative_to(project.root):
            yield path.relative_to(project.root).as_posix()


def _is_file(root: Path, path: str) -> bool:
    return (root / path).is_file() and not (root / path).is_symlink()


def _clear(path: Path) -> None:
    """A link in the file's place is the agent's: the file itself was found, and recorded, without one."""
    if path.is_symlink():
        path.unlink()
