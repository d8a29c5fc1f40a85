"""What a ledger's records say of a run, on one line."""

from collections.abc import Mapping, Sequence
from typing import Any

from prd_ralph.console import printable

Record = Mapping[str, Any]


def run_line(run_id: str, records: Sequence[Record]) -> str:
    """`ID · 2031-03-01T08:00:00Z · complete · branch main`: when it began, why it stopped, where it worked."""
    started = next((record for record in records if record["kind"] == "run_started"), {})
    ended = next((record for record in reversed(records) if record["kind"] == "run_finished"), {})
    branch = ended.get("branch") or started.get("branch")
    parts = (
        run_id,
        str(records[0]["at"]) if records else "",
        str(ended.get("stop", "not ended")),
        f"branch {branch}" if branch else "",
    )
    return " · ".join(printable(part) for part in parts if part)
