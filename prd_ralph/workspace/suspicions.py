"""What of a candidate's diff may sway a command though nobody looked; pure. Each is told as `path: why`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prd_ralph.patterns import Patterns
from prd_ralph.testfiles import RUNNERS, SNAPSHOTS, SWAYING, TESTS, shadowed
from prd_ralph.workspace.commands import is_one_of, looped, words
from prd_ralph.workspace.growth import Growth, growth, module_names, renamed
from prd_ralph.workspace.judges import judges
from prd_ralph.workspace.sections import part_on_tests

_GROWN = {
    Growth.GROWN: "lines were added to a test that may sway the rest of it",
    Growth.TURNED: "lines were added to a test that may turn some of it off",
    Growth.CHANGED: "a test was changed",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A path of the diff: its bytes at base and in the candidate; None where there is nothing."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def new(self) -> bool:
        return self.before is None


@dataclass(frozen=True, slots=True)
class Judge:
    """`commands`: the lines that the verdict rests on. `standard`: names of Python's own modules."""

    commands: Sequence[str]
    standard: frozenset[str]
    _words: frozenset[str] = field(init=False)
    _judges: frozenset[str] = field(init=False)
    _looped: Patterns = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_words", words(self.commands))
        object.__setattr__(self, "_judges", judges(self.commands))
        object.__setattr__(self, "_looped", Patterns(f"/{word}" for word in looped(self.commands) if "$" not in word))

    def looks_at(self, path: str) -> bool:
        """Whether a change of the path could be of any interest, before its bytes are read."""
        kinds = (TESTS, SNAPSHOTS, RUNNERS, SWAYING)
        if any(kind.match(path) for kind in kinds) or self._is_judge(path):
            return True
        return part_on_tests(path, b"\xff", self._words) is not None or bool(shadowed(path, self.standard))

    def suspicions(self, changes: Iterable[Change], gone: Iterable[str], made: Iterable[str]) -> Iterator[str]:
        """`gone` and `made`: all paths that the candidate takes away and adds, of interest or not."""
        told = {change.path: change for change in changes}
        names = module_names(gone, made)
        for path, change in sorted(told.items()):
            if why := self._test(change, told, names) or self._other(change):
                yield f"{path}: {why}"

    def _test(self, change: Change, told: Mapping[str, Change], names: tuple[tuple[str, str], ...]) -> str:
        if change.before is None or not TESTS.match(change.path):
            return ""
        if change.after is None:
            heir = next((each.path for each in told.values() if _is_heir(each, change.before, names)), None)
            return f"a test was renamed to {heir}" if heir else "a test was deleted"
        return _GROWN.get(growth(change.path, change.before, change.after), "")

    def _is_judge(self, path: str) -> bool:
        return is_one_of(path, self._judges) or self._looped.match(path)

    def _other(self, change: Change) -> str:
        path, before, after = change.path, change.before, change.after
        if before == after:  # its mode alone
            return "its mode was changed, and a command's verdict is its exit status" if self._is_judge(path) else ""
        if SNAPSHOTS.match(path) and before is not None:
            return "what a test compares with was changed"
        if RUNNERS.match(path):
            return "it decides which tests run"
        if SWAYING.match(path) and not (TESTS.match(path) and before is not None):
            return "it may sway what commands do"
        if self._is_judge(path) and (before is not None or path.rsplit("/", 1)[-1] == "GNUmakefile"):
            return "was changed, and a command's verdict is its exit status"
        if part_on_tests(path, before, self._words) != part_on_tests(path, after, self._words):
            return "what it says of tests was changed"
        module = shadowed(path, self.standard) if change.new else ""
        return f"it may be taken for the module {module}" if module else ""


def _is_heir(change: Change, before: bytes, names: tuple[tuple[str, str], ...]) -> bool:
    if not change.new or change.after is None or not TESTS.match(change.path):
        return False
    return renamed(before, change.after, names)
