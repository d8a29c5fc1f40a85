"""What git remembers of a task file's flags: who set them, and what is odd about that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prd_ralph.auditing.flags import Flags, flags_of
from prd_ralph.auditing.suspicion import about_setting, skips_in
from prd_ralph.auditing.values import Finding, Setting
from prd_ralph.console import plural
from prd_ralph.prdfile.foreign.claimed import claims_of
from prd_ralph.testfiles import is_test
from prd_ralph.workspace.changes import Change, Lines, commit_changes, commit_lines
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.versions import file_history

_FILES = 500
"""Of how many tests the lines are looked at."""


@dataclass(frozen=True, slots=True)
class Past:
    """`odd` is what speaks against a story's flag, by what the story is known by; `findings` are about the whole."""

    flags: Flags = field(default_factory=lambda: Flags({}, {}))
    odd: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether there is any history of the file."""
        return bool(self.flags.now)


def past_of(git: Git, location: Location, head: str, path: str) -> Past:
    """The past of the file at `path`, from the root on. Raises GitError; nothing in the repository is written."""
    history = file_history(git, location, head, path, claims_of)
    about = tuple(_about(history.shallow, history.cut, len(history.versions)))
    if not history.versions:
        untracked = Finding("untracked", f"{path} is in no commit: nothing is known of its history")
        return Past(findings=about if history.cut else (untracked,))
    flags = flags_of(history.versions)
    settings = {key: setting for key, setting in flags.settings.items() if setting is not None}
    changes = commit_changes(git, {each.commit for each in settings.values()}) if settings else {}
    lines = _test_lines(git, changes)
    odd = {key: tuple(_odd(setting, changes, lines, path)) for key, setting in settings.items()}
    return Past(flags, odd, about)


def _odd(
    setting: Setting, changes: Mapping[str, Sequence[Change]], lines: Mapping[str, Lines], path: str
) -> Sequence[Finding]:
    at = lines.get(setting.commit, Lines([], []))
    more_skips = skips_in(at.added) - skips_in(at.removed)
    return tuple(about_setting(setting, changes.get(setting.commit, ()), more_skips, path))


def _test_lines(git: Git, changes: Mapping[str, Sequence[Change]]) -> dict[str, Lines]:
    """What became of the lines of tests, in the commits that changed any."""
    every = (name for each in changes.values() for change in each for name in (change.path, change.before))
    tests = tuple(dict.fromkeys(name for name in every if name and is_test(name)))[:_FILES]
    return commit_lines(git, changes, tests) if tests else {}


def _about(shallow: bool, cut: bool, count: int) -> Sequence[Finding]:
    found = []
    if shallow:
        found.append(
            Finding("shallow", "the clone is shallow: who set a flag may lie beyond it (git fetch --unshallow)")
        )
    if cut:
        found.append(Finding("cut", f"only the newest {plural(count, 'version')} of the file were looked at"))
    return found
