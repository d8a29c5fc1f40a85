"""What a ledger's records say of a run, on one line."""

from collections.abc import Mapping, Sequence
from typing import Any

from prd_ralph.console import printable
from prd_ralph.state import LockHolder

Record = Mapping[str, Any]


def goes_on(holder: LockHolder | None, records: Sequence[Record]) -> bool:
    """Whether who holds the lock is the run with these records; another command may hold it."""
    if holder is None or not records:
        return False
    if records[-1]["kind"] == "run_finished":
        return False
    # A clock may be set back: its times decide only where no run has signed.
    return bool(records[0]["run"] == holder.run if holder.run else records[0]["at"] >= holder.since)


def run_line(run_id: str, records: Sequence[Record]) -> str:
    """`ID · 2031-03-01T08:00:00Z · complete · branch main`: when it began, why it stopped, where it worked; then
    the folder of a work tree of its own.
    """
    started = next((record for record in records if record["kind"] == "run_started"), {})
    ended = next((record for record in reversed(records) if record["kind"] == "run_finished"), {})
    branch = ended.get("branch") or started.get("branch")
    parts = (
        run_id,
        str(records[0]["at"]) if records else "",
        str(ended.get("stop", "not ended")),
        f"branch {branch}" if branch else "",
        f"in {worktree}" if (worktree := started.get("worktree")) else "",
    )
    return " · ".join(printable(part) for part in parts if part)
