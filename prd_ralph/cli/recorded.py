"""What a ledger says of a run, and in one line."""

from prd_ralph.facts import RunFacts, RunFold
from prd_ralph.ledger import stream
from prd_ralph.state import LockHolder, RunFolder
from prd_ralph.wording import printable


def facts_of(run: RunFolder) -> RunFacts:
    """All that is known of a run, line by line: a ledger may be long."""
    return RunFold.of(run.run_id, stream(run.events)).run


def goes_on(holder: LockHolder | None, run: RunFacts) -> bool:
    """Whether who holds the lock is this run; another command may hold it."""
    if holder is None or not run.began or run.ended:
        return False
    # A clock may be set back: its times decide only where no run has signed.
    return run.id == holder.run if holder.run else run.began >= holder.since


def run_line(run: RunFacts) -> str:
    """`ID · 2031-03-01T08:00:00Z · complete · branch main`: when it began, why it stopped, where it worked; then
    the folder of a work tree of its own.
    """
    parts = (
        run.id,
        run.began,
        run.stop or "not ended",
        f"branch {run.branch}" if run.branch else "",
        f"in {run.worktree}" if run.worktree else "",
    )
    return " · ".join(printable(part) for part in parts if part)
