"""A run after a run: what an ended attempt left goes on, unless a person had a hand in it since."""

import shutil
from pathlib import Path

import pytest

from tests.support.project import story
from tests.support.workshop import CHECK, PERSONS, SPOIL, WORK, Workshop

HALF = "echo done > one.txt"
REST = "echo better > a.txt; rm -f old.txt"


def _left(folder: Path, *plays: str, stories: list[dict[str, object]] | None = None) -> Workshop:
    """A first attempt at US-001 has been judged and lies in the tree."""
    workshop = Workshop(folder, plays, stories)
    done = workshop.run("--once")
    assert done.code == 1, done.err
    assert workshop.current()
    return workshop


def test_the_next_run_goes_on_with_the_story_and_its_changes(tmp_path: Path) -> None:
    workshop = _left(tmp_path, HALF, REST)
    done = workshop.run()
    assert done.code == 0, done.err
    assert [(event["attempt"], event["charged"]) for event in done.of("iteration_started")] == [(2, 0)]
    assert done.of("run_started")[0]["untracked"] == ["mine.txt", "notes/todo.md"]
    workshop.assert_landed()


def test_what_a_person_did_to_their_own_files_since_is_theirs(tmp_path: Path) -> None:
    workshop = _left(tmp_path, HALF, REST)
    (workshop.root / "mine.txt").write_text("edited\n")
    (workshop.root / "kept.log").write_text("more\n")
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.persons() == PERSONS | {"mine.txt": b"edited\n", "kept.log": b"more\n"}
    assert workshop.status() == ["?? mine.txt", "?? notes/todo.md"]


def test_work_that_a_person_edited_since_is_refused_until_it_is_reset(tmp_path: Path) -> None:
    workshop = _left(tmp_path, SPOIL, WORK)
    (workshop.root / "junk.txt").write_text("the person's idea\n")
    (workshop.root / "mine.txt").write_text("edited, and none of the attempt's\n")
    before, starts = workshop.project.snapshot(), workshop.starts
    refused = workshop.run()
    assert refused.code == 3
    assert "junk.txt" in refused.err and "mine.txt" not in refused.err
    assert "prd-ralph reset US-001" in refused.err
    assert (workshop.project.snapshot(), workshop.starts) == (before, starts)
    done = workshop.project("reset", "US-001")
    assert done.code == 0, done.err
    assert not workshop.current()
    assert workshop.status() == ["?? mine.txt", "?? notes/todo.md"]
    (ref,) = workshop.project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/").splitlines()
    assert workshop.project.git("show", f"{ref}:junk.txt") == "the person's idea"
    assert workshop.project.git("show", f"{ref}^2:junk.txt") == "junk"
    (workshop.root / "mine.txt").write_bytes(PERSONS["mine.txt"])
    assert workshop.run().code == 0
    workshop.assert_landed()


def test_an_attempt_that_left_nothing_is_not_told_of(tmp_path: Path) -> None:
    workshop = _left(tmp_path, "true", WORK)
    done = workshop.run()
    assert done.code == 0, done.err
    assert not done.of("set_aside")
    assert "set aside" not in done.err


def test_reset_of_another_story_leaves_the_work_where_it_is(tmp_path: Path) -> None:
    stories = [story("US-001", CHECK), story("US-002", "true", passes=True)]
    workshop = _left(tmp_path, HALF, stories=stories)
    assert workshop.project("reset", "US-002").code == 0
    assert workshop.project.passes() == {"US-001": False, "US-002": False}
    assert workshop.current() and (workshop.root / "one.txt").exists()


