"""What commits changed: the paths, and the lines of some of them. A process for all that are asked about."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from prd_ralph.workspace.git import Git

# Against the first parent. Nothing that the repository's configuration names is run.
_DIFF = ("--stdin", "--root", "-r", "-M", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True, slots=True)
class Change:
    """A path that a commit changed. `before`: its name until then, None for a new one; `gone`: it is deleted.

    `added` and `removed` count lines; 0 where the file is binary.
    """

    path: str
    before: str | None
    gone: bool = False
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines that a commit put into some files, and those that it took out of them."""

    added: list[str]
    removed: list[str]


def commit_changes(git: Git, commits: Iterable[str]) -> dict[str, tuple[Change, ...]]:
    """By commit. Raises GitError."""
    found: dict[str, dict[str, Change]] = {}
    changes: dict[str, Change] = {}
    told = _diff(git, commits, "-z", "--raw", "--numstat")
    tokens = iter([os.fsdecode(token) for token in told.split(b"\0") if token])
    for token in tokens:
        if token.startswith(":"):
            change = _named(token.rpartition(" ")[2], tokens)
            changes[change.path] = change
        elif token.count("\t") == 2:
            _count(token, tokens, changes)
        else:
            changes = found.setdefault(token, {})
    return {commit: tuple(each.values()) for commit, each in found.items()}


def commit_lines(git: Git, commits: Iterable[str], paths: Iterable[str]) -> dict[str, Lines]:
    """By commit, the changed lines of `paths` alone. Raises GitError."""
    found: dict[str, Lines] = {}
    lines, inside = Lines([], []), False
    told = _diff(git, commits, "-p", "-U0", "--", *paths).decode("utf-8", "replace")
    for line in told.split("\n"):
        if line.startswith("@@"):
            inside = True
        elif inside and line.startswith(("+", "-")):
            (lines.added if line[0] == "+" else lines.removed).append(line[1:])
        elif line and line[0] != "\\":
            inside = False
            if _is_name(line):
                lines = found.setdefault(line, Lines([], []))
    return found


def _diff(git: Git, commits: Iterable[str], *options: str) -> bytes:
    return git("diff-tree", *_DIFF, *options, stdin="".join(f"{commit}\n" for commit in commits).encode("ascii"))


def _named(status: str, tokens: Iterator[str]) -> Change:
    """Of an entry of `--raw`: its status, with the one or two names that follow."""
    path = next(tokens)
    if status[0] in "RC":
        return Change(next(tokens), before=path)
    return Change(path, before=None if status == "A" else path, gone=status == "D")


def _count(token: str, tokens: Iterator[str], changes: dict[str, Change]) -> None:
    """Of an entry of `--numstat`: its lines, and of a renamed file the two names that follow."""
    added, removed, path = token.split("\t")
    if not path:
        next(tokens)
        path = next(tokens)
    if added.isdecimal() and removed.isdecimal():  # else: binary
        changes[path] = replace(changes[path], added=int(added), removed=int(removed))


def _is_name(line: str) -> bool:
    return len(line) in (40, 64) and set(line) <= set("0123456789abcdef")
