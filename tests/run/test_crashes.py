"""`kill -9` of prd-ralph at every stage of an iteration, then a run again: the same end, nothing lost."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.support.project import story
from tests.support.waiting import end, gone, pids_in, started
from tests.support.workshop import CHECK, LIE, SPOIL, WORK, Workshop

# The next start comes by `TWICE` again: it finishes a landing without making a commit, and pays no agent twice.
ONCE = ("opened", "agent_ended", "guarded", "checked", "committed", "settling", "closing")
TWICE = ("begun", "frozen", "judged", "flipped")


def _crash(workshop: Workshop, fault: str, times: int, *args: str) -> None:
    for _ in range(times):
        done = workshop.run(*args, fault=fault)
        assert done.code == -signal.SIGKILL, done.err


@pytest.mark.parametrize(
    ("stage", "times"),
    [*((stage, 1) for stage in ONCE), *((stage, 2) for stage in TWICE)],
)
def test_what_passes_lands_once_and_is_paid_once(tmp_path: Path, stage: str, times: int) -> None:
    workshop = Workshop(tmp_path, [WORK])
    _crash(workshop, stage, times)
    done = workshop.run()
    assert done.code == 0, done.err
    workshop.assert_landed()
    assert workshop.starts == 1


@pytest.mark.parametrize("stage", ["agent_ended", "guarded", "judged", "judged:2"])
def test_a_lie_is_caught_whenever_the_run_is_killed(tmp_path: Path, stage: str) -> None:
    workshop = Workshop(tmp_path, [LIE, "rm lie.txt;" + WORK])
    _crash(workshop, stage, 1)
    done = workshop.run()
    assert done.code == 0, done.err
    workshop.assert_landed()
    assert workshop.starts == 2
    assert [event["outcome"] for event in done.of("judged")][-1] == "passed"


@pytest.mark.parametrize(("stage", "times"), [("judged", 1), ("setting_aside", 1), ("set_aside", 2)])
def test_what_is_given_up_leaves_the_tree_as_it_was(tmp_path: Path, stage: str, times: int) -> None:
    workshop = Workshop(tmp_path, [SPOIL])
    before = workshop.project.prd_path.read_bytes()
    _crash(workshop, stage, times, "--max-attempts", "1")
    done = workshop.run("--max-attempts", "1")
    assert done.code == 1, done.err
    assert workshop.project.prd_path.read_bytes() == before
    workshop.assert_clean()
    assert workshop.project.git("diff", "--name-only", workshop.base, "HEAD") == "progress.txt"
    refs = workshop.project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/").splitlines()
    kept = {(workshop.project.git("show", f"{ref}:junk.txt")) for ref in refs}
    assert kept == {"junk"}


def test_an_agent_dies_with_its_run_and_its_torn_prd_is_mended(tmp_path: Path) -> None:
    play = f"""
        setsid sh -c 'sleep 300' & echo $! >> {tmp_path}/pids
        printf '{{"project": "Test", "userStories": [{{"id": "US-001", "passes": true' > prd.json
        echo half > one.txt; echo $$ >> {tmp_path}/pids; sleep 300
    """
    workshop = Workshop(tmp_path, [play, WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids", 2)
        end(run)
    gone(pids)
    done = workshop.run()
    assert done.code == 0, done.err
    assert done.of("tampered")[0]["what"] == ["prd.json: not JSON any more"]
    assert [event["outcome"] for event in done.of("judged")] == ["interrupted", "passed"]
    assert workshop.starts == 2
    workshop.assert_landed()


def test_an_agent_that_outlived_its_supervisor_too_is_ended_by_the_next_start(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [f"echo $$ >> {tmp_path}/pids; sleep 300", WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        (agent,) = pids_in(tmp_path / "pids")
        supervisor = psutil.Process(agent).ppid()
        os.kill(supervisor, signal.SIGSTOP)
        end(run)
        os.kill(supervisor, signal.SIGKILL)
    assert psutil.pid_exists(agent)
    done = workshop.run()
    assert done.code == 0, done.err
    assert any("ended" in event["message"] for event in done.of("warning"))
    gone([agent])
    workshop.assert_landed()


def test_a_check_dies_with_its_run_and_runs_again_before_an_agent_is_paid(tmp_path: Path) -> None:
    slow = f"test -f {tmp_path}/pids || {{ echo x > a.txt; echo $$ >> {tmp_path}/pids; sleep 300; }}"
    workshop = Workshop(tmp_path, [WORK], [story("US-001", CHECK, slow)])
    with started(workshop.project, *workshop.arguments("--baseline", "off")) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    (workshop.root / "a.txt").write_text("better\n")
    done = workshop.run()
    assert done.code == 0, done.err
    assert done.of("agent_started") == []
    assert workshop.starts == 1


def test_a_landing_that_is_cut_off_in_a_hook_is_made_by_the_next_start(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    hook = workshop.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ntest -f {tmp_path}/pids || {{ echo $$ >> {tmp_path}/pids; sleep 300; }}\n")
    hook.chmod(0o755)
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    assert workshop.project.passes() == {"US-001": False}
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.starts == 1
    workshop.assert_landed()


def test_an_agent_killed_in_the_midst_of_gits_own_work_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    """Its commit is under its ref; its branch, merge and lock do not keep the next start from going on."""
    play = f"""
        echo mine > theirs.txt; git add theirs.txt; git commit -qm 'by the agent'
        git switch -qc elsewhere; touch .git/index.lock .git/MERGE_HEAD; echo $$ >> {tmp_path}/pids; sleep 300
    """
    workshop = Workshop(tmp_path, [play, "rm theirs.txt;" + WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        pids = pids_in(tmp_path / "pids")
        end(run)
    gone(pids)
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.project.git("branch", "--show-current") == "main"
    workshop.assert_landed()
    (first,) = workshop.project.git("for-each-ref", "--format=%(refname)", "refs/prd-ralph/*/US-001/1").splitlines()
    assert "by the agent" in workshop.project.git("log", "--format=%s", first)


def test_an_end_of_run_commit_without_its_index_is_no_dirt(tmp_path: Path) -> None:
    """Killed in `close`, after HEAD has moved and before the index was refreshed."""
    workshop = Workshop(tmp_path, ["true", WORK])
    assert workshop.run("--once").code == 1
    git = workshop.project.git
    git("read-tree", "HEAD~1")
    done = workshop.run()
    assert done.code == 0, done.err
    workshop.assert_landed()


@pytest.mark.parametrize("fault", ["", "checked"])
def test_what_a_command_writes_into_prd_json_counts_for_nothing(tmp_path: Path, fault: str) -> None:
    """Commands run the agent's code: a red one that sets its own flag stays red, also when the run is killed."""
    liar = """sed -i 's/"passes": false/"passes": true/' prd.json; false"""
    workshop = Workshop(tmp_path, [WORK], [story("US-001", CHECK, liar)])
    before = workshop.project.prd_path.read_bytes()
    done = workshop.run("--max-attempts", "1", fault=fault)
    assert done.code == (-signal.SIGKILL if fault else 1), done.err
    assert workshop.project.prd_path.read_bytes() == before
    assert done.of("tampered")[0]["what"] == ["/userStories/0/passes: false -> true"]


