"""A new PRD, by its `branchName`: what the last run worked on is put away, and the memory begins anew."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from prd_ralph.archive import Archive
from prd_ralph.cli.preparation import memory_of
from prd_ralph.cli.project import Project
from prd_ralph.clock import SystemClock
from prd_ralph.prdfile import JsonPrdFile
from prd_ralph.progress import ProgressFile
from prd_ralph.workspace.branches import blob, find_branch
from prd_ralph.workspace.files import read_plain
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.standing import standing


@dataclass(frozen=True, slots=True)
class Former:
    """The documents of the runs on one prd.json in one work tree."""

    project: Project
    prd_file: JsonPrdFile
    git: Git

    def remember(self, branch: str | None) -> None:
        """The documents as they lie there now, for the day when another PRD has taken their place."""
        if branch is not None:
            files = {path: read_plain(self.project.root / path) for path in self._paths}
            self._archive.remember(branch, {_name(path): data for path, data in files.items() if data is not None})

    def make_way(self, branch: str | None, lying: bool) -> tuple[str, ...]:
        """Puts away what the last run worked on, if that was for another branch; what is to be said of it.

        progress.txt begins anew where the branch is new here. `lying`: an attempt's work lies in the tree, and with it
        the memory that belongs to it.
        """
        if branch is None:
            return ()
        known = self._archive.branches()
        notes = self._put_away(known, branch, lying) if known and known[-1] != branch else ()
        self.remember(branch)
        return notes

    def _put_away(self, known: tuple[str, ...], branch: str, lying: bool) -> tuple[str, ...]:
        before = known[-1]
        anew = not lying and branch not in known and self._is_new(branch)
        files = self._files_of(before, on_disk=anew)
        if not files:
            return ()
        place = self._archive.put_away(before, SystemClock().now()[:10], files)
        said = f"the last run here was for {before}: its {' and '.join(sorted(files))} are kept in {place}"
        if not anew:
            return (said,)
        notes: list[str] = []
        ProgressFile(self.project.progress, notes.append).begin_anew()
        return (f"{said}, and progress.txt begins anew, with the Codebase Patterns of it", *notes)

    def _is_new(self, branch: str) -> bool:
        """Whether no branch of this name brings a memory of its own with it; the one that HEAD is on does not."""
        return find_branch(self.git, branch).commit is None or standing(self.git, ("progress.txt",)).branch == branch

    def _files_of(self, branch: str, on_disk: bool) -> Mapping[str, bytes]:
        """As the branch holds them, or else as the last run left them. `on_disk`: the memory as it lies there."""
        prd, progress = self._paths
        held = blob(self.git, f"refs/heads/{branch}", prd)
        found = {
            prd: held if held and _branch_of(held) == branch else self._archive.last(_name(prd)),
            progress: (read_plain(self.project.root / progress) if on_disk else None)
            or blob(self.git, f"refs/heads/{branch}", progress)
            or self._archive.last(_name(progress)),
        }
        return {_name(path): data for path, data in found.items() if data is not None}

    @property
    def _paths(self) -> tuple[str, ...]:
        return memory_of(self.project, self.prd_file)[1]

    @property
    def _archive(self) -> Archive:
        return Archive(self.project.state.archive_path, f"{self.project.worktree}:{self._paths[0]}")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _branch_of(data: bytes) -> object:
    try:
        return json.loads(data)["branchName"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
