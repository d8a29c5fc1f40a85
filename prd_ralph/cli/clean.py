"""`prd-ralph clean`: ends what is kept of old runs."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from prd_ralph.cli.project import Project, open_project
from prd_ralph.console import plural
from prd_ralph.errors import BlockedError, ExitCode, cannot_write
from prd_ralph.process import StopSignals, SupervisedProcesses
from prd_ralph.workspace.attempts import Kept, forget, kept_attempts, runs_in_trees
from prd_ralph.workspace.git import Git

SHORT = "End what is kept of old runs."
EXAMPLE = "Example: prd-ralph clean --keep 5 --dry-run"
_KEEP = 20
_STEP, _UNITS = 1024, ("B", "KiB", "MiB", "GiB")


@dataclass(frozen=True, slots=True)
class _Old:
    """A run that is to go: its attempts' refs, and its folder in the state folder (None: gone before)."""

    run: str
    attempts: tuple[Kept, ...]
    folder: Path | None

    @property
    def size(self) -> int:
        """Bytes of the folder's files."""
        files = self.folder.rglob("*") if self.folder else ()
        return sum(path.lstat().st_size for path in files if path.is_symlink() or path.is_file())

    @property
    def line(self) -> str:
        return f"{self.run}  {plural(len(self.attempts), 'attempt')}  {_readable(self.size)}"


def command(
    keep: Annotated[
        int, typer.Option("--keep", metavar="N", min=0, help="Keep the newest N runs. 0: end all.")
    ] = _KEEP,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would go, and change nothing.")] = False,
) -> int:
    """End the refs of old runs' attempts, and delete their ledgers, prompts, transcripts and outputs.

    What is landed stays, of course, and so does a run of which something lies in a work tree. Attempt numbers go on.
    """
    project = open_project({})
    with SupervisedProcesses(StopSignals()) as processes:
        git = Git(processes, project.root, project.env)
        if dry_run:
            for old in _old(project, git, keep):
                typer.echo(old.line)
            return ExitCode.OK
        with project.state.lock(project.worktree):
            found = _old(project, git, keep)
            _refuse_others(project)
            freed = sum(old.size for old in found)
            forget(git, [kept for old in found for kept in old.attempts])
            for old in found:
                _remove(old.folder)
    refs = sum(len(old.attempts) for old in found)
    typer.echo(f"ended {plural(len(found), 'run')}: {plural(refs, 'ref')}, {_readable(freed)} freed", err=True)
    if refs:
        typer.echo("what only those refs held is freed by git, in its own time: git gc", err=True)
    return ExitCode.OK


def _old(project: Project, git: Git, keep: int) -> tuple[_Old, ...]:
    """The runs beyond the newest `keep`, the newest first; none of which something lies in a work tree."""
    attempts: dict[str, list[Kept]] = {}
    for kept in kept_attempts(git):
        attempts.setdefault(kept.run, []).append(kept)
    folders = {folder.run_id: folder.path for folder in project.state.runs()}
    newest = sorted({*attempts, *folders}, reverse=True)
    lying = runs_in_trees(git, project.repository)
    gone = [run for run in newest[keep:] if run not in lying]
    return tuple(_Old(run, tuple(attempts.get(run, ())), folders.get(run)) for run in gone)


def _refuse_others(project: Project) -> None:
    """A run in another work tree counts on its folder and its refs. One that begins now is not among the old."""
    linked = project.repository.common_dir / "worktrees"
    names = sorted(entry.name for entry in linked.iterdir()) if linked.is_dir() else []
    for name in ("main", *names):
        holder = project.state.read_lock(name) if name != project.worktree else None
        if holder is not None:
            raise BlockedError(f"a run is at work in the work tree {name} ({holder})", "clean when it has ended")


def _remove(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise cannot_write(error.filename or folder, error) from error


def _readable(size: float) -> str:
    """`812 B`, `4.2 MiB`."""
    unit = 0
    while size >= _STEP and unit < len(_UNITS) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{int(size)} B"
