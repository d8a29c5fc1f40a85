"""A run that is killed while commands look at base: what lay in the tree lies there again, and no flag is believed."""

from pathlib import Path

from tests.run.told import last, stopped
from tests.support.project import story
from tests.support.waiting import end, gone, pids_in, started
from tests.support.workshop import CHECK, PERSONS, WORK, Workshop


def test_a_kill_during_the_baseline_leaves_nothing_of_its_commands(tmp_path: Path) -> None:
    once = f"test -f {tmp_path}/pids || {{ echo x > a.txt; rm old.txt; echo $$ >> {tmp_path}/pids; sleep 300; }}"
    workshop = Workshop(tmp_path, [WORK], [story("US-001", once, CHECK)])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    assert (workshop.root / "a.txt").read_text() == "x\n"
    done = workshop.run()
    assert stopped(done) == ("complete", 0)
    assert "a.txt was moved away: the run was killed while commands looked at base" in done.err
    assert last(done, "judged")["US-001"]["proof"] == "proved"
    workshop.assert_clean()


def test_an_attempt_is_in_the_tree_again_after_a_kill_during_a_look_at_base(tmp_path: Path) -> None:
    # Red on the work, green on base, where it is killed at its first time.
    look = f"test -f old.txt || exit 1; test -f {tmp_path}/pids || {{ echo $$ >> {tmp_path}/pids; sleep 300; }}"
    stories = [story("US-000", look, passes=True), story("US-001", CHECK)]
    workshop = Workshop(tmp_path, [WORK], stories)
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    assert (workshop.root / "old.txt").exists()
    done = workshop.run("--max-attempts", "1")
    first = done.of("judged")[0]
    assert (first["outcome"], first["reason"]) == ("failed", "regression")
    assert set(done.of("candidate_frozen")[0]["files"]) == {"one.txt", "a.txt", "old.txt"}
    assert stopped(done) == ("exhausted", 1)
    assert workshop.persons() == PERSONS
