"""The prd.json that `plan` makes: where it goes, what was there, what is to be there."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prd_ralph.cli.markdown import Markdown
from prd_ralph.cli.project import Project
from prd_ralph.errors import Problem, ProblemsError, RalphError
from prd_ralph.planning.merging import merged
from prd_ralph.planning.output import prd_json
from prd_ralph.planning.replan import Choice, Replan, replanned
from prd_ralph.planning.values import Place, Plan
from prd_ralph.ports import PrdDocument
from prd_ralph.prdfile import JsonPrdFile, parse, reshaped, value_in

_NOTHING = Replan((), ())


@dataclass(frozen=True, slots=True)
class Made:
    """The bytes that are to be in the file, and, of a merge, why."""

    data: bytes
    replan: Replan = _NOTHING

    @property
    def places(self) -> dict[str, Place]:
        """Where the PRD has each story, by its id in prd.json."""
        return {each.story: each.place for each in self.replan.stories if each.place}


def target_of(project: Project, markdown: Markdown) -> JsonPrdFile:
    """The prd.json that is meant. Raises RalphError where it is the PRD itself, or no regular file."""
    file = project.planned_file()
    if file.path.exists() and not file.path.is_file():
        kind = "a folder" if file.path.is_dir() else "no regular file"
        raise RalphError(f"{file.name} is {kind}", "name the prd.json to write: -o FILE")
    for folder in file.path.parents:
        if os.path.lexists(folder) and not folder.is_dir():
            raise RalphError(f"{file.name}: {folder.name} is a file, no folder", "name the prd.json to write: -o FILE")
    if os.path.realpath(file.path) in {os.path.realpath(path) for path in markdown.paths}:
        raise RalphError(f"{file.name} is the PRD itself", "name another file: -o prd.json")
    return file


def existing(file: JsonPrdFile) -> bytes | None:
    """What is there, None for nothing. Raises RalphError where it cannot be read."""
    data = file.read()
    if data is None and os.path.lexists(file.path):
        raise RalphError(f"{file.name} cannot be read", "mend its permissions, or name another one: -o FILE")
    return data


def source_path(project: Project, markdown: Markdown) -> str | None:
    """The PRD's path as prd.json names it, from the root on with `/`; None for stdin and what is outside the root."""
    if markdown.path is None:
        return None
    root, real = os.path.realpath(project.root), Path(os.path.realpath(markdown.path))
    path = real if markdown.folder else Path(os.path.realpath(markdown.path.parent), markdown.path.name)
    inside = real.is_relative_to(root) and path.is_relative_to(root)
    return path.relative_to(root).as_posix() if inside else None


def fresh(plan: Plan, path: str | None) -> Made:
    """The whole file of a plan."""
    return Made(json.dumps(prd_json(plan, path), indent=2, ensure_ascii=False).encode() + b"\n")


def merge(before: bytes, name: str, root: Path, plan: Plan, path: str | None, choice: Choice) -> Made:
    """What is there with what changed in the PRD. Raises ProblemsError where what is there is no valid prd.json."""
    parse(before, name, root)
    document = value_in(before, name)
    replan = replanned(document, plan, choice)
    return Made(reshaped(before, merged(document, plan, path, replan), name), replan)


def check(made: Made, name: str, root: Path, plan: Plan, markdown: Markdown) -> PrdDocument:
    """What our own reader makes of it. Raises ProblemsError with all that it would refuse, in terms of the PRD."""
    try:
        return parse(made.data, name, root)
    except ProblemsError as error:
        places = made.places or plan.places
        raise ProblemsError(_in_prd(problem, places, markdown) for problem in error.problems) from None


def _in_prd(problem: Problem, places: Mapping[str, Place], markdown: Markdown) -> Problem:
    place = places.get(problem.story)
    at = markdown.at(place) if place else None
    return replace(problem, file=at.file if at else markdown.name, line=at.line if at else None)
