"""One run a work tree at a time; what may be asked of it while it lives."""

import json
import os
import signal
from pathlib import Path

from tests.support.project import story
from tests.support.waiting import PATIENCE_S, end, gone, pids_in, started
from tests.support.workshop import CHECK, WORK, Workshop


def _waiting(folder: Path) -> Workshop:
    """Its agent works once the FIFO has been written to."""
    os.mkfifo(folder / "fifo")
    play = f"echo $$ >> {folder}/pids; cat {folder}/fifo;" + WORK
    return Workshop(folder, [play, "echo 2 > two.txt"], [story("US-001", CHECK), story("US-002", "test -f two.txt")])


def test_a_living_run_is_seen_and_asked_and_not_disturbed(tmp_path: Path) -> None:
    workshop = _waiting(tmp_path)
    with started(workshop.project, *workshop.arguments()) as run:
        pids_in(tmp_path / "pids")
        before, runs = workshop.project.snapshot(), sorted((workshop.root / ".git/prd-ralph/runs").iterdir())
        for command in (workshop.arguments(), ("reset", "US-001")):
            refused = workshop.project(*command)
            assert refused.code == 3
            assert f"pid {run.pid}" in refused.err
        assert workshop.project.snapshot() == before
        assert sorted((workshop.root / ".git/prd-ralph/runs").iterdir()) == runs
        told = json.loads(workshop.project("status", "--json").out)["run"]
        assert (told["pid"], told["story"], told["attempt"]) == (run.pid, "US-001", 1)
        assert told["id"] == runs[0].name
        assert f"pid {run.pid}" in workshop.project("status").out
        assert workshop.project("stop").code == 0
        (tmp_path / "fifo").write_text("go on\n")
        assert run.wait(PATIENCE_S) == 1
        assert run.stdout
        assert json.loads(run.stdout.read().splitlines()[-1])["stop"] == "stop_requested"
    assert workshop.project.passes() == {"US-001": True, "US-002": False}
    assert json.loads(workshop.project("status", "--json").out)["run"] is None
    assert workshop.project("stop").code == 1
    done = workshop.run()
    assert done.code == 0, done.err  # the wish to stop was that run's alone


def test_the_lock_ends_with_its_holder(tmp_path: Path) -> None:
    workshop = _waiting(tmp_path)
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run, signal.SIGKILL)
    assert json.loads(workshop.project("status", "--json").out)["run"] is None
    assert workshop.project("stop").code == 1
    gone(pids)
    (tmp_path / "play-1.sh").write_text(WORK)
    (tmp_path / "starts").unlink()
    done = workshop.run()
    assert done.code == 0, done.err
