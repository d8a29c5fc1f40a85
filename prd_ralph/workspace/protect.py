"""Puts files back as a commit holds them, whatever an agent has made of them, and moves away what is new among them."""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from prd_ralph.errors import BlockedError
from prd_ralph.patterns import Patterns
from prd_ralph.workspace.basetree import Holding, Made, is_made, made, stands
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import is_folder, lstat, make, reached, scan
from prd_ralph.workspace.staging import generated
from prd_ralph.workspace.status import check_ignore
from prd_ralph.workspace.unwatched import is_sparse, marks

_NEW = " (new: moved away)"


def touched(desk: Desk, holding: Holding, paths: Iterable[str]) -> dict[str, Made]:
    """Those of the holding's files at `paths` that are not as it has them, each as git would check it out.

    What a sparse checkout leaves out is not missed.
    """
    root, file_mode = desk.root, desk.location.file_mode
    within = cache(lambda folder: reached(root, f"{folder}/"))
    odd = [
        path
        for path in paths
        if not (within(path.rpartition("/")[0]) and stands(root, path, holding.blob(path), file_mode))
    ]
    missing = [path for path in odd if lstat(root / path) is None]
    if missing and is_sparse(desk.git):
        sparse = {path for path, letter in marks(desk.git, desk.base_index).items() if letter == "S"}
        odd = [path for path in odd if path not in sparse or path not in missing]
    found = made(desk.git, holding, odd, desk.state) if odd else {}
    return {path: file for path, file in found.items() if not is_made(root, path, file, file_mode)}


def open_folders(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """Lets the owner into the folders above `paths` again; names those that were closed."""
    parents = {path.rpartition("/")[0] for path in paths}
    for folder in sorted({parent[:at] for parent in parents for at in _ends(parent)}):
        found = lstat(root / folder) if reached(root, folder) else None
        if found and is_folder(found) and found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            (root / folder).chmod(stat.S_IMODE(found.st_mode) | stat.S_IRWXU)
            yield f"{folder}/"


def _ends(folder: str) -> Iterator[int]:
    """Where the names of the folder's parents, and its own, end."""
    return (at for at in range(1, len(folder) + 1) if folder[at : at + 1] in ("/", ""))


def put_back(desk: Desk, files: Mapping[str, Made]) -> None:
    """Makes each what it was; what stood in its way goes to the attic. Raises BlockedError where that cannot be done.

    An attempt must not be judged by files that nobody could put back.
    """
    for path, file in sorted(files.items()):
        try:
            make(desk.root, path, file.mode, file.data, desk.attic)
        except OSError as error:
            raise BlockedError(
                f"{path} is protected, was changed, and cannot be put back: {error.strerror}",
                "mend its permissions, or what it is mounted on, and run again",
            ) from error


def move_away(desk: Desk, paths: Iterable[str]) -> tuple[str, ...]:
    """Takes new files to the attic; names them."""
    moved = tuple(sorted(paths))
    for path in moved:
        desk.attic.take(desk.root, path)
    return tuple(path + _NEW for path in moved)


def strays(root: Path, patterns: Patterns, known: Callable[[str], bool]) -> frozenset[str]:
    """What lies in the work tree where `patterns` point, is no folder, and is not `known`; what tools fill is not."""
    found = (path for stem in patterns.stems() for path in _below(root, stem) if patterns.match(path))
    return frozenset(path for path in found if not known(path))


def unignored(desk: Desk, paths: Iterable[str], inside: tuple[str, ...], unchanged: Callable[[str], bool]) -> set[str]:
    """`paths` less those that git ignores by a rule which was there before: what tools leave behind as they run.

    `inside`: submodules' folders, of which git has no such rules here.
    """
    wanted = set(paths)
    asked = sorted(path for path in wanted if not path.startswith(inside))
    told = check_ignore(desk.git, asked, desk.base_index) if asked else {}
    return wanted - {path for path, source in told.items() if _is_outside(source) or unchanged(source)}


def _is_outside(source: str) -> bool:
    """Whether a rule stands in a file that is guarded (`.git/info/exclude`) or none of the project's."""
    return Path(source).is_absolute() or source.startswith(".git/")


def _below(root: Path, start: str) -> Iterator[str]:
    """Every file, link and special file at or below `start`; never through a link."""
    found = lstat(root / start) if not start or reached(root, start) else None
    if found is not None and not is_folder(found):
        yield start
    folders = [start] if found is not None and is_folder(found) else []
    while folders:
        folder = folders.pop()
        for entry in scan(root / folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name == ".git" or generated(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            else:
                yield path
