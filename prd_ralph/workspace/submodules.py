"""Submodules: no landing holds what an attempt does to one, so set aside moves it back; and they fill a checkout."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from prd_ralph.workspace.files import is_folder, lstat, reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import split_z
from prd_ralph.workspace.texts import one_line, said

_LINK = "160000"


def move_back(git: Git, base_tree: str, paths: Iterable[str], ref: str) -> Iterator[str]:
    """Those of `paths` that are submodules go back to the commit of `base_tree`; names those that cannot, and why.

    Where a submodule stood is kept under `ref` in its own repository.
    """
    for path in paths:
        told = git("ls-tree", "-z", base_tree, "--", path).decode("utf-8", "surrogateescape")
        mode, _, commit = told.partition("\t")[0].split(" ") if told else ("", "", "")
        if mode == _LINK:
            why = "its files differ" if _stands_at(git, path, commit) else _move(git, path, commit, ref)
            if why:
                yield f"{path} (a submodule, left as it is: {why})"


def _stands_at(git: Git, path: str, commit: str) -> bool:
    return _asked(git, path, "rev-parse", "-q", "--verify", "HEAD") == commit


def _move(git: Git, path: str, commit: str, ref: str) -> str:
    """Why it could not be done; empty where it was."""
    top = git.root / path
    if not reached(git.root, path) or not _is_repository(git, top):
        return "it is no repository of its own any more"
    kept = git.result("-C", path, "update-ref", ref, "HEAD")
    told = git.result("-C", path, "checkout", "-q", "--detach", commit) if kept.ok else kept
    return "" if told.ok else said(told)


def _is_repository(git: Git, top: Path) -> bool:
    """git would take a folder without a repository of its own for a part of the one around it."""
    return is_folder(lstat(top)) and _asked(git, str(top), "rev-parse", "--show-toplevel") == str(top.resolve())


def _asked(git: Git, path: str, *args: str) -> str:
    told = git.result("-C", path, *args)
    return told.stdout.decode("utf-8", "surrogateescape").strip() if told.ok else ""


def fill(git: Git, work_tree: Path, checkout: Path) -> Iterator[str]:
    """Gives a checkout its submodules, from the repositories that `work_tree` has of them; nothing is fetched.

    Names those that it has and the checkout could not be given, and why. Theirs in turn are filled alike.
    """
    for path, commit in _links(git, checkout):
        source, target = work_tree / path, checkout / path
        if not _is_repository(git, source):  # the person does without it too
            continue
        told = git.result("clone", "-q", "--shared", "--no-checkout", "--template=", str(source), str(target))
        told = git.result("-C", str(target), "checkout", "-q", "--detach", commit) if told.ok else told
        if not told.ok:
            yield f"the submodule {one_line(path)} is missing: {said(told)}"
        else:
            yield from fill(git, source, target)


def _links(git: Git, checkout: Path) -> Iterator[tuple[str, str]]:
    """The submodules of a checkout: path and commit."""
    for line in split_z(git("-C", str(checkout), "ls-tree", "-r", "-z", "HEAD")):
        about, _, path = line.partition("\t")
        mode, _, commit = about.split(" ")
        if mode == _LINK:
            yield path, commit
