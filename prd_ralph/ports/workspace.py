"""git: the work tree, the candidate, the landing."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from prd_ralph.model import AttemptKey


@dataclass(frozen=True, slots=True)
class Opening:
    """What a run wants of the repository. Paths are relative to the root, with `/`.

    `memory` files (prd.json, its PRD, progress.txt) may be dirty or untracked: they go into an opening commit.
    """

    prd: str
    memory: tuple[str, ...]
    branch: str | None = None
    base_branch: str | None = None
    story_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """What the run starts from: the base commit, the branch (None: detached), the person's untracked files."""

    base: str
    branch: str | None
    untracked: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Current:
    """What lies in the work tree between attempts (`refs/worktree/prd-ralph/current`).

    `ended` False: the run was killed while the agent worked. `judged` False: it was killed before the verdict was out,
    or before the landing was done. `unchecked`: the person ended the run while its commands ran. `landing_tree`: a
    landing had been begun, with this tree. `away`: base lay in the tree for a while, for commands to look at; `empty`:
    and no attempt's work was away for it.
    """

    key: AttemptKey
    base: str
    tree: str
    ended: bool
    known_untracked: tuple[str, ...] = ()
    landing_tree: str | None = None
    judged: bool = False
    unchecked: bool = False
    away: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """The tree that an attempt produced, and how it differs from base. `left_out`: path and why, for the person.

    `unlandable`: tracked paths whose state no landing can hold (changed submodules, files that cannot be read): what
    the commands say may rest on them.
    """

    tree: str
    paths: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    unlandable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """HEAD is back on base. `head` is the agent's last own commit, if it made any."""

    head: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LandingRequest:
    """What is to become the commit. `prd` are prd.json's bytes with the flag set."""

    key: AttemptKey
    candidate: Candidate
    prd: bytes
    message: str


@dataclass(frozen=True, slots=True)
class Landed:
    """The commit that was made, and the paths that it was made of."""

    commit: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LandingRefused:
    """No commit was made. `by_hook`: a hook of the person's said no (`changed`: and edited the work tree);
    else the environment did (identity, signer, lock)."""

    text: str
    by_hook: bool
    changed: bool = False


class Workspace(Protocol):
    """The work tree and its repository; nothing of the person's is ever staged, moved or cleaned."""

    @property
    def root(self) -> Path: ...

    @property
    def base_tree(self) -> str:
        """The tree of base, as git names it."""
        ...

    def content(self, tree: str) -> str:
        """What a tree holds beside prd.json and progress.txt, as a name: equal before and after a landing."""
        ...

    def next_attempt(self, story_id: str) -> int:
        """The story's largest attempt number in any run, plus 1."""
        ...

    def current(self) -> Current | None:
        """What the last run left in the work tree."""
        ...

    def recorded(self, current: Current, path: str) -> bytes | None:
        """A file of the work tree as `current` recorded it."""
        ...

    def landing_of(self, current: Current) -> Landed | None:
        """The landing that `current` had begun, where HEAD is that commit."""
        ...

    def resume(self, current: Current) -> tuple[str, ...]:
        """Takes `current` up, with HEAD as base; the paths that are not as it recorded them, memory files apart.

        Changes nothing in the work tree.
        """
        ...

    def begin(self, key: AttemptKey) -> None:
        """Notes the ground before an agent starts: base index, known untracked files, guarded files, `current`."""
        ...

    def reclaim(self, key: AttemptKey) -> Reclaimed:
        """Puts HEAD softly back on base. Raises ForeignChangeError for a person's commit or branch change."""
        ...

    def guard(self, key: AttemptKey) -> tuple[str, ...]:
        """Puts back what an agent may not change; names what it was."""
        ...

    def freeze(self) -> Candidate:
        """The work tree as a tree object."""
        ...

    def keep(self, key: AttemptKey, candidate: Candidate, head: str | None) -> None:
        """Puts the attempt's end state under its ref, and says in `current` that it has ended."""
        ...

    def judged(self, unchecked: bool) -> None:
        """Says in `current` that the attempt's verdict is out, and that its work stays in the tree."""
        ...

    def suspects(self, candidate: Candidate, fresh: bool) -> tuple[str, ...]:
        """What a pass of the candidate's may rest on though nobody looked: `path: why`, for the person. `fresh`: its
        commands ran in a checkout.
        """
        ...

    def at_base(self, key: AttemptKey) -> AbstractContextManager[bool]:
        """While entered, base lies in the work tree, for commands to look at; False where it cannot. What lay there
        does so again afterwards, and what appeared meanwhile is nobody's work. `key`: whose mark the commands bear.
        """
        ...

    def only_candidate(self) -> AbstractContextManager[tuple[str, ...]]:
        """While entered, new files that the candidate leaves out are away from the work tree; which ones."""
        ...

    def restore(self, candidate: Candidate, setup: bool = False) -> tuple[str, ...]:
        """After commands: tracked paths go back to the candidate; what else appeared is not the agent's.

        What they planted outside of the work tree, for those after them, is put back and named; the person's `setup`
        may do such a thing.
        """
        ...

    def land(self, request: LandingRequest) -> Landed | LandingRefused:
        """Makes the one commit on base, recorded in `current` first. Raises ForeignChangeError."""
        ...

    def settle(self, landed: str) -> None:
        """After the flag is on disk: refreshes the index, makes the landing the new base, forgets `current`."""
        ...

    def set_aside(self, key: AttemptKey) -> tuple[str, ...]:
        """Makes the tree base again; returns what was moved to the state folder because no ref holds it."""
        ...

    def close(self, message: str) -> str | None:
        """Commits prd.json and progress.txt where they differ from base; the commit, or None."""
        ...

    def recent_commits(self, count: int) -> tuple[str, ...]:
        """`abc1234 subject` lines, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class Checkout:
    """A fresh checkout's folder; `notes` say in what it is less than the person's own: submodules that are missing."""

    root: Path
    notes: tuple[str, ...] = ()


class Checkouts(Protocol):
    """Fresh checkouts of a tree: what a clone would have, and nothing else."""

    def of(self, tree: str) -> AbstractContextManager[Checkout]:
        """A checkout of a tree, or of a commit; outside of the work tree, and at the end it is gone.

        Raises BlockedError where git cannot make it: a filter that fails, objects that are missing, a full disk.
        """
        ...
