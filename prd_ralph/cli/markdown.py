"""The PRD in markdown: a file, a folder of story files, or stdin; read without blocking, within bounds."""

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from prd_ralph.console import printable
from prd_ralph.errors import Problem, ProblemsError, RalphError
from prd_ralph.planning.plan import plan_file, plan_folder
from prd_ralph.planning.problems import PlanError
from prd_ralph.planning.reading import SIZE_LIMIT, digest, digest_of_all
from prd_ralph.planning.values import Place, Plan

STDIN = "-"
_QUOTED = 1000
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Markdown:
    """`name` as it was given, for messages; `path` is None for stdin. A folder's files have their bare names."""

    name: str
    path: Path | None
    files: tuple[tuple[str, bytes], ...]
    folder: bool = False

    @property
    def sha256(self) -> str:
        """As `Plan.sha256`."""
        return digest_of_all(self.files) if self.folder else digest(self.files[0][1])

    @property
    def paths(self) -> tuple[Path, ...]:
        """Of the files; none of stdin."""
        return tuple(self.path / name if self.folder else self.path for name, _ in self.files if self.path)

    def plan(self) -> Plan:
        """Raises ProblemsError with all that makes no plan of it."""
        try:
            return self.read()
        except PlanError as error:
            raise self.refused(error) from None

    def read(self, *, bare: bool = False) -> Plan:
        """What rules read, `bare` as in `plan_file`. Raises PlanError."""
        if self.folder:
            return plan_folder(self.name, self.files, bare=bare)
        return plan_file(*self.files[0], bare=bare)

    def refused(self, error: PlanError) -> ProblemsError:
        """The error as it is told."""
        return ProblemsError(map(self._shown, error.problems))

    def _shown(self, problem: Problem) -> Problem:
        """With the folder, and without what could steer a terminal: it quotes what the PRD says."""
        message, story = printable(problem.message, _QUOTED), printable(problem.story)
        return replace(problem, message=message, story=story, file=self.shown(problem.file))

    def at(self, place: Place) -> Place:
        """A place as a message names it: with the folder."""
        return replace(place, file=self.shown(place.file))

    def shown(self, file: str) -> str:
        return os.path.normpath(os.path.join(self.name, file)) if self.folder and file != self.name else file  # noqa: PTH118


def read_markdown(given: str, here: Path) -> Markdown:
    """Reads what `given` names, from the folder `here`; `-` is stdin. Raises RalphError for what cannot be read."""
    if given == STDIN:
        return Markdown("stdin", None, (("stdin", sys.stdin.buffer.read(SIZE_LIMIT + 1)),))
    if not given.strip() or "\0" in given:
        raise RalphError("no PRD is named", "name a markdown file, a folder of them, or `-` for stdin")
    if not given.isprintable():
        raise RalphError(f"{given!r}: the name cannot be written into prd.json", "rename it")
    path = here / given
    if path.is_dir():
        return Markdown(given, path, tuple(_folder(given, path)), folder=True)
    return Markdown(given, path, ((given, _bytes(given, path)),))


def _folder(given: str, path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        found = sorted(each for each in path.iterdir() if each.name.endswith(".md") and each.is_file())
    except OSError as error:
        raise _unreadable(given, error) from error
    if not found:
        raise RalphError(f"{given}: there is no *.md in this folder", "name a folder of story files, or one PRD")
    size = 0
    for each in found:
        if not each.name.isprintable():
            raise RalphError(f"{each.name!r} in {given}: the name cannot be shown", "rename it")
        data = _bytes(os.path.join(given, each.name), each)  # noqa: PTH118
        size += len(data)
        if size > SIZE_LIMIT:
            raise RalphError(f"{given}: its files are larger than {SIZE_LIMIT // 1_000_000} MB", "plan fewer at a time")
        yield each.name, data


def _bytes(name: str, path: Path) -> bytes:
    """The bytes, at most one more than what is ever planned."""
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise RalphError(f"{name} is no regular file", "name a markdown file, or `-` for stdin")
            return stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise _unreadable(name, error) from error


def _unreadable(name: str, error: OSError) -> RalphError:
    if isinstance(error, FileNotFoundError):
        return RalphError(f"{name}: there is no such file", "name the PRD: a markdown file, a folder of them, or `-`")
    return RalphError(f"{name} cannot be read: {error.strerror}", "mend its permissions, or name another file")
