"""After an agent: HEAD softly back on base, its staging undone, what it left half done ended.

Whose hand moved HEAD is told by the committer identity that git notes in HEAD's reflog; where there is no
reflog, by the committer of each new commit. Only an agent that hides its identity looks like a person.
"""

import os
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from prd_ralph.errors import BlockedError, ForeignChangeError
from prd_ralph.model import AGENT_EMAIL
from prd_ralph.workspace.desk import Desk
from prd_ralph.workspace.files import Attic, is_file, lstat
from prd_ralph.workspace.git import Git
from prd_ralph.workspace.head import BRANCHES, OURS, Head, is_whole, moves_since, read_head, resolve
from prd_ralph.workspace.location import Location
from prd_ralph.workspace.lock import taken
from prd_ralph.workspace.status import split_z

_UNFINISHED = (
    *("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "AUTO_MERGE", "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD"),
    *("REBASE_HEAD", "rebase-merge", "rebase-apply", "sequencer"),
    *("BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_NAMES", "BISECT_EXPECTED_REV", "BISECT_RUN"),
)
_RESUME = "see what was changed, go back to {branch} (git switch {branch}) and run again"


@dataclass(frozen=True, slots=True)
class Tips:
    """Where the agent left HEAD and the run's branch; `own`: those of the two that are commits of the agent's."""

    head: Head
    branch_tip: str
    own: tuple[str, ...]


def find_tips(git: Git, location: Location, base: str, branch: str | None, log_size: int) -> Tips | None:
    """What an agent did to HEAD; None where it stands as before. Raises ForeignChangeError for anybody else's move."""
    head = read_head(git, location)
    if head == Head(base, branch):
        return None
    tip = resolve(git, f"refs/heads/{branch}") if branch else ""
    commits = committers(git, base, head.commit, tip)
    moves = moves_since(location, log_size)
    for move in moves:
        if move.email != AGENT_EMAIL:
            raise _foreign(f"HEAD was moved to {move.commit[:10]} by <{move.email}> ({move.action})", branch)
    for commit, email in commits.items() if not moves else ():
        if email != AGENT_EMAIL:
            raise _foreign(f"commit {commit[:10]} by <{email}> was made meanwhile", branch)
    own = [commit for commit in dict.fromkeys((head.commit, tip)) if commits.get(commit) == AGENT_EMAIL]
    return Tips(head, tip, tuple(own))


def committers(git: Git, base: str, *tips: str) -> dict[str, str]:
    """Each commit that `tips` hold and `base` does not, with its committer's address."""
    ends = [tip for tip in tips if tip]
    if not ends:
        return {}
    answer = git("rev-list", "--no-commit-header", "--format=%H %ce", *ends, f"^{base}").decode("utf-8", "replace")
    pairs = (line.partition(" ") for line in answer.splitlines())
    return {commit: email for commit, _, email in pairs}


def _foreign(what: str, branch: str | None) -> ForeignChangeError:
    return ForeignChangeError(what, _RESUME.format(branch=branch) if branch else "see what was changed and run again")


def move_back(git: Git, tips: Tips, base: str, branch: str | None, reason: str) -> None:
    """HEAD onto the run's branch, and that onto base; index and files stay. Fails where anybody moves it meanwhile."""
    message = f"{OURS}{reason} back to base"
    if branch is None:
        git("update-ref", "--no-deref", "-m", message, "HEAD", base, tips.head.commit)
        return
    if tips.head.branch != branch:
        git("symbolic-ref", "-m", message, "HEAD", f"refs/heads/{branch}")
    if tips.branch_tip != base:
        git("update-ref", "-m", message, f"refs/heads/{branch}", base, tips.branch_tip or "0" * len(base))


def left_branch(tips: Tips, branch: str | None, refs: Container[str]) -> Iterator[str]:
    """Tells of a branch that the attempt has made, and that HEAD was on."""
    if tips.head.branch not in (None, branch) and f"{BRANCHES}{tips.head.branch}" not in refs:
        yield f"the attempt's branch {tips.head.branch} is left as it is"


def end_unfinished(location: Location, branch: str | None, attic: Attic) -> Iterator[str]:
    """Ends a merge, rebase or bisect, removes lock files, and mends HEAD. All of the agent's processes are dead.

    Names what it met.
    """
    (location.common_dir / "refs").mkdir(exist_ok=True)  # without it git takes the folder for no repository
    if branch and not is_whole(location):
        if lstat(location.git_dir / "HEAD") is not None:
            attic.take(location.git_dir, "HEAD")
        (location.git_dir / "HEAD").write_text(f"ref: {BRANCHES}{branch}\n", encoding="utf-8", errors="surrogateescape")
        yield f"mended .git/HEAD: it is on {branch} again"
    for name in (*_UNFINISHED, "index.lock", "HEAD.lock"):
        if lstat(location.git_dir / name) is not None:
            attic.take(location.git_dir, name)
            yield f"removed .git/{name}, which the attempt had left"
    lock = f"refs/heads/{branch}.lock"
    if branch and lstat(location.common_dir / lock) is not None:
        attic.take(location.common_dir, lock)
        yield f"removed .git/{lock}, which the attempt had left"


def refuse_lost_state(desk: Desk, base: str) -> None:
    """Raises BlockedError where an attempt has deleted what all that it changed would be put back from."""
    if not desk.objects.may_hold(base):
        raise BlockedError(
            f"{desk.objects.folder} was deleted during the attempt, or what is in it: the repository is lost",
            "bring .git back from a clone or a backup; the work tree is as the attempt left it",
        )
    if not is_file(lstat(desk.ground_file)) and lstat(desk.base_index) is None:
        raise BlockedError(
            f"{desk.state} was deleted during the attempt: what it changed cannot be put back",
            "look at git status and git log, mend what is wrong there, then run again",
        )


def forced_paths(git: Git, index: Path, base: str, heads: tuple[str, ...]) -> frozenset[str]:
    """What the agent staged or committed although git ignores it (a later look at the tree would not find it)."""
    # An index that git cannot read stages nothing; the person's is put back.
    listed = git.result("ls-files", "-c", "-i", "--exclude-standard", "-z", index=index)
    added = [git("diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", base, head) for head in heads]
    return frozenset(path for answer in (listed.stdout if listed.ok else b"", *added) for path in split_z(answer))


def put_index_back(desk: Desk) -> None:
    """The person's index as it was, under git's own lock."""
    location = desk.location
    try:
        os.close(os.open(location.index_lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise taken(location.index_lock) from None
    desk.indexes.write_into(desk.base_index, location.index_lock)
    location.index_lock.replace(location.index)
