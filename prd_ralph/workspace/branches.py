"""Branches by name: what a run's branch is to be, and what stands in its way."""

import json
import os
from dataclasses import dataclass
from pathlib import PurePosixPath

from prd_ralph.workspace.git import Git

_FORMAT = "--format=%(refname) %(objectname) %(worktreepath)"


@dataclass(frozen=True, slots=True)
class Branch:
    """A name, its commit (None: no such branch), the worktree it is checked out in, and names that exclude it."""

    name: str
    commit: str | None = None
    worktree: str = ""
    rivals: tuple[str, ...] = ()

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.name}"


def find_branch(git: Git, name: str) -> Branch:
    """A branch `a` and a branch `a/b` cannot both be: those that are in the way are `rivals`."""
    above = [f"refs/heads/{folder}" for folder in PurePosixPath(name).parents if str(folder) != "."]
    known = _refs(git, f"refs/heads/{name}", *above)
    commit, worktree = known.pop(f"refs/heads/{name}", (None, ""))
    rivals = (ref for ref in known if ref in above or ref.startswith(f"refs/heads/{name}/"))  # not what lies beside it
    return Branch(name, commit, worktree, tuple(ref.removeprefix("refs/heads/") for ref in rivals))


def find_base(git: Git, name: str) -> str | None:
    """The commit of a local branch, else of a remote-tracking one (`origin/main`, or `main` of origin)."""
    places = [f"refs/{place}/{name}" for place in ("heads", "remotes", "remotes/origin")]
    known = _refs(git, *places)
    return next((known[ref][0] for ref in places if ref in known), None)


def blob(git: Git, commit: str, path: str) -> bytes | None:
    """The file as that commit holds it, unfiltered; None where it has none."""
    told = git.result("cat-file", "blob", f"{commit}:{path}")
    return told.stdout if told.ok else None


def story_ids(data: bytes) -> frozenset[str] | None:
    """The ids of a prd.json's stories; None where it cannot be read as one."""
    try:
        stories = json.loads(data)["userStories"]
        return frozenset(str(story["id"]) for story in stories)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def passing(data: bytes | None) -> frozenset[str]:
    """The ids of the stories that a prd.json says pass; none where it cannot be read as one."""
    try:
        stories = json.loads(data or b"")["userStories"]
        return frozenset(str(story["id"]) for story in stories if story["passes"] is True)
    except (ValueError, LookupError, TypeError, RecursionError):
        return frozenset()


def _refs(git: Git, *patterns: str) -> dict[str, tuple[str, str]]:
    """Ref to commit and worktree. A pattern is a whole ref, or a folder of refs."""
    told = os.fsdecode(git("for-each-ref", _FORMAT, *patterns))
    rows = (line.split(" ", 2) for line in told.splitlines())
    return {ref: (commit, worktree) for ref, commit, worktree in rows}
