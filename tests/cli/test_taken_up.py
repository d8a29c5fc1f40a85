"""A run that is started again counts what it has taken up before."""

from pathlib import Path

from prd_ralph import events
from prd_ralph.cli.proposed import taken_up
from prd_ralph.clock import SystemClock
from prd_ralph.ledger import Ledger
from prd_ralph.state import StateFolder


def test_what_a_run_has_taken_up_is_in_its_ledger(tmp_path: Path) -> None:
    run = StateFolder(tmp_path / "state", SystemClock()).new_run()
    assert taken_up(run) == 0
    ledger = Ledger(run.events, run.run_id, SystemClock())
    wishes = ({"title": "One"}, {"title": "Two"})
    ledger.emit(events.Proposed(story="US-001", attempt=1, stories=wishes))
    ledger.emit(events.Proposed(story="US-001", attempt=1, stories=wishes, accepted=("US-002", "US-003")))
    assert taken_up(run) == 2