def test_another_story_sets_it_aside_under_its_ref(tmp_path: Path) -> None:
    stories = [story("US-001", CHECK), story("US-002", "test -f two.txt")]
    workshop = _left(tmp_path, SPOIL, "echo 2 > two.txt", WORK, stories=stories)
    done = workshop.run("--only", "US-002")
    assert done.code == 0, done.err
    assert done.of("set_aside")[0]["story"] == "US-001"
    assert workshop.files() >= {"old.txt", "two.txt"} and "junk.txt" not in workshop.files()
    (ref,) = workshop.project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/**/US-001/*").splitlines()
    assert done.of("set_aside")[0]["ref"] == ref
    assert f"set aside: {ref} holds it" in done.err
    assert "US-001" not in workshop.project("show", done.events[0]["run"]).out
    assert workshop.project.git("show", f"{ref}:junk.txt") == "junk"
    workshop.assert_clean()
    assert workshop.run().code == 0
    assert workshop.project.landings() == ["US-002", "US-001"]


@pytest.mark.parametrize("stage", ["agent_ended", "frozen"])
def test_another_story_sets_a_killed_attempt_aside_too(tmp_path: Path, stage: str) -> None:
    """Its work would pass, but it is not asked for."""
    stories = [story("US-001", CHECK), story("US-002", "test -f two.txt")]
    workshop = Workshop(tmp_path, [WORK, "echo 2 > two.txt"], stories)
    workshop.run(fault=stage)
    done = workshop.run("--only", "US-002")
    assert done.code == 0, done.err
    assert workshop.project.passes() == {"US-001": False, "US-002": True}
    (ref,) = workshop.project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/**/US-001/*").splitlines()
    assert workshop.project.git("show", f"{ref}:one.txt") == "done"
    workshop.assert_clean()


def test_a_landing_that_a_person_reset_stays_undone(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    assert workshop.run().code == 0
    workshop.project.git("reset", "-q", "--hard", workshop.base)
    assert workshop.project.passes() == {"US-001": False}
    assert workshop.project("status").code == 0
    assert workshop.project.git("rev-parse", "HEAD") == workshop.base
    done = workshop.run()
    assert done.code == 0, done.err
    assert done.of("agent_started")[0]["attempt"] == 2
    workshop.assert_landed()


def test_a_landing_that_was_cut_off_and_then_reset_stays_undone(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, ["cp a.txt b.txt;" + WORK, "rm -f b.txt;" + WORK])
    workshop.run(fault="flipped")
    workshop.project.git("reset", "-q", "--hard", workshop.base)
    done = workshop.run("--max-attempts", "1")
    assert done.code == 0, done.err
    assert [event["outcome"] for event in done.of("judged")] == ["interrupted", "passed"]
    workshop.assert_landed()


def test_work_that_a_person_put_back_is_no_hindrance(tmp_path: Path) -> None:
    workshop = _left(tmp_path, "echo worse > a.txt", WORK)
    workshop.project.git("reset", "-q", "--hard")
    done = workshop.run()
    assert done.code == 0, done.err
    workshop.assert_landed()


def test_work_that_a_person_committed_is_the_new_base(tmp_path: Path) -> None:
    workshop = _left(tmp_path, HALF, REST)
    workshop.project.git("add", "one.txt")
    workshop.project.git("commit", "-qm", "the person took it", "one.txt")
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.project.landings() == ["US-001"]
    landing = workshop.project.git("log", "--format=%H", "--grep=^Prd-Ralph-Story")
    assert "one.txt" not in workshop.project.git("show", "--name-only", "--format=", landing).splitlines()
    workshop.assert_clean()


def test_the_branch_that_was_switched_to_gets_the_landing(tmp_path: Path) -> None:
    workshop = _left(tmp_path, HALF, REST)
    workshop.project.git("switch", "-qc", "elsewhere")
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.project.git("branch", "--show-current") == "elsewhere"
    assert workshop.project.git("log", "main", "--grep=^Prd-Ralph-Story") == ""
    workshop.assert_landed()


def test_a_branch_that_was_switched_after_a_kill_is_pointed_at(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    workshop.run(fault="agent_ended")
    workshop.project.git("switch", "-qc", "elsewhere")
    before = workshop.project.snapshot()
    done = workshop.run()
    assert done.code == 1, done.err
    assert "git switch main" in done.err
    assert workshop.project.snapshot() == before
    workshop.project.git("switch", "-q", "main")
    assert workshop.run().code == 0
    assert workshop.starts == 1
    workshop.assert_landed()


@pytest.mark.parametrize("stage", ["", "agent_ended", "committed"])
def test_without_the_state_folder_nothing_is_decided_otherwise(tmp_path: Path, stage: str) -> None:
    workshop = Workshop(tmp_path, [HALF, REST] if not stage else [WORK])
    workshop.run("--once", fault=stage)
    shutil.rmtree(workshop.root / ".git/prd-ralph")
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.starts == (1 if stage else 2)
    # What had been noted before the agent that was killed is gone.
    workshop.assert_landed(suspects=1 if stage == "agent_ended" else 0)


def test_without_the_record_preflight_tells_the_dirt(tmp_path: Path) -> None:
    workshop = _left(tmp_path, SPOIL)
    workshop.project.git("update-ref", "-d", "refs/worktree/prd-ralph/current")
    before, starts = workshop.project.snapshot(), workshop.starts
    done = workshop.run()
    assert done.code == 3
    assert "a.txt" in done.err and "old.txt" in done.err
    assert (workshop.project.snapshot(), workshop.starts) == (before, starts)


def test_the_work_of_a_story_that_is_gone_makes_way(tmp_path: Path) -> None:
    stories = [story("US-001", CHECK), story("US-002", "test -f two.txt")]
    workshop = _left(tmp_path, SPOIL, "echo 2 > two.txt", stories=stories)
    path = workshop.project.prd_path
    path.write_text(path.read_text().replace("US-001", "US-009"))
    done = workshop.run("--only", "US-002")
    assert done.code == 0, done.err
    assert workshop.project.passes() == {"US-009": False, "US-002": True}
    assert "junk.txt" not in workshop.files()
    workshop.assert_clean()


def test_a_landing_whose_story_is_gone_is_settled(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    workshop.run(fault="committed")
    path = workshop.project.prd_path
    path.write_text(path.read_text().replace("US-001", "US-009"))
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.project.landings() == ["US-001", "US-009"]
    workshop.assert_clean()
