"""A submodule whose commit an attempt has changed: no landing holds it, so set aside moves it back."""

from collections.abc import Iterable, Iterator

from prd_ralph.workspace.files import is_folder, lstat, reached
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.texts import said

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
    whole = reached(git.root, path) and is_folder(lstat(top))
    # git would take a folder without a repository of its own for a part of the one around it.
    if not whole or _asked(git, path, "rev-parse", "--show-toplevel") != str(top.resolve()):
        return "it is no repository of its own any more"
    kept = git.result("-C", path, "update-ref", ref, "HEAD")
    told = git.result("-C", path, "checkout", "-q", "--detach", commit) if kept.ok else kept
    return "" if told.ok else said(told)


def _asked(git: Git, path: str, *args: str) -> str:
    told = git.result("-C", path, *args)
    return told.stdout.decode("utf-8", "surrogateescape").strip() if told.ok else ""
