"""A run that is killed while commands look at base: what lay in the tree lies there again, and no flag is believed."""

from pathlib import Path

import pytest

from tests.run.told import last, stopped
from tests.support.project import story
from tests.support.waiting import end, gone, pids_in, started
from tests.support.workshop import CHECK, PERSONS, WORK, Workshop


def _killed_at_base(tmp_path: Path) -> Workshop:
    """US-000's command is red on the work and green on base, where it is killed with its run at its first time."""
    look = f"test -f old.txt || exit 1; test -f {tmp_path}/pids || {{ echo $$ >> {tmp_path}/pids; sleep 300; }}"
    stories = [story("US-000", look, passes=True), story("US-001", CHECK)]
    workshop = Workshop(tmp_path, [WORK], stories)
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    return workshop


def test_a_kill_during_the_baseline_takes_nothing_for_the_persons(tmp_path: Path) -> None:
    once = f"test -f {tmp_path}/pids || {{ echo x > a.txt; rm old.txt; echo $$ >> {tmp_path}/pids; sleep 300; }}"
    workshop = Workshop(tmp_path, [WORK], [story("US-001", once, CHECK)])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    assert (workshop.root / "a.txt").read_text() == "x\n"
    refused = workshop.run()  # whose change it is, only the person can say
    assert refused.code == 3
    assert "the last run was killed while commands ran, and not committed is: a.txt, old.txt (2)" in refused.err
    assert (workshop.root / "a.txt").read_text() == "x\n"
    workshop.project.git("restore", "a.txt", "old.txt")
    done = workshop.run()
    assert stopped(done) == ("complete", 0)
    assert last(done, "judged")["US-001"]["proof"] == "proved"
    workshop.assert_clean()


def test_an_attempt_is_in_the_tree_again_after_a_kill_during_a_look_at_base(tmp_path: Path) -> None:
    workshop = _killed_at_base(tmp_path)
    assert (workshop.root / "old.txt").exists()
    done = workshop.run("--max-attempts", "1")
    first = done.of("judged")[0]
    assert (first["outcome"], first["reason"]) == ("failed", "regression")
    assert set(done.of("candidate_frozen")[0]["files"]) == {"one.txt", "a.txt", "old.txt"}
    assert stopped(done) == ("exhausted", 1)
    assert workshop.persons() == PERSONS


@pytest.mark.parametrize("passes", [True, False], ids=["final verification", "baseline"])
def test_what_a_person_does_after_a_kill_where_no_agent_ran_stays_the_persons(tmp_path: Path, passes: bool) -> None:
    once = f"test -f {tmp_path}/pids || {{ echo $$ >> {tmp_path}/pids; sleep 300; }}; test -f mine.txt"
    workshop = Workshop(tmp_path, ["true"], [story("US-000", once, passes=passes)])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    (workshop.root / "a.txt").write_text("edited since\n")
    (workshop.root / "since.txt").write_text("made since\n")
    refused = workshop.run()
    assert (refused.code, workshop.current()) == (3, True)
    assert "not committed is: a.txt\n" in refused.err
    workshop.project.git("commit", "-qm", "mine", "a.txt")
    (workshop.root / "old.txt").write_text("and another\n")
    assert workshop.run().code == 3
    assert (workshop.root / "old.txt").read_text() == "and another\n"
    workshop.project.git("restore", "old.txt")
    done = workshop.run("--max-attempts", "1")
    assert done.code == 0
    assert ((workshop.root / "a.txt").read_text(), done.of("set_aside")) == ("edited since\n", [])
    assert (workshop.root / "since.txt").read_text() == "made since\n"
    assert workshop.persons() == PERSONS


def test_what_lay_in_the_way_after_a_kill_during_a_look_at_base_is_said_to_be_kept(tmp_path: Path) -> None:
    workshop = _killed_at_base(tmp_path)
    (workshop.root / "a.txt").write_text("edited since\n")
    (workshop.root / "since.txt").write_text("made since\n")
    done = workshop.run("--max-attempts", "1")
    told = "a.txt was moved away: the run was killed while commands looked at base; it is kept: "
    place = next(line for line in done.err.splitlines() if told in line).partition(told)[2]
    assert Path(place).read_text() == "edited since\n"
    assert set(done.of("candidate_frozen")[0]["files"]) == {"one.txt", "a.txt", "old.txt"}
    assert (workshop.root / "since.txt").read_text() == "made since\n"
