"""`protect: "auto"`: which of the guarded files that an attempt has changed must be put back (rule: `protection`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from prd_ralph.testfiles import TESTS
from prd_ralph.workspace.basetree import Made
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import lstat, reached, read_plain
from prd_ralph.workspace.growth import Growth, growth, module_names, renamed
from prd_ralph.workspace.status import UNTRACKED, status


def tampered(desk: Desk, files: Mapping[str, Made]) -> tuple[dict[str, Made], dict[str, str]]:
    """Those of the changed `files` that have not merely grown or been renamed; and of renamed ones the new paths."""
    moves = _Moves(desk)
    heirs: dict[str, str] = {}
    back: dict[str, Made] = {}
    for path, file in files.items():
        if not TESTS.match(path):
            back[path] = file
        elif not reached(desk.root, path) or lstat(desk.root / path) is None:
            heir = next((new for new in moves.tests if renamed(file.data, moves.read(new), moves.names)), None)
            if heir is None:
                back[path] = file
            else:
                heirs[path] = heir
        elif not _may_stay(path, file, read_plain(desk.root / path), moves):
            back[path] = file
    return back, heirs


def _may_stay(path: str, file: Made, now: bytes | None, moves: "_Moves") -> bool:
    """`now` None: no file any more. The same bytes were changed in their mode."""
    if now is None or now == file.data:
        return False
    return growth(path, file.data, now) <= Growth.GROWN or renamed(file.data, now, moves.names)


@dataclass(slots=True)
class _Moves:
    """The files that an attempt has taken away and made, looked for once it matters."""

    desk: Desk
    _found: tuple[tuple[str, ...], tuple[tuple[str, str], ...]] | None = field(default=None, init=False)

    @property
    def tests(self) -> tuple[str, ...]:
        """New test files."""
        return self._look()[0]

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """How modules may be called now: (old, new)."""
        return self._look()[1]

    def read(self, path: str) -> bytes:
        return read_plain(self.desk.root / path) or b""

    def _look(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        if self._found is None:
            entries = status(self.desk.git, self.desk.base_index)
            made = [entry.path for entry in entries if entry.code == UNTRACKED]
            gone = [entry.path for entry in entries if entry.tracked and entry.code[1] == "D"]
            self._found = tuple(filter(TESTS.match, made)), module_names(gone, made)
        return self._found
