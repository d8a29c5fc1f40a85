"""The task file that an audit is about: found, read whatever tool wrote it, in its project."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prd_ralph.cli.project import Project, look_at_project
from prd_ralph.errors import ProblemsError, RalphError
from prd_ralph.model import Prd
from prd_ralph.prdfile import JsonPrdFile, find, parse
from prd_ralph.prdfile.build import approval_in
from prd_ralph.prdfile.foreign.claimed import known_by
from prd_ralph.prdfile.foreign.importing import Imported, imported
from prd_ralph.prdfile.foreign.search import task_files

_HINT = "name the file: prd-ralph audit FILE"


@dataclass(frozen=True, slots=True)
class Subject:
    """`name` is the file's path from the project's root on, `data` its bytes on disk.

    `prd` is what it says as ours: flags as claimed, with the commands that could be adopted.
    """

    project: Project
    name: str
    data: bytes
    made: Imported
    prd: Prd

    @property
    def known_by(self) -> dict[str, str]:
        """By a story's id: what it is called in the versions of the file."""
        return {story.id: known_by(story.entry) for story in self.made.reading.stories}


def subject_of(path: str, flags: Mapping[str, object]) -> Subject:
    """The file at `path`, or the one in that folder. Raises RalphError, with all that is wrong with it."""
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where no one may look
        raise RalphError(f"{path}: there is no such file or folder", "name a folder or a task file")
    place = Path(os.path.realpath(path))
    env = {name: value for name, value in os.environ.items() if name != "PRD_RALPH_PRD"}
    project = look_at_project(flags, place if place.is_dir() else place.parent, env)
    if project.faults:
        raise ProblemsError(project.faults)
    file = JsonPrdFile(_file_in(place, project.root) if place.is_dir() else place, project.root)
    data = file.read()
    if data is None:
        file.load()  # says why
    made = imported(data or b"", file.name, keep_flags=True, adopt=True)
    return Subject(project, file.name, data or b"", made, _with_words(parse(made.data, file.name).prd, made))


def _with_words(prd: Prd, made: Imported) -> Prd:
    """With the words of persons that a file of ours holds: an import would put them aside."""
    if made.reading.dialect != "native":
        return prd
    words = {story.id: approval_in(story.raw) for story in made.reading.stories}
    return replace(prd, stories=tuple(replace(story, approved=words.get(story.id)) for story in prd.stories))


def _file_in(folder: Path, root: Path) -> Path:
    """Ours is looked for up to the root; another tool's in the usual places of the folder, and must be the only one."""
    ours = find(folder, root)
    if ours is not None:
        return ours
    found = task_files(folder)
    if len(found) != 1:
        there = ", ".join(str(path.relative_to(folder)) for path in found[:10])
        several = f"there are several task files in {folder}: {there}"
        raise RalphError(several if found else f"no task file was found in {folder}", _HINT)
    return found[0]