def test_flags_set_by_a_command_that_was_killed_are_gone_once_the_next_run_begins(tmp_path: Path) -> None:
    slow = f"""sed -i 's/"passes": false/"passes": true/' prd.json; echo $$ >> {tmp_path}/pids; sleep 300"""
    workshop = Workshop(tmp_path, [WORK], [story("US-001", slow)])
    with started(workshop.project, *workshop.arguments()) as run:
        gone_with = pids_in(tmp_path / "pids")
        end(run)
    gone(gone_with)
    assert workshop.project.passes() == {"US-001": True}
    done = workshop.run(fault="opened")
    assert done.of("tampered")
    assert workshop.project.passes() == {"US-001": False}


def test_a_lock_of_git_met_after_the_commit_stops_the_run_and_the_next_start_finishes(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, [WORK])
    hook, lock = workshop.root / ".git/hooks/post-commit", workshop.root / ".git/index.lock"
    hook.write_text(f"#!/bin/sh\ntouch {lock}\n")
    hook.chmod(0o755)
    done = workshop.run()
    assert (done.code, done.of("run_finished")[0]["stop"]) == (3, "environment"), done.err
    assert "index.lock" in done.err
    lock.unlink()
    done = workshop.run()
    assert done.code == 0, done.err
    assert workshop.starts == 1
    workshop.assert_landed()


def test_what_was_moved_away_survives_a_start_that_is_refused(tmp_path: Path) -> None:
    """The person's hook and branch, both made after the kill: the next start can't know whose the hook is."""
    workshop = Workshop(tmp_path, [WORK])
    workshop.run(fault="begun")
    workshop.project.git("switch", "-qc", "elsewhere")
    hook = workshop.root / ".git/hooks/pre-push"
    hook.write_text("#!/bin/sh\n# precious\n")
    assert workshop.run().code == 1
    found = [hook, *(workshop.root / ".git/prd-ralph").rglob("pre-push")]
    assert any(file.is_file() and "precious" in file.read_text() for file in found)


@pytest.mark.parametrize(
    "act", ["rm prd.json", "rm prd.json; ln -s /etc/passwd prd.json", "rm prd.json; mkdir prd.json; echo > prd.json/x"]
)
def test_a_prd_that_a_killed_agent_took_away_is_there_again(tmp_path: Path, act: str) -> None:
    workshop = Workshop(tmp_path, [f"{act}; echo $$ >> {tmp_path}/pids; sleep 300", "rm -rf prd.json.aside-1;" + WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        pids_in(tmp_path / "pids")
        end(run)
    done = workshop.run()
    assert done.code == 0, done.err
    assert "no file" in done.out
    workshop.assert_landed()


@pytest.mark.parametrize("settings", ["max_attempts = 1\nonce = true", "[[["])
def test_settings_that_a_killed_agent_wrote_are_not_in_force(tmp_path: Path, settings: str) -> None:
    play = f"printf '{settings}' > prd-ralph.toml; echo $$ >> {tmp_path}/pids; sleep 300"
    workshop = Workshop(tmp_path, [play, "true", WORK])
    with started(workshop.project, *workshop.arguments()) as run:
        pids_in(tmp_path / "pids")
        end(run)
    done = workshop.run()
    assert done.code == 0, done.err
    assert done.of("tampered")[0]["what"] == ["prd-ralph.toml"]
    assert done.of("run_started")[0]["limits"]["attempts"] == 3
    workshop.assert_landed()
