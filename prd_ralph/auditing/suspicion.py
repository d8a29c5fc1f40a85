"""What is odd about how a flag was set: rules over the commit that set it."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Protocol

from prd_ralph.auditing.values import Finding, Setting
from prd_ralph.testfiles import is_test

_SHOWN = 3
_NOTES = re.compile(
    r"(?:progress|notes?|activity|learnings?|journal|log|todo|handoff|scratchpad|memory|patterns)\b.*\.(?:md|txt|log|jsonl?)"
    r"|agents\.md|claude\.md|\.last-branch",
    re.IGNORECASE,
)
_SKIPS = re.compile(
    r"@(?:pytest\.mark\.|unittest\.)?(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure|Ignore|Disabled)\b"
    r"|\bpytest\.(?:skip|xfail|importorskip)\(|\.skipTest\(|\.mark\.(?:skip|skipif|xfail)\b"
    r"|\b(?:it|test|describe|context|suite)\.(?:skip|todo|only|fixme|failing)\b|\b(?:xit|xtest|xdescribe|fit|fdescribe)\("
    r"|\bt\.Skip(?:f|Now)?\(|#\[ignore|\bmarkTest(?:Skipped|Incomplete)\(|\[(?:Fact|Theory)\(Skip|\[Ignore\b"
)


class Change(Protocol):
    """A path that a commit changed: `before` is its name until then, `gone` that it was deleted, lines are counted."""

    @property
    def path(self) -> str: ...

    @property
    def before(self) -> str | None: ...

    @property
    def gone(self) -> bool: ...

    @property
    def added(self) -> int: ...

    @property
    def removed(self) -> int: ...


def skips_in(lines: Sequence[str]) -> int:
    """How many of the lines leave a test out, in the words of the usual runners."""
    return sum(_SKIPS.search(line) is not None for line in lines)


def about_setting(setting: Setting, changes: Sequence[Change], more_skips: int, task_file: str) -> Iterator[Finding]:
    """`changes` are all that the commit changed; `more_skips`: how many tests it leaves out that were not before."""
    if setting.is_first:
        yield _odd("first_version", "set in the very first version of the file")
    elif not any(_is_work(change, task_file) for change in changes):
        yield _odd("nothing_else", "set by a commit that touches nothing but the task file and notes")
    if setting.others and not setting.is_first:
        yield _odd("all_at_once", f"set together with {_listed(setting.others)}, in one commit")
    if setting.returned:
        yield _odd("flipped_back", "had been set before, and was taken back")
    yield from about_tests(changes, more_skips)


def about_tests(changes: Sequence[Change], more_skips: int) -> Iterator[Finding]:
    """What became of tests in the commit that set a flag."""
    gone = [each.before or each.path for each in changes if _was_test(each) and (each.gone or not is_test(each.path))]
    shrunk = [each for each in changes if _was_test(each) and not each.gone and each.removed > each.added]
    if gone:
        yield _odd("tests_removed", f"the same commit removes tests: {_listed(gone)}")
    if shrunk:
        told = [f"{each.path} (-{each.removed} +{each.added})" for each in shrunk]
        yield _odd("tests_shrunk", f"the same commit shrinks tests: {_listed(told)}")
    if more_skips > 0:
        yield _odd("skips_added", f"the same commit leaves tests out: {more_skips} more lines that skip or single out")


def _was_test(change: Change) -> bool:
    return change.before is not None and is_test(change.before)


def _is_work(change: Change, task_file: str) -> bool:
    names = {PurePosixPath(path).name for path in (change.path, change.before or change.path)}
    return not all(name == PurePosixPath(task_file).name or _NOTES.fullmatch(name) for name in names)


def _odd(kind: str, message: str) -> Finding:
    return Finding(kind, message, suspicious=True)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
