"""How the repository stands, in one process that writes nothing: HEAD, branch, and what `git status` says."""

from dataclasses import dataclass

from prd_ralph.workspace.git import Git
from prd_ralph.workspace.status import Entry, parsed, split_z


@dataclass(frozen=True, slots=True)
class Standing:
    """`head` None: no commit yet. `branch` None: detached."""

    head: str | None
    branch: str | None
    entries: tuple[Entry, ...]


def standing(git: Git, paths: tuple[str, ...] = (), ignored: bool = False) -> Standing:
    """The whole work tree, or `paths` of it; with `ignored` files too. Raises GitError."""
    args = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames", "-uall", "-z"]
    args += ["--ignored=traditional"] if ignored else []
    told = git("--no-optional-locks", "status", *args, "--", *paths)
    lines = split_z(told)
    facts = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# branch."))
    head, branch = facts["branch.oid"], facts["branch.head"]
    return Standing(
        head=None if head == "(initial)" else head,
        branch=None if branch == "(detached)" else branch,
        entries=tuple(parsed(line) for line in lines if not line.startswith("#")),
    )


def untracked(git: Git) -> tuple[str, ...]:
    """The person's untracked files, less those that git ignores; an embedded repository ends in `/`."""
    return split_z(git("ls-files", "--others", "--exclude-standard", "-z"))
